import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { decodeText } from '../bytes.ts';
import { admonition, firstHeading, indentOf } from '../parsed-document.ts';

/** reStructuredText: headings, code, notes, links and options as Markdown, line by line, so that the lines stay those of the file. */
export const restructuredTextParser: ParserRow = {
  file_type: 'rst',
  name: 'a reStructuredText file',
  extensions: ['.rst', '.rest'],
  media_types: ['text/x-rst', 'text/prs.fallenstein.rst'],
  is_text: true,
  is_quick: true,
  async parse(bytes): Promise<ParsedDocument> {
    const text = restructuredToMarkdown(await decodeText(bytes));
    return { text, title: firstHeading(text), metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};

/** A line of one repeated sign below a heading, and above it (docutils, «Sections»). */
const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}\s*$/;
const DIRECTIVE = /^\s*\.\.\s+([\w:.-]+)::\s*(.*)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|highlight-block|doctest|testcode|testoutput|prompt|math)$/;
const ADMONITION =
  /^(?:attention|caution|danger|error|hint|important|note|tip|warning|seealso|todo|admonition|deprecated|versionadded|versionchanged)$/;
/** Directives that control Sphinx: they are removed with the block below them. */
const UNSEEN =
  /^(?:toctree|index|contents|highlight|currentmodule|module|default-domain|meta|raw|include|literalinclude|role|default-role|tabularcolumns|only)$/;

/** The text in Markdown. Each line of it is the line of this number of `source`; only an unfinished block of code adds one at the end. */
export function restructuredToMarkdown(source: string): string {
  const lines = source.split('\n');
  const ends = blockEnds(lines);
  const levels: string[] = [];
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const place = { at, end: ends[at]! };
    const block = headingAt(lines, at, levels) ??
      directiveAt(lines, place) ??
      literalAt(lines, place) ??
      commentAt(lines, place) ?? [asProse(convertInline(lines[at]!))];
    for (const line of block) out.push(line);
    at += block.length;
  }
  const isEmpty = out.every((line) => line.trim() === '');
  return (isEmpty ? lines.map((line) => /^\s*\.\.\s+(?:literal)?include::\s+(\S.*)$/.exec(line)?.[1] ?? '') : out).join('\n');
}

/** A line, and where the lines end that are indented more than it, blank ones between them included. */
interface Place {
  at: number;
  end: number;
}

/** Where the block below each line ends; the line after it where there is none. */
function blockEnds(lines: readonly string[]): number[] {
  const ends = lines.map((_, at) => at + 1);
  const open: number[] = [];
  let last = -1;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    while (open.length > 0 && indentOf(line) <= indentOf(lines[open.at(-1)!]!)) ends[open.pop()!] = last + 1;
    open.push(at);
    last = at;
  }
  for (const at of open) ends[at] = last + 1;
  return ends;
}

/** A heading with its lines above and below; its level is that of its signs, in the order in which the file uses them. */
function headingAt(lines: readonly string[], at: number, levels: string[]): string[] | undefined {
  const over = ADORNMENT.exec(lines[at]!)?.[1];
  const title = lines[over ? at + 1 : at]?.trim() ?? '';
  const under = ADORNMENT.exec(lines[over ? at + 2 : at + 1] ?? '');
  if (title === '' || ADORNMENT.test(title) || !under || (over && over !== under[1])) return undefined;
  if (!over && (indentOf(lines[at]!) > 0 || under[0].trimEnd().length < Math.min(title.length, 4))) return undefined;
  const style = `${over ?? ''}${under[1]}`;
  if (!levels.includes(style)) levels.push(style);
  const line = `${'#'.repeat(Math.min(6, levels.indexOf(style) + 1))} ${convertInline(title)}`;
  return over ? ['', line, ''] : [line, ''];
}

function directiveAt(lines: readonly string[], { at, end }: Place): string[] | undefined {
  const directive = DIRECTIVE.exec(lines[at]!);
  if (!directive) return undefined;
  const [, full = '', text = ''] = directive;
  const name = full.toLowerCase();
  const options = optionsEnd(lines, at + 1, end);
  if (CODE.test(name))
    return [
      '',
      ...lines.slice(at + 1, options).map(() => ''),
      ...fencedCode(lines, { from: options, end, language: /^[\w+-]*$/.test(text) ? text : '' }),
    ];
  if (UNSEEN.test(name)) return lines.slice(at, end).map(() => '');
  const first = ADMONITION.test(name) ? admonition(LABELS.get(name) ?? name, convertInline(text)) : directiveLine(name, text);
  return [first, ...lines.slice(at + 1, options).map(() => '')];
}

const LABELS = new Map([
  ['seealso', 'see also'],
  ['versionadded', 'added in version'],
  ['versionchanged', 'changed in version'],
  ['deprecated', 'deprecated since version'],
]);

/** Writes the first line of another directive: a picture is described in its options, a table has its rows below. */
const directiveLine = (name: string, text: string): string =>
  text === '' || /^(?:image|figure)$/.test(name)
    ? ''
    : /table/.test(name)
      ? `**${convertInline(text)}**`
      : `**\`${text.replaceAll('`', "'")}\`**`;

/** Finds the end of the options of a directive (`:name: value`), directly below it. */
function optionsEnd(lines: readonly string[], from: number, end: number): number {
  let at = from;
  while (at < end && /^\s+:[\w-]+:/.test(lines[at]!)) at += 1;
  return at;
}

/** A paragraph that ends in `::`, and the code below it. */
function literalAt(lines: readonly string[], { at, end }: Place): string[] | undefined {
  const line = lines[at]!;
  if (!line.trimEnd().endsWith('::') || lines[at + 1]?.trim() !== '') return undefined;
  if (end === at + 1) return undefined;
  return [asProse(convertInline(withoutColons(line))), ...fencedCode(lines, { from: at + 1, end, language: '' })];
}

/** `Run it::` is «Run it:», `Run it ::` and `::` alone are no part of the text. */
function withoutColons(line: string): string {
  const text = line.trimEnd().slice(0, -2);
  return text.trimEnd() === text && text !== '' ? `${text}:` : text.trimEnd();
}

/** A comment or the target of a link behind `..`, with the block below it. */
function commentAt(lines: readonly string[], { at, end }: Place): string[] | undefined {
  const line = lines[at]!;
  if (!/^\s*\.\.(?:\s|$)/.test(line) || /^\s*\.\.\s+\[[^\]]+\]\s/.test(line)) return undefined;
  return lines.slice(at, end).map(() => '');
}

/** Text between single backticks, with the role before it and the mark of a link behind it. */
const MARKED = /(:[\w:+.-]{1,60}:)?`([^`]{1,500})`(__?)?/g;

/** The marks within a line: roles, links, literals. */
function convertInline(line: string): string {
  return line
    .split(/(``[^`]{1,500}``)/)
    .map((piece, index) =>
      index % 2 === 1 ? `\`${piece.slice(2, -2)}\`` : piece.replace(MARKED, markdownOfMark).replace(SUBSTITUTED, '$1'),
    )
    .join('')
    .replace(/^(\s{0,40})\|(?=\s)/, '$1');
}

const SUBSTITUTED = /(?<![\w`])\|([\w .:+-]{1,80})\|(?![\w`])/g;

function markdownOfMark(...[whole, role, content, link]: [string, string | undefined, string, string | undefined]): string {
  const text = content.replace(/^[~!]/, '');
  const at = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  const [title, target] = at > 0 ? [text.slice(0, at).trim(), text.slice(at + 1, -1)] : [text, ''];
  if (role) return target === '' ? `\`${text}\`` : title;
  if (!link) return whole;
  return /^https?:/.test(target) ? `[${title}](${target})` : title;
}

/**
 * Fences the code in the lines from `from` to before `end`, without its indentation. Returns as many entries as lines: the fence replaces
 * the blank lines around the code, of that behind `end` too, and shares an entry with the code where there is none.
 */
function fencedCode(lines: readonly string[], { from, end, language }: { from: number; end: number; language: string }): string[] {
  const isClosed = lines[end]?.trim() === '';
  const block = lines.slice(from, end);
  const start = block.findIndex((line) => line.trim() !== '');
  if (start < 0) return lines.slice(from, isClosed ? end + 1 : end).map(() => '');
  const code = block.slice(start);
  const indent = code.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, indentOf(line))), Infinity);
  const inner = code.map((line) => line.slice(indent));
  const fence = '`'.repeat(1 + inner.reduce((longest, line) => Math.max(longest, /^\s*(`*)/.exec(line)![1]!.length), 2));
  const opened =
    start > 0
      ? [...Array<string>(start - 1).fill(''), `${fence}${language}`, ...inner]
      : [`${fence}${language}\n${inner[0]!}`, ...inner.slice(1)];
  return isClosed ? [...opened, fence] : [...opened.slice(0, -1), `${opened.at(-1)!}\n${fence}`];
}

/** The line without so much of its indentation that Markdown would take it for code; items of lists keep theirs. */
const asProse = (line: string): string => (indentOf(line) > 3 && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line) ? `   ${line.trimStart()}` : line);
