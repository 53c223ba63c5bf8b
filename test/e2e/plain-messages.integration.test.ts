import { describe, expect, it } from 'vitest';
import { folder, write } from '../support/folder.ts';
import { runCommand } from '../support/run-command.ts';

// Whatever a file, a flag or standard input holds: the message says what is wrong with it in words, and nothing about the insides of the program.

const DEEP = 20_000;
const nested = (open: string, close: string, depth = DEEP): string => open.repeat(depth) + close.repeat(depth);

/** Texts that break parsers of YAML and JSON, by what is odd about them. */
const STRUCTURES: Record<string, string> = {
  'lists without an end': '['.repeat(DEEP),
  'deep lists': nested('[', ']'),
  'deep lists below the limits of stacks': nested('[', ']', 900),
  'deep objects': `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  'deep blocks': Array.from({ length: 1_500 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
  'a list in itself': '&a [*a]',
  'an object in itself': 'a: &a\n  b: *a\n',
  'aliases without bound': `a: &a [x,x,x,x,x,x,x,x]\n${[...'bcdefghijk'].map((name, i) => `${name}: &${name} [${`*${'abcdefghij'[i]!},`.repeat(9)}]`).join('\n')}`,
  'several documents': 'a: 1\n---\nb: *b\n',
  'unknown tags': 'a: !!js/function "x"\nb: !what {}\nc: !!binary "%"\n',
  'keys of prototypes': '{"__proto__": {"a": 1}, "constructor": 1, "toString": {}}',
  'half of an object': '{"cells": [{"cell_type": "code", "source": ["a"',
  'text after an object': '{"a": 1} x',
  null: 'null',
};

/** Texts that break parsers of documents. */
const DOCUMENTS: Record<string, string> = {
  ...STRUCTURES,
  'objects without an end': '{"a":'.repeat(DEEP),
  'deep sequences': '- '.repeat(DEEP),
  'values of other types': '{"cells": [null, 1, "a", []], "metadata": 7}',
  'cells that are not a list': '{"cells": {"a": 1}}',
  'worksheets of nulls': '{"worksheets": [null]}',
  'outputs of nulls': '{"cells": [{"cell_type": "code", "outputs": [null, {"data": null, "text": [{}]}], "source": {}}]}',
  'a very large number': '{"a": 1e999, "b": 99999999999999999999999}',
  'control characters': '{"a": "\u0000\u0001"}\u0000',
  'half of a letter': '{"a": "\\ud800"}\ud800',
  'deep elements': nested('<a>', '</a>', 10_000),
  'elements without an end': '<div><a b="'.repeat(5_000),
  'deep quotes': '>'.repeat(DEEP),
  'front matter that is deep': `---\na: ${nested('[', ']')}\n---\ntext`,
  'front matter in itself': '---\na: &a [*a]\n---\ntext',
  'half of front matter': '---\na: [\n---\ntext',
};

const INTERNAL =
  /call stack|Cannot (?:read|set|destructure|convert|access)|is not (?:a function|iterable|defined|a constructor)|Unexpected (?:token|end|non-whitespace|string|number|identifier)|JSON at position|valid JSON|Expected .* in JSON|Invalid (?:array|string|typed array|count|time|regular)|\bundefined\b|\[object |ERR_[A-Z]|\n\s+at |TypeError|RangeError|SyntaxError|ReferenceError|went wrong inside/;

interface Run {
  words: string[];
  files?: Record<string, string>;
  env?: Record<string, string>;
  input?: string;
}

const PLAIN = { 'kb.config.yaml': 'embedding:\n  provider: none\n' };
const withFile =
  (words: string[]) =>
  (text: string): Run => ({ words, files: { ...PLAIN, 'given.yaml': text } });
const withInput =
  (...words: string[]) =>
  (input: string): Run => ({ words, files: PLAIN, input });
const withValue =
  (words: (text: string) => string[]) =>
  (text: string): Run => ({ words: words(text.slice(0, 60_000).replaceAll('\0', '')), files: PLAIN });

/** Everything that is parsed, by what it is called. */
const ENTRIES: Record<string, (text: string) => Run> = {
  'the configuration': (text) => ({ words: ['sources'], files: { 'kb.config.yaml': text } }),
  'a map of the configuration': (text) => ({
    words: ['sources'],
    files: { 'kb.config.yaml': `storage:\n  options: ${text.includes('\n') ? `\n${text.replaceAll(/^/gm, '    ')}` : text}\n` },
  }),
  'kb.meta.yaml': (text) => ({
    words: ['ingest', '--docs', 'docs'],
    files: { ...PLAIN, 'docs/kb.meta.yaml': text, 'docs/a.md': 'A gate.' },
  }),
  '--sources': withFile(['ingest', '--sources', 'given.yaml']),
  '--api @': withFile(['fetch', '@given.yaml']),
  '--retry': withFile(['scrape', '--retry', 'given.yaml']),
  'a golden set in YAML': withFile(['eval', 'given.yaml']),
  'a golden set in JSON Lines': (text) => ({ words: ['eval', 'given.jsonl'], files: { ...PLAIN, 'given.jsonl': text } }),
  'a golden set in CSV': (text) => ({ words: ['eval', 'given.csv'], files: { ...PLAIN, 'given.csv': text } }),
  '--history-file': (text) => ({
    words: ['chat', '--history-file', 'given.yaml'],
    files: { ...PLAIN, 'given.yaml': text },
    input: 'Where?\n',
  }),
  '--filter': withValue((text) => ['retrieve', 'gate', '--filter', text]),
  '--where': withValue((text) => ['retrieve', 'gate', '--where', text]),
  '--metadata': withValue((text) => ['ingest', '--markdown', 'A gate.', '--metadata', `a=${text}`]),
  '--set of a list': withValue((text) => ['sources', '--set', `server.allowed_hosts=${text}`]),
  '--set of a map': withValue((text) => ['sources', '--set', `storage.options=${text}`]),
  '--set of a number': withValue((text) => ['sources', '--set', `retrieval.top_k=${text}`]),
  'an environment variable': (text) => ({
    words: ['sources'],
    files: PLAIN,
    env: { KB_STORAGE_OPTIONS: text.slice(0, 60_000).replaceAll('\0', '') },
  }),
  'input of kb chunk': withInput('chunk'),
  'input of kb embed': withInput('embed'),
  'input of kb store': withInput('store'),
  'input of kb edit': withInput('edit'),
  'input of kb collections import': withInput('collections', 'import', 'copy'),
  'input of kb ingest': withInput('ingest', '--markdown', '-'),
};

/** Extensions of the files that are not read as pictures or archives. */
const EXTENSIONS = [
  'ipynb',
  'json',
  'jsonl',
  'yaml',
  'xml',
  'html',
  'md',
  'rst',
  'adoc',
  'eml',
  'mbox',
  'csv',
  'vtt',
  'ics',
  'rtf',
  'pdf',
  'docx',
  'py',
];

/** Finds what a message says about the insides of the program, with the words around it. The text of the user is left out. */
function internalWords(messages: string, text: string): string | undefined {
  const found = INTERNAL.exec(messages.replaceAll(text.slice(0, 200), ''));
  return found ? messages.slice(Math.max(0, found.index - 150), found.index + 150) : undefined;
}

describe('a message', () => {
  it.each(Object.keys(ENTRIES))('says nothing about the insides of the program, whatever is in %s', { timeout: 240_000 }, async (name) => {
    const problems: string[] = [];
    for (const [what, text] of Object.entries(STRUCTURES)) {
      const { words, files = {}, env = {}, input = '' } = ENTRIES[name]!(text);
      const cwd = folder();
      write(cwd, files);
      const { out, error } = await runCommand(words, { cwd, env, input });
      const internal = internalWords(`${error}\n${words[0] === 'ingest' ? '' : out}`, text);
      if (internal !== undefined) problems.push(`${what}: ${internal}`);
    }
    expect(problems).toEqual([]);
  });

  it.each(EXTENSIONS)(
    'says nothing about the insides of the program, whatever is in a file that ends in .%s',
    { timeout: 240_000 },
    async (extension) => {
      const cwd = folder();
      write(cwd, { ...PLAIN, ...Object.fromEntries(Object.values(DOCUMENTS).map((text, i) => [`docs/${i}.${extension}`, text])) });
      const { out } = await runCommand(['ingest', '--docs', 'docs', '--json'], { cwd });
      const { errors } = JSON.parse(out) as { errors: { source: string; error: string }[] };
      expect(errors.flatMap(({ error }) => internalWords(error, '\0') ?? [])).toEqual([]);
    },
  );
});
