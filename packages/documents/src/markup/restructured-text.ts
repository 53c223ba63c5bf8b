import type { ParsedDocument, Mark } from '../types.ts';
import type { ParserRow } from '../parser.ts';
import { decodeText } from '../bytes.ts';
import { tableLines } from '../markdown/write.ts';
import { admonition, firstHeading, indentOf, MarkedLines } from '../parsed-document.ts';
import { type LineBlock, readDirectiveTable, readGridTable, readSimpleTable, type TableBlock } from './rst-tables.ts';

/** reStructuredText: headings, code, notes, tables, links and options as Markdown, line by line. */
export const restructuredTextParser: ParserRow = {
  file_type: 'rst',
  name: 'a reStructuredText file',
  extensions: ['.rst', '.rest'],
  media_types: ['text/x-rst', 'text/prs.fallenstein.rst'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    const { text, marks } = await restructuredToMarkdown(await decodeText(bytes));
    return { text, title: firstHeading(text), metadata: {}, marks };
  },
};

/** A line of one repeated sign below a heading, and above it (docutils, "Sections"). */
const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}\s*$/;
const DIRECTIVE = /^\s*\.\.\s+([\w:.-]+)::\s*(.*)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|highlight-block|doctest|testcode|testoutput|prompt|math)$/;
const ADMONITION =
  /^(?:attention|caution|danger|error|hint|important|note|tip|warning|seealso|todo|admonition|deprecated|versionadded|versionchanged)$/;
/** Directives that control Sphinx: they are removed with the block below them. */
const HIDDEN_DIRECTIVE =
  /^(?:toctree|index|contents|highlight|currentmodule|module|default-domain|meta|raw|include|literalinclude|role|default-role|tabularcolumns|only)$/;

/** The text in Markdown, and marks that tell the lines of `source`. */
export async function restructuredToMarkdown(source: string): Promise<{ text: string; marks: Mark[] }> {
  const lines = source.split('\n');
  const ends = findBlockEnds(lines);
  const papa = source.includes('csv-table::') ? (await import('papaparse')).default : undefined;
  const levels: string[] = [];
  const out = new MarkedLines();
  const substitute = createSubstitution(lines);
  // a fence may share its line of the source with the code
  const put = (text: string, index: number): void => text.split('\n').forEach((line) => out.add(substitute(line), index + 1));
  for (let at = 0; at < lines.length;) {
    const place = { at, end: ends[at]! };
    const table = readGridTable(lines, at) ?? readSimpleTable(lines, at) ?? readDirectiveTable(lines, place, papa);
    const block = table
      ? []
      : (readHeading(lines, at, levels) ??
        readDirective(lines, place) ??
        readLiteral(lines, place) ??
        readComment(lines, place) ?? [limitIndent(convertInline(lines[at]!))]);
    if (table) writeTable(table, lines, { at, put });
    for (const [index, line] of block.entries()) put(line, at + index);
    at = table?.end ?? at + block.length;
  }
  return out.text.trim() === '' ? listIncluded(lines) : { text: out.text, marks: out.marks };
}

const listIncluded = (lines: readonly string[]): { text: string; marks: Mark[] } => ({
  text: lines.map((line) => /^\s*\.\.\s+(?:literal)?include::\s+(\S.*)$/.exec(line)?.[1] ?? '').join('\n'),
  marks: [{ at: 0, line: 1 }],
});

/** Writes a table with blank lines around it; lines that turned out not to be a table stay as they are. */
function writeTable({ title, rows, end }: TableBlock, lines: readonly string[], { at, put }: Writing): void {
  if (rows.length === 0) {
    for (let index = at; index < end; index++) put(limitIndent(lines[index]!), index);
    return;
  }
  if (title) put(`**${convertInline(title)}**`, at);
  put('', at);
  const written = tableLines(rows.map(({ cells }) => cells.map(convertInline)));
  for (const [index, line] of written.entries()) put(line, rows[Math.max(0, index - 1)]!.row);
  put('', end - 1);
}

interface Writing {
  at: number;
  put: (text: string, index: number) => void;
}

/** Finds the end of the block below each line; the next line if there is no block. */
function findBlockEnds(lines: readonly string[]): number[] {
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

/** Reads a heading with its adornments; its level is the position of its adornment style, in the order in which the file uses them. */
function readHeading(lines: readonly string[], at: number, levels: string[]): string[] | undefined {
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

function readDirective(lines: readonly string[], { at, end }: LineBlock): string[] | undefined {
  const directive = DIRECTIVE.exec(lines[at]!);
  if (!directive) return undefined;
  const [, full = '', text = ''] = directive;
  const name = full.toLowerCase();
  const options = findOptionsEnd(lines, at + 1, end);
  if (CODE.test(name))
    return [
      '',
      ...lines.slice(at + 1, options).map(() => ''),
      ...fenceCode(lines, { from: options, end, language: /^[\w+-]*$/.test(text) ? text : '' }),
    ];
  if (HIDDEN_DIRECTIVE.test(name)) return lines.slice(at, end).map(() => '');
  const first = ADMONITION.test(name) ? admonition(ADMONITION_LABELS.get(name) ?? name, convertInline(text)) : directiveLine(name, text);
  return [first, ...lines.slice(at + 1, options).map(() => '')];
}

const ADMONITION_LABELS = new Map([
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
function findOptionsEnd(lines: readonly string[], from: number, end: number): number {
  let at = from;
  while (at < end && /^\s+:[\w-]+:/.test(lines[at]!)) at += 1;
  return at;
}

/** A paragraph that ends in `::`, and the code below it. */
function readLiteral(lines: readonly string[], { at, end }: LineBlock): string[] | undefined {
  const line = lines[at]!;
  if (!line.trimEnd().endsWith('::') || lines[at + 1]?.trim() !== '') return undefined;
  if (end === at + 1) return undefined;
  return [limitIndent(convertInline(withoutColons(line))), ...fenceCode(lines, { from: at + 1, end, language: '' })];
}

/** `Run it::` is "Run it:", `Run it ::` and `::` alone are no part of the text. */
function withoutColons(line: string): string {
  const text = line.trimEnd().slice(0, -2);
  return text.trimEnd() === text && text !== '' ? `${text}:` : text.trimEnd();
}

/** A comment or the target of a link behind `..`, with the block below it. */
function readComment(lines: readonly string[], { at, end }: LineBlock): string[] | undefined {
  const line = lines[at]!;
  if (!/^\s*\.\.(?:\s|$)/.test(line) || /^\s*\.\.\s+\[[^\]]+\]\s/.test(line)) return undefined;
  return lines.slice(at, end).map(() => '');
}

/** Text between single backticks, with the role before it and the mark of a link behind it. */
const INTERPRETED_TEXT = /(:[\w:+.-]{1,60}:)?`([^`]{1,500})`(__?)?/g;

/** The marks within a line: roles, links, literals. */
function convertInline(line: string): string {
  return line
    .split(/(``[^`]{1,500}``)/)
    .map((piece, index) =>
      index % 2 === 1
        ? `\`${piece.slice(2, -2)}\``
        : piece.replace(INTERPRETED_TEXT, convertRole).replace(SUBSTITUTION, `${NAME_MARK}$1${NAME_MARK}`),
    )
    .join('')
    .replace(/^(\s{0,40})\|(?=\s)/, '$1');
}

const SUBSTITUTION = /(?<![\w`])\|(?!\s)([\w .:+-]{1,80})(?<!\s)\|(?![\w`])/g;
/** Stands around the name of a substitution until the line is written; occurs in no decoded text. */
const NAME_MARK = '\0';
/** Maximum characters of all substitutions in a document. */
const MAX_SUBSTITUTED = 1_000_000;

/** Creates a function that replaces the names of substitutions in a line (`.. |name| replace:: text`), and keeps unknown ones. */
function createSubstitution(lines: readonly string[]): (line: string) => string {
  const texts = new Map<string, string>();
  for (const line of lines) {
    const [, name, text] = /^\s*\.\.\s+\|([\w .:+-]{1,80})\|\s+replace::\s+(\S.*)$/.exec(line) ?? [];
    if (name !== undefined) texts.set(name, convertInline(text!).replaceAll(NAME_MARK, ''));
  }
  let left = MAX_SUBSTITUTED;
  return (line) =>
    line.replace(/\0([^\0]{1,80})\0/g, (_, name: string) => {
      const text = texts.get(name);
      if (text === undefined || text.length > left) return name;
      left -= text.length;
      return line.startsWith('| ') ? text.replaceAll('|', '\\|') : text; // in a row of a table
    });
}

function convertRole(...[whole, role, content, link]: [string, string | undefined, string, string | undefined]): string {
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
function fenceCode(lines: readonly string[], { from, end, language }: { from: number; end: number; language: string }): string[] {
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

/** Limits the indentation of a line, which Markdown would otherwise read as code; list items keep theirs. */
const limitIndent = (line: string): string =>
  indentOf(line) > 3 && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line) ? `   ${line.trimStart()}` : line;
