import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { loadedWith, modulesIn } from '../support/built-modules.ts';
import { folder, write } from '../support/folder.ts';
import { openOllamaServer } from '../support/ollama-server.ts';
import { documentIn, type Ended, GATE, KB, kb, LONG, onTerminal, SEQUENCES, start } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

/** A folder with a filled store that no test changes. */
let home: string;
let first: Ended;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kb-test-'));
  write(home, { 'docs/gate.md': GATE, 'docs/long.md': LONG, 'docs/photo.jpg': 'x' });
  first = await kb(['ingest', '--docs', 'docs'], { cwd: home });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a first ingest', () => {
  it('ends with a summary and the next command, with progress on standard error', () => {
    expect(first).toMatchObject({ code: 0, error: expect.stringMatching(/^Ingesting …\n/) });
    expect(first.out).toMatch(
      /^Stored [\d,]+ chunks of 2 documents in "default", .*\n {2}note {9}1 picture was not read: docs\/photo\.jpg[^]*\nNext: kb retrieve/,
    );
    expect(first.out + first.error).not.toMatch(/\u001b|⠋/);
  });
});

describe('the exit code', () => {
  it('is 0 after success, which is silent with --quiet', async () => {
    const again = await runCommand(['ingest', '--docs', 'docs', '--quiet'], { cwd: home });
    expect(again).toEqual({ ...again, code: 0, out: '', error: '' });
    for (const words of [['optimize'], ['collections', 'copy', 'default', 'twin'], ['collections', 'drop', 'twin', '--yes']]) {
      const done = await runCommand([...words, '--quiet'], { cwd: home });
      expect([words, done.code, done.out, done.error]).toEqual([words, 0, '', '']);
    }
  });

  it('is 1 if items failed, which are named, and 0 if that is allowed', async () => {
    const cwd = folder({ 'docs/gate.md': GATE, 'docs/broken.pdf': 'no PDF' });
    mkdirSync(join(cwd, 'docs/folder.md'));
    symlinkSync('nowhere', join(cwd, 'docs/dangling.md'));
    const done = await kb(['ingest', '--docs', 'docs', '--docs', 'docs/folder.md', '--docs', 'missing.md'], { cwd });
    expect(done).toMatchObject({ code: 1, out: expect.stringContaining('Stored 1 chunk of 1 document') });
    expect(done.error).toMatch(/4 items failed:\n/);
    for (const name of ['docs/broken.pdf', 'docs/folder.md', 'docs/dangling.md', 'missing.md']) expect(done.error).toContain(`  ${name}`);
    expect(done.error).not.toMatch(/\n {4}at |Error: Error/);
    expect(await runCommand(['ingest', '--docs', 'docs', '--allow-failures'], { cwd })).toMatchObject({
      code: 0,
      error: expect.stringContaining('2 items failed'),
    });
  });

  it('is 1 if the work itself failed', async () => {
    const missing = await kb(['retrieve', 'gate', '--collection', 'ghost'], { cwd: home });
    expect(missing).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringMatching(
        /^Error: .*There is no collection "ghost"\. Create it with "kb ingest --docs FOLDER --collection ghost"/,
      ),
    });
  });

  it('is 1 in a folder without a store, and a parent folder with one is named', async () => {
    const missing = await runCommand(['retrieve', 'gate'], { cwd: join(home, 'docs') });
    expect(missing).toMatchObject({
      code: 1,
      error: expect.stringMatching(/^There is no base in this folder yet, but one in .*kb-test-\w+\. To use/),
    });
    expect(missing.error).toContain('There is no collection "default".');
    expect((await runCommand(['parse', 'gate.md'], { cwd: join(home, 'docs') })).error).not.toContain('no base');
  });

  it.each([
    [['collections', 'drop', 'c3'], 'There is no collection "c3". "kb collections list" lists them all.'],
    [['collections', 'drop', 'defualt', '--yes'], 'There is no collection "defualt". Did you mean "default"?'],
    [['snapshot', 'restore', 'c3'], 'There is no snapshot of "default" "c3". "kb snapshot list" lists them all.'],
  ])('is 1 for what is to be changed and is not there: %j', async (words, message) => {
    expect(await runCommand(words, { cwd: home })).toMatchObject({ code: 1, error: `Error: ${message}\n` });
  });

  const misuse: [string, string[], RegExp][] = [
    ['an unknown command', ['retreive', 'x'], /^Error: There is no command "retreive"\. Did you mean "kb retrieve"\?\n$/],
    ['an unknown command of a topic', ['collections', 'lst'], /Did you mean "kb collections list"\?/],
    [
      'a flag before the command',
      ['--quiet', 'sources'],
      /^Error: Flags such as --quiet stand behind the command\. kb --help shows all commands\.\n$/,
    ],
    ['an unknown flag', ['retrieve', 'x', '--topk', '3'], /^Error: There is no flag --topk\. Did you mean --top-k\?\n$/],
    ['a missing flag', ['token', 'create', 'bot'], /^Error: --scope is missing\. Try --help\.\n$/],
    ['a missing argument', ['retrieve'], /^Error: QUERY is missing\. Try --help\.\n$/],
    [
      'a question without quotes',
      ['retrieve', 'opening', 'hours'],
      /^Error: Nothing is expected at "hours"\. A question of several words stands in quotes\./,
    ],
    [
      'a file to export to',
      ['collections', 'export', 'default', 'x.jsonl'],
      /^Error: Nothing is expected at "x\.jsonl"\. An export goes to standard output: kb collections export default > x\.jsonl\./,
    ],
    [
      'a file to import',
      ['collections', 'import', process.execPath],
      /is a file, where the name of the new collection is expected\. The file comes on standard input: kb collections import NAME < /,
    ],
    [
      'an argument where a flag is meant',
      ['ingest', 'docs'],
      /^Error: kb ingest takes no argument "docs"\. Name it with a flag, such as --docs/,
    ],
    [
      'a key of no section',
      ['retrieve', 'x', '--set', 'foo.bar=1'],
      /^Error: --set: unknown key "foo\.bar"\. It begins with one of collection, storage, .*network, server, sources, watch; kb\.config/,
    ],
    ['a value out of bounds', ['retrieve', 'x', '--top-k', '0'], /^Error: --top-k: .*1.*\(it is "0"\)/],
    ['a value of none of the kinds', ['retrieve', 'x', '--mode', 'both'], /^Error: .*--mode.*hybrid, vector, text/],
    ['no source', ['ingest'], /^Error: At least one of docs, urls, api or markdown must be provided\./],
    [
      'an unknown key',
      ['retrieve', 'x', '--set', 'retrieval.topk=3'],
      /^Error: --set: unknown key "retrieval\.topk"\. Did you mean "retrieval\.top_k"\?/,
    ],
    ['a missing configuration', ['retrieve', 'x', '--config', 'none.yaml'], /^Error: The configuration file none\.yaml does not exist\./],
    [
      'a missing key',
      ['ingest', '--docs', 'docs', '--embedding-provider', 'openai', '--collection', 'x'],
      /^Error: The provider openai needs a key, and OPENAI_API_KEY is not set\./m,
    ],
    ['a question to nobody', ['collections', 'drop', 'default'], /^Error: .*Add --yes\./],
  ];
  it.each(misuse)('is 2 for %s, which is named', async (_what, words, message) => {
    const ended = await runCommand(words, { cwd: home });
    expect(ended.error.replace('Ingesting …\n', '')).toMatch(message);
    expect(ended).toMatchObject({ code: 2, out: '' });
  });
});

describe('a pattern that the shell expands', () => {
  it('is read completely, with the flags after it', async () => {
    const cwd = folder({ 'a.md': '# A\n\nThe first.\n', 'b.md': '# B\n\nThe second.\n' });
    const done = await start(['bash', '-c', `${KB} ingest --docs *.md --collection both --markdown 'A third.' - `], {
      cwd,
      input: 'A fourth.',
    }).done;
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Stored 4 chunks of 4 documents in "both"') });
  });
});

describe('init', () => {
  it('writes what --set says into the file of --config, and keeps an existing one', async () => {
    const cwd = folder();
    const words = ['init', '--yes', '--config', 'other.yaml', '--set', 'retrieval.top_k=3'];
    expect(await runCommand(words, { cwd })).toMatchObject({
      code: 0,
      out: 'Wrote other.yaml. Next: kb ingest --docs FOLDER --config other.yaml\n',
    });
    expect(readFileSync(join(cwd, 'other.yaml'), 'utf8')).toMatch(/^retrieval:\n {2}top_k: 3$/m);
    expect((await runCommand(words, { cwd })).error).toBe('other.yaml exists already and was not changed.\n');
    const wrong = await runCommand(['init', '--yes', '--set', 'retrieval.top_k=many'], { cwd });
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('--set retrieval.top_k') });
    expect(existsSync(join(cwd, 'kb.config.yaml'))).toBe(false);
  });

  it('offers a running Ollama with its installed models', async () => {
    const capabilities = { gemma: ['completion'], 'qwen-small': ['completion'], 'nomic-embed': ['embedding'] };
    const server = await openOllamaServer({ installed: Object.keys(capabilities), capabilities });
    onTestFinished(() => server.close());
    const cwd = folder();
    const asked = onTerminal(`${KB} init`, { cwd, env: { OLLAMA_BASE_URL: server.url } });
    const answered = async (question: RegExp, answer: string) => {
      await asked.until(question);
      asked.child.stdin!.write(answer);
    };
    await answered(/Name of the collection/, '\r');
    await answered(/runs on this machine: nomic-embed/, '\u001b[B\u001b[B\r');
    await answered(/Which model embeds/, '\r');
    await answered(/runs on this machine: gemma/, '\u001b[B\r');
    await answered(/Which model answers/, '\u001b[B\r');
    expect((await asked.done).code).toBe(0);
    expect(readFileSync(join(cwd, 'kb.config.yaml'), 'utf8')).toContain(
      'embedding:\n  provider: ollama\n  model: nomic-embed\nchat:\n  llm:\n    provider: ollama\n    model: qwen-small\n',
    );
  });

  it('asks on standard error', async () => {
    const cwd = folder({ 'kb.config.yaml': '' });
    const asked = onTerminal(`${KB} init --json > result.json`, { cwd });
    const answered = async (question: RegExp, answer: string) => {
      await asked.until(question);
      asked.child.stdin!.write(answer);
    };
    await answered(/Overwrite it\?/, 'y\r');
    await answered(/Name of the collection/, 'minutes\r');
    await answered(/Who embeds/, '\r');
    await answered(/Which languages/, '\u001b[B\r');
    await answered(/Who answers/, '\r');
    expect((await asked.done).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'))).toEqual({ path: join(cwd, 'kb.config.yaml'), written: true });
    expect(readFileSync(join(cwd, 'kb.config.yaml'), 'utf8')).toContain(
      'collection: minutes\nembedding:\n  provider: local\n  model: multilingual-e5-small\n',
    );
  });
});

describe('--json', () => {
  const cases: [string, string[], object, number][] = [
    ['a result', ['retrieve', 'gate'], { query: 'gate', failed: 0 }, 0],
    ['a chat', ['chat', 'When is the gate locked?'], { intent: 'rag', errors: [] }, 0],
    ['a list', ['collections', 'list'], { collections: [{ name: 'default' }] }, 0],
    ['a report with failures', ['ingest', '--docs', 'missing.md', '--docs', 'docs'], { failed: 1, unchanged: 2 }, 1],
    ['documents', ['parse', 'docs/gate.md', 'docs/none.md'], { documents: 1, failed: 1, outputs: [{ source: 'docs/gate.md' }] }, 1],
    ['checks', ['doctor'], { checks: [{ name: 'config', status: 'ok' }, { name: 'node' }, {}, {}, {}, {}, {}, {}, {}, {}], failed: 0 }, 0],
    ['an unknown command', ['retreive'], { error: { type: 'ValueError' } }, 2],
    ['an unknown flag', ['ingest', '--dcs', 'x'], { error: { type: 'ValueError' } }, 2],
    ['an error of the configuration', ['retrieve', 'x', '--set', 'a.b=1'], { error: { type: 'ValueError' } }, 2],
    ['an error of the work', ['collections', 'show', 'ghost'], { error: { type: 'NotFoundError' } }, 1],
    ['a missing key', ['chat', 'When is the gate locked?', '--llm-provider', 'openai'], { error: { type: 'SetupError' } }, 2],
  ];
  it.each(cases)('writes one document for %s', async (_what, words, expected, code) => {
    const ended = await runCommand([...words, '--json'], { cwd: home });
    expect(documentIn(ended)).toMatchObject(expected);
    expect(ended.code).toBe(code);
  });

  it('is a question after the double dash', async () => {
    const ended = await kb(['retrieve', '--collection', 'ghost', '--', '--json'], { cwd: home });
    expect(ended).toMatchObject({ code: 1, out: '' });
  });
});

describe('the modules that are loaded', () => {
  /** What takes long to load. */
  const HEAVY = /lancedb|apache-arrow|onnxruntime|openai|pdf-parse|mammoth|xlsx|officeparser|linkedom|piscina|listr2|undici|\/zod\//;
  /** The same of a command that opens a base and prints what lies in it. */
  const UNUSED =
    /onnxruntime|openai|pdf-parse|mammoth|officeparser|linkedom|piscina|listr2|undici|^node:https?$|node_modules\/(?:xlsx|semver|get-east-asian-width|@oclif\/core\/lib\/index)/;

  it.each([
    [['--help'], HEAVY],
    [['collections', 'list'], UNUSED],
  ])('by %s is nothing that takes long and is not used', async (words, heavy) => {
    const loaded = join(folder(), 'loaded');
    const hook = new URL('../support/loaded.mjs', import.meta.url).href;
    const ended = await kb(words, { cwd: home, env: { NODE_OPTIONS: `--import=${hook}`, LOADED: loaded } });
    expect(ended).toMatchObject({ code: 0, error: '' });
    const urls = readFileSync(loaded, 'utf8').trim().split('\n');
    const modules = urls.flatMap((url) => (url.includes('/dist/') ? modulesIn(fileURLToPath(url)) : [url]));
    expect(modules.some((url) => url.includes('@oclif/core'))).toBe(true);
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    if (words[0] === '--help')
      for (const command of ['ingest', 'retrieve', 'chat', 'collections', 'doctor']) expect(ended.out).toContain(command);
  });

  it('by a process that parses are only those for its file types', () => {
    const worker = join(packageRoot, 'dist/chunks/parse-worker.js');
    const modules = loadedWith(worker, { asked: true }).flatMap(modulesIn);
    expect(modules).toContain('packages/documents/src/parse.ts');
    expect(modules.filter((path) => /\/(?:zod|yaml|@oclif|ipaddr\.js)\/|^src\/(?:cli|engine|schema|stages)\//.test(path))).toEqual([]);
    expect(modules.filter((path) => !path.startsWith('packages/') && HEAVY.test(path))).toEqual([]);
  });

  it('by a worker that embeds are a model and little else', () => {
    const modules = loadedWith(join(packageRoot, 'dist/src/drivers/embedders/embed-worker.js')).flatMap(modulesIn);
    expect(modules).toContain('src/drivers/embedders/embed-worker.ts');
    expect(modules.length).toBeLessThan(20);
  });

  it('by the types of the library are installed with it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { dependencies: object };
    const files = new Set([join(packageRoot, 'dist/src/index.d.ts')]);
    const packages = new Set<string>();
    for (const file of files)
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import\() ?['"]([^'"]+)['"]/g))
        if (name.startsWith('.')) files.add(join(dirname(file), name.replace(/\.ts$/, '.d.ts')));
        else packages.add(name);
    expect(files).toContain(join(packageRoot, 'dist/packages/documents/src/types.d.ts'));
    expect([...packages].filter((name) => !name.startsWith('node:') && !Object.hasOwn(dependencies, name))).toEqual([]);
  });

  it('by the library contain nothing of the command line', () => {
    const modules = loadedWith(join(packageRoot, 'dist/src/index.js')).flatMap(modulesIn);
    expect(modules).toContain('src/engine/engine.ts');
    expect(modules.filter((path) => /^src\/(?:cli|server|mcp)\/|@oclif/.test(path))).toEqual([]);
  });
});

describe('on a terminal', () => {
  it('progress is drawn on standard error only', async () => {
    const cwd = folder({ 'gate.md': GATE });
    const ended = await onTerminal(`${KB} ingest --docs gate.md >out.txt`, { cwd }).done;
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/Ingesting/);
    expect(ended.out).toContain('\u001b[');
    expect(ended.out.replace(SEQUENCES, '')).toMatch(/Ingesting: 1 of 1, 1 chunk/);
    const out = readFileSync(join(cwd, 'out.txt'), 'utf8');
    expect(out).toMatch(/^Stored 1 chunk of 1 document/);
    expect(out).not.toContain('\u001b');
  });

  it('a failure is printed once', async () => {
    const ended = await onTerminal(`${KB} ingest --docs docs --set embedding.provider=openai --collection x`, { cwd: home }).done;
    expect(ended.code).toBe(2);
    expect(ended.out.match(/needs a key/g)).toHaveLength(1);
  });

  it('matching words are marked, except with NO_COLOR', async () => {
    const bold = await onTerminal(`${KB} retrieve gate --top-k 1`, { cwd: home }).done;
    expect(bold.out).toMatch(/\u001b\[1m\u001b\[33mgate/i);
    const plain = await onTerminal(`${KB} retrieve gate --top-k 1`, { cwd: home, env: { NO_COLOR: '1' } }).done;
    expect(plain.out).toContain('The gate is locked');
    expect(plain.out).not.toMatch(/\u001b\[[\d;]*m/);
  });
});

describe('output that goes elsewhere than to a terminal', () => {
  const cwd = () => folder({ 'docs/gate.md': GATE, 'docs/bad.pdf': 'no PDF' });

  it('has no colours, neither failures nor results', async () => {
    const place = cwd();
    const errors = await onTerminal(`${KB} ingest --docs docs 2> errors.log`, { cwd: place }).done;
    expect(errors.out).toContain('\u001b[1mStored');
    expect(readFileSync(join(place, 'errors.log'), 'utf8')).toMatch(/^1 item failed:$/m);
    const results = await onTerminal(`${KB} ingest --docs docs > result.log`, { cwd: place }).done;
    expect(results.out).toContain('\u001b[31m1 item failed:');
    expect(readFileSync(join(place, 'result.log'), 'utf8')).toMatch(/^Nothing has changed/);
  });

  it('contains no control sequences for a dumb terminal', async () => {
    const plain = await onTerminal(`${KB} ingest --docs docs`, { cwd: cwd(), env: { TERM: 'dumb' } }).done;
    expect(plain.out).toContain('1 item failed:');
    expect(plain.out).not.toMatch(/\u001b\[[\d;]*m/);
  });
});

describe('kb init', () => {
  it('writes a configuration that kb reads, and overwrites none', async () => {
    const cwd = folder();
    expect(await kb(['init'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('kb init --yes') });
    expect(await runCommand(['init', '--yes'], { cwd })).toMatchObject({
      code: 0,
      out: 'Wrote kb.config.yaml. Next: kb ingest --docs FOLDER\n',
    });
    writeFileSync(join(cwd, 'kb.config.yaml'), `${readFileSync(join(cwd, 'kb.config.yaml'), 'utf8')}# mine\n`);
    expect(documentIn(await runCommand(['init', '--yes', '--json'], { cwd }))).toMatchObject({ written: false });
    expect(readFileSync(join(cwd, 'kb.config.yaml'), 'utf8')).toContain('# mine');
    expect(documentIn(await runCommand(['doctor', '--json'], { cwd }))).toMatchObject({ failed: 0 });
  });
});
