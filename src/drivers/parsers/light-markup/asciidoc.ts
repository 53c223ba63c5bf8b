import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { decodeText } from '../encoding.ts';
import { firstHeading } from '../title.ts';
import type { Mark } from '../../../schema/items.ts';
import { tableLines } from '../../../text/markdown/write.ts';
import { MarkedLines } from '../marked-text.ts';
import { parseTableAttributes, parseTableRows } from './asciidoc-tables.ts';
import { admonition } from './markdown-lines.ts';

/** AsciiDoc: headings, code, notes, lists, tables and links as Markdown, line by line. */
export const asciidocParser: ParserRow = {
  file_type: 'asciidoc',
  name: 'an AsciiDoc file',
  extensions: ['.adoc', '.asciidoc'],
  media_types: ['text/asciidoc', 'text/x-asciidoc'],
  is_text: true,
  is_quick: true,
  async parse(bytes): Promise<ParsedDocument> {
    const { text, marks } = asciidocToMarkdown(await decodeText(bytes));
    return { text, title: firstHeading(text), metadata: {}, marks };
  },
};

/** Lines of signs that open and close a block of code, and of one that is not shown. */
const CODE = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})\s*$/;
/** A fence as in Markdown, which may name its language. */
const NAMED_CODE = /^(`{3,})([\w+-]+)\s*$/;
const COMMENT = /^\/{4,}\s*$/;
/** Lines around an example, a sidebar, a quotation: what they hold is text. */
const AROUND = /^(?:={4,}|\*{4,}|_{4,}|--|\+)\s*$/;
const TABLE = /^[|,:!]={3,}\s*$/;

/** The text in Markdown, and marks that tell the lines of `source`. */
export function asciidocToMarkdown(source: string): { text: string; marks: Mark[] } {
  const out = new MarkedLines();
  const lines = source.split('\n');
  const resolve = attributeResolver();
  let [language, attributes] = ['', ''];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const put = (text: string, index = at) => out.add(text, index + 1);
    const named = NAMED_CODE.exec(line);
    const closing = named?.[1] ?? line.trimEnd();
    const end = () => endOf(lines, at, closing);
    const level = underlinedLevel(lines, at);
    if (level > 0) {
      put(`${'#'.repeat(level)} ${inline(resolve(line))}`);
      put('', ++at);
    } else if (COMMENT.test(line)) {
      for (const last = end(); at < last; at++) put('');
      put('');
    } else if (named || CODE.test(line)) {
      put(`${FENCE}${named?.[2] ?? language}`);
      for (const last = end(); ++at < last;) put(lines[at]!);
      put(FENCE);
      language = '';
    } else if (TABLE.test(line)) {
      const last = end();
      put('');
      const rows = parseTableRows(lines.slice(at + 1, last), at + 2, parseTableAttributes(attributes, line));
      const numbers = rows.map(({ row }) => row);
      tableLines(rows.map(({ cells }) => cells.map((cell) => inline(resolve(cell))))).forEach((row, index) =>
        out.add(row, numbers[Math.max(0, index - 1)]!),
      );
      at = last;
      put('');
    } else {
      const listing = /^\[source(?:%[\w-]+)?,\s*([\w+-]+)/.exec(line);
      if (listing) language = listing[1]!;
      if (!line.startsWith('.')) attributes = /^\[.*\]\s*$/.test(line) ? line : '';
      put(lineOf(resolve(line), lines[at - 1] ?? ''));
    }
  }
  return { text: out.text, marks: out.marks };
}

/** What a document calls by a name, `:url: https://x.example`, and characters that have names. */
const ATTRIBUTE = /^:([\w-]{1,60}):\s+(\S.{0,500})$/;
const REFERENCE = /(?<!\\)\{([\w-]{1,60})\}/g;
const CHARACTERS = {
  nbsp: ' ',
  sp: ' ',
  empty: '',
  vbar: '|',
  pp: '++',
  cpp: 'C++',
  plus: '+',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  quot: '"',
};
/** Characters that references are replaced by in a document, at most. */
const MOST_RESOLVED = 1_000_000;

/** Returns what replaces references in a line by what stands for them so far; an attribute line adds a name. Unknown ones stay. */
function attributeResolver(): (line: string) => string {
  const values = new Map<string, string>(Object.entries(CHARACTERS));
  let left = MOST_RESOLVED;
  const resolve = (line: string): string =>
    line.replace(REFERENCE, (whole, name: string) => {
      const value = values.get(name.toLowerCase());
      if (value === undefined || value.length > left) return whole;
      left -= value.length;
      return value;
    });
  return (line) => {
    const [, name, value] = ATTRIBUTE.exec(line) ?? [];
    if (name !== undefined) values.set(name.toLowerCase(), resolve(value!).slice(0, MOST_OF_VALUE));
    return resolve(line);
  };
}

/** The lines below titles, by level. */
const UNDERLINES = ['=', '-', '~', '^', '+'];

/** The level of the title that a line is with the line below it, which is as long but for one sign: `NAME` over `----`; 0 if it is none. */
function underlinedLevel(lines: readonly string[], at: number): number {
  const [title, below] = [lines[at]!.trimEnd(), lines[at + 1]?.trimEnd() ?? ''];
  const isTitle = /^\w/.test(title) && (lines[at - 1] ?? '').trim() === '' && Math.abs(title.length - below.length) <= 1;
  return isTitle && /^([=\-~^+])\1+$/.test(below) ? UNDERLINES.indexOf(below[0]!) + 1 : 0;
}

const MOST_OF_VALUE = 1000;

/** The index of the line that closes a block which the line at `at` opens; of one that is never closed, behind the last. */
function endOf(lines: readonly string[], at: number, closing: string): number {
  let end = at + 1;
  while (end < lines.length && lines[end]!.trimEnd() !== closing) end += 1;
  return end;
}

const FENCE = '````';

function lineOf(line: string, before: string): string {
  const heading = /^(={1,6})\s+(\S.*)$/.exec(line);
  if (heading) return `${'#'.repeat(heading[1]!.length)} ${inline(heading[2]!)}`;
  const note = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$/.exec(line);
  if (note) return admonition(note[1]!, inline(note[2]!));
  const block = /^\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$/.exec(line);
  if (block) return admonition(block[1]!, '');
  const title = /^\.([^\s.].*)$/.exec(line);
  if (title) return `**${inline(title[1]!)}**`;
  if (AROUND.test(line) || /^:!?[\w-]+!?:(?:\s|$)/.test(line) || /^\[.*\]\s*$/.test(line) || /^\/\/(?!\/)/.test(line)) return '';
  if (/^(?:include|toc|ifdef|ifndef|ifeval|endif)::/.test(line)) return '';
  const item = /^(\s*)(\*{1,5}|\.{1,5}|-)\s+(.*)$/.exec(line);
  if (item) return `${'  '.repeat(item[2] === '-' ? 0 : item[2]!.length - 1)}${item[2]!.startsWith('.') ? '1.' : '-'} ${inline(item[3]!)}`;
  const term = /^(\S.*?)::(?:\s+(.*))?$/.exec(line);
  if (term) return `**${inline(term[1]!)}**${term[2] === undefined ? '' : ` ${inline(term[2])}`}`;
  return inline(before === '' ? line.replace(/^ {4,}(?=\S)/, '   ') : line);
}

/** The marks within a line: links, references, anchors, attributes. */
const inline = (line: string): string =>
  line
    .replace(/(?:link:|(?=https?:))([^\s[\]]{1,1000})\[([^[\]]{0,300})\]/g, (_, target: string, text: string) =>
      text === '' ? target : `[${text.replace(/\^$/, '')}](${target})`,
    )
    .replace(/<<([^<>]{1,300})>>/g, (_, reference: string) => reference.slice(reference.indexOf(',') + 1).trim())
    .replace(/(?:xref|image|kbd|btn|menu)::?([^\s[\]]{0,300})\[([^[\]]{0,300})\]/g, (_, target: string, text: string) => text || target)
    .replace(/\[\[[\w-]{1,100}\]\]/g, '')
    .replace(/ \+$/, '');
