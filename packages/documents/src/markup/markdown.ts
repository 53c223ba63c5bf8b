import type { Metadata, Mark, ParsedDocument } from '../types.ts';
import type { ParserRow } from '../parser.ts';
import { decodeText } from '../bytes.ts';
import { admonition, boxTitle, firstHeading, indentOf, MarkedLines } from '../parsed-document.ts';
import { decodeBlockReferences, hasReferences } from '../markdown/character-references.ts';
import { type Block, readBlocks } from '../markdown/blocks.ts';
import { markHeadings, readManualPage } from './text-structure.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';

/** Maximum values, characters and depth of front matter: YAML's aliases can make a million values out of a few lines. */
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 100_000;
const MAX_DEPTH = 32;

/** Matches front matter in YAML. A word behind the first line names another language; gray-matter would run `---js` as a program. */
const FRONT_MATTER = /^---[ \t]*(?:ya?ml[ \t]*)?\n(?:[^]*?\n)?---[ \t]*(?:\n|$)/i;

/** Reads the YAML block at the beginning of a text, and the offset and line (from 1) of the body; a block that cannot be read is part of the body. */
async function readFrontMatter(text: string): Promise<{ data: Metadata; start: number; line: number }> {
  const none = { data: {}, start: 0, line: 1 };
  if (!FRONT_MATTER.test(text)) return none;
  const { default: matter } = await import('gray-matter');
  try {
    const { data, content } = matter(text, { language: 'yaml' });
    if (typeof data !== 'object' || data === null || Array.isArray(data) || content.length === text.length) return none;
    const start = text.length - content.length;
    return { data: copyBounded(data), start, line: text.slice(0, start).split('\n').length };
  } catch {
    return none;
  }
}

/** Copies values as JSON holds them: dates as ISO strings, those without a time as a date. Throws beyond the bounds. */
function copyBounded(data: Metadata): Metadata {
  let [values, characters] = [0, 0];
  const counted = (text: string): string => {
    characters += text.length;
    if (characters > MAX_CHARACTERS) throw new Error('too many characters');
    return text;
  };
  const plain = (value: unknown, depth: number): unknown => {
    if (++values > MAX_VALUES || depth > MAX_DEPTH) throw new Error('too many values');
    if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
    if (typeof value === 'string') return counted(value);
    if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [counted(key), plain(item, depth + 1)]));
  };
  return plain(data, 0) as Metadata;
}

/** Markdown: its front matter becomes metadata, its dialects plain Markdown. */
export const markdownParser: ParserRow = {
  file_type: 'markdown',
  name: 'a Markdown file',
  extensions: ['.md', '.markdown', '.mdown', '.mkd', '.mdx'],
  media_types: ['text/markdown', 'text/x-markdown', 'text/mdx'],
  is_text: true,
  async parse(bytes, { source: name }): Promise<ParsedDocument> {
    const source = removeTablePadding(await decodeText(bytes));
    const { data, start, line } = await readFrontMatter(source);
    const body = source.slice(start);
    const blank = /^(?:[ \t]*\n)*/.exec(body)![0];
    const { text, marks } = decodeMarked(
      await readDialects(body.slice(blank.length), { line: line + blank.split('\n').length - 1, isMdx: isMdxName(name) }),
    );
    const { title: given, ...metadata } = data;
    const title = (typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '') || firstHeading(text);
    return { text, title, metadata, marks };
  },
};

/** An element whose text is not Markdown, at the start of a block. */
const VERBATIM = /^<(?:pre|script|style|textarea)[\s>]/i;
const CODE_INDENT = 4;

/** Decodes the character references outside of code, and moves the marks along. */
function decodeMarked({ text, marks }: { text: string; marks: Mark[] }): { text: string; marks: Mark[] } {
  if (!hasReferences(text)) return { text, marks };
  const moved: Mark[] = [];
  let [decoded, reached] = ['', 0];
  const decodeUpTo = (end: number, decode: (markdown: string) => string): void => {
    for (let mark = marks[moved.length]; mark && mark.at < end; mark = marks[moved.length]) {
      decoded += decode(text.slice(reached, mark.at));
      reached = Math.max(reached, mark.at);
      moved.push({ ...mark, at: decoded.length });
    }
    decoded += decode(text.slice(reached, end));
    reached = end;
  };
  for (const block of readBlocks(text)) {
    decodeUpTo(block.start, String);
    decodeUpTo(block.end, isCode(text, block) ? String : decodeBlockReferences);
  }
  decodeUpTo(Infinity, String);
  return { text: decoded, marks: moved };
}

/** Whether a block is code, or is not shown. */
function isCode(text: string, { kind, start }: Block): boolean {
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1);
  return (
    kind === 'fence' ||
    kind === 'comment' ||
    (kind === 'paragraph' && (indent >= CODE_INDENT || VERBATIM.test(text.slice(start, start + 20))))
  );
}

/** Plain text: its evident headings are marked, line by line; a printed manual page becomes Markdown. */
export const textParser: ParserRow = {
  file_type: 'text',
  name: 'a text file',
  extensions: ['.txt', '.text', '.log'],
  media_types: ['text/*'],
  is_text: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const text = await decodeText(bytes);
    const page = readManualPage(text);
    if (page) return page;
    const read = /\.log$/i.test(source) ? { text } : markHeadings(text);
    return { ...read, metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};

/** Characters of a table's header and delimiter row from which their padding is removed: each chunk of the table repeats both. */
const LONG_HEADER = 240;

/** Matches every padded table; most texts have none. */
const MAY_BE_PADDED = / {20}|-{40}/;

const withoutPadding = (row: string): string => row.replace(/ {3,}/g, ' ');

/**
 * Removes the padding of wide tables that were aligned for reading as plain text, where it makes up most of their header. Lines stay lines. Other tables
 * stay as they are written.
 */
export function removeTablePadding(markdown: string): string {
  if (!MAY_BE_PADDED.test(markdown)) return markdown;
  let [text, at] = ['', 0];
  for (const { kind, start, body, end } of readBlocks(markdown)) {
    if (kind !== 'table') continue;
    const header = withoutPadding(markdown.slice(start, body)).replace(/-{4,}/g, '---');
    if (body - start < LONG_HEADER || header.length > (body - start) / 2) continue;
    text += markdown.slice(at, start) + header + withoutPadding(markdown.slice(body, end));
    at = end;
  }
  return text + markdown.slice(at);
}

/** A line and its number in the file, from 1. */
interface NumberedLine {
  text: string;
  number: number;
}

/** Spaces of the block below `!!! note` and `=== "Tab"` (MkDocs). */
const INDENT = 4;
/** Maximum lines of a table in HTML that is converted. */
const MAX_LINES = 2000;

const DIALECT = /^[ \t]*(?:!!!|\?\?\?|===[!+]?[ \t]+"|:::|\{%|<\/?(?:details|summary|table)[\s>])/im;

const FENCE = /^\s*(`{3,}|~{3,})/;
const NOTE = /^([ \t]{0,40})(?:!!!|\?\?\?\+?)[ \t]{1,5}([\w-]{1,40})(?: [\w -]{1,80})?(?:[ \t]{1,5}"([^"]{0,300})")?[ \t]{0,20}$/;
const TAB = /^(\s*)===[!+]?\s+"(.+)"\s*$/;
const CONTAINER =
  /^[ \t]{0,40}:{3,20}[ \t]{0,5}(?:\{?[.#]?([\w-]{1,60})(?:[ .#][^{}[\]\n]{0,200})?\}?(?:\[([^\]\n]{0,300})\])?[ \t]{0,20})?$/;
const TITLED_CONTAINER = /^\s*:{3,}\s*([\w-]+)\s+([^{[].*)$/;
const HINT = /^\s*\{%-?\s*(end)?(hint|tabs|tab|content-ref|embed|stepper|step)\b([^%]*)%\}\s*$/;
const SUMMARY = /^\s*(?:<details[^>]*>\s*)?<summary[^>]*>(.*?)<\/summary>\s*$/i;
const DETAILS = /^\s*<\/?details[^>]*>\s*$/i;

/** Whether a document is MDX, by its name. */
export const isMdxName = (source: string): boolean => source.toLowerCase().endsWith('.mdx');

/** Whether a text has anything that is written in a dialect; most have none. */
export const hasDialect = (source: string): boolean => DIALECT.test(source);

/**
 * Rewrites the notes, tabs, boxes and HTML tables of MkDocs, Docusaurus, VitePress, GitBook and GitHub as Markdown; with `isMdx`, also removes imports
 * and the tags of components. Marks tell the lines of the file.
 */
export async function readDialects(
  source: string,
  { line, isMdx }: { line: number; isMdx: boolean },
): Promise<{ text: string; marks: Mark[] }> {
  if (!isMdx && !hasDialect(source)) return { text: source, marks: [{ at: 0, line }] };
  const numbered = source.split('\n').map((text, index) => ({ text, number: line + index }));
  const lines = new MarkedLines();
  for (const { text, number } of await convertLines(isMdx ? removeComponents(numbered) : numbered)) lines.add(text, number);
  return { text: lines.text, marks: lines.marks };
}

async function convertLines(lines: readonly NumberedLine[]): Promise<NumberedLine[]> {
  const out: NumberedLine[] = [];
  for (let at = 0; at < lines.length;) {
    const { text, number } = lines[at]!;
    const put = (shown: string) => out.push({ text: shown, number });
    const fence = FENCE.exec(text)?.[1];
    const boxed = NOTE.exec(text) ?? TAB.exec(text);
    let next = at + 1;
    if (fence) {
      while (next < lines.length && !lines[next]!.text.trimStart().startsWith(fence)) next += 1;
      next = Math.min(lines.length, next + 1);
      for (const line of lines.slice(at, next)) out.push(line);
    } else if (boxed) {
      next = findBlockEnd(lines, at + 1, boxed[1]!.length + INDENT);
      put(text.trimStart().startsWith('=') ? `**${boxed[2]!}**` : boxed[3] ? boxTitle(boxed[3]) : admonition(boxed[2]!, ''));
      out.push({ text: '', number });
      const inner = lines.slice(at + 1, next).map((one) => ({ ...one, text: one.text.slice(boxed[1]!.length + INDENT) }));
      for (const line of await convertLines(inner)) out.push(line);
    } else if (/^\s*<table[\s>]/i.test(text)) {
      const end = findTableEnd(lines, at);
      if (end === undefined) put(text);
      else for (const row of await convertTable(lines.slice(at, (next = end)))) put(row);
    } else put(convertLine(text));
    at = next;
  }
  return out;
}

function convertLine(text: string): string {
  const summary = SUMMARY.exec(text);
  if (summary) return `**${summary[1]!.replace(/<[^<>]*>/g, '').trim()}**`;
  if (DETAILS.test(text)) return '';
  const hint = HINT.exec(text);
  if (hint) return hint[1] ? '' : readTitle(hint[3] ?? '');
  const titled = TITLED_CONTAINER.exec(text);
  if (titled) return boxTitle(titled[2]!.trim());
  const container = CONTAINER.exec(text);
  if (container) return container[2] ? boxTitle(container[2]) : SHOWN_BOX.test(container[1] ?? '') ? admonition(container[1]!, '') : '';
  return text;
}

/** Names of boxes that are shown; other boxes only lay out. */
const SHOWN_BOX = /^(?:attention|caution|danger|error|hint|important|info|note|success|tip|warning)$/i;

/** The title of a component or a block, in bold; empty where it has none. */
function readTitle(attributes: string): string {
  const title = /\b(?:title|label|header|summary)=(?:"([^"]*)"|'([^']*)')/.exec(attributes);
  const text = title?.[1] ?? title?.[2] ?? '';
  return text === '' ? '' : `**${text}**`;
}

function findBlockEnd(lines: readonly NumberedLine[], from: number, indent: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (text.trim() === '') continue;
    if (indentOf(text) < indent) break;
    end = at + 1;
  }
  return end;
}

/** Finds the line behind the end of a table; undefined where it has none. */
function findTableEnd(lines: readonly NumberedLine[], from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < Math.min(lines.length, from + MAX_LINES); at++) {
    for (const [tag] of lines[at]!.text.matchAll(/<\/?table(?=[\s>])/gi)) depth += tag.startsWith('</') ? -1 : 1;
    if (depth <= 0) return at + 1;
  }
  return undefined;
}

async function convertTable(lines: readonly NumberedLine[]): Promise<string[]> {
  const { body } = await parseHtml(lines.map(({ text }) => text).join('\n'));
  const { text } = await toMarkdown(body);
  return ['', ...text.split('\n'), ''];
}

/** Removes imports, exports, comments and the tags of components from MDX; the titles and contents of components stay. */
function removeComponents(lines: readonly NumberedLine[]): NumberedLine[] {
  const out: NumberedLine[] = [];
  let fence: string | undefined;
  let isProgram = false;
  let tag: NumberedLine | undefined;
  for (const line of lines) {
    const marks = FENCE.exec(line.text)?.[1];
    if (!tag && !isProgram && (fence || marks)) {
      if (!fence) fence = marks;
      else if (line.text.trimStart().startsWith(fence)) fence = undefined;
      out.push(line);
      continue;
    }
    isProgram = isProgram ? line.text.trim() !== '' : !tag && /^(?:import|export)\s/.test(line.text);
    if (isProgram) continue;
    const text: string = tag ? `${tag.text} ${line.text.trim()}` : line.text;
    const number = tag?.number ?? line.number;
    tag = /^\s*<[A-Z][^<>]*$/.test(text) && text.length < 10_000 ? { text, number } : undefined;
    if (!tag) out.push({ text: removeTags(text), number });
  }
  return tag ? [...out, tag] : out;
}

const removeTags = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((piece, index) =>
      index % 2 === 1
        ? piece
        : piece
            .replace(/\{\/\*[^*{}]{0,1000}\*\/\}/g, '')
            .replace(/<([A-Z][\w.]*)((?:\s[^<>]*)?)>/g, (_, _name: string, attributes: string) => readTitle(attributes))
            .replace(/<\/[A-Z][\w.]*>/g, ''),
    )
    .join('');
