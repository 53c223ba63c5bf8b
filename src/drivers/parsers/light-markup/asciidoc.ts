import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { decodeText } from '../encoding.ts';
import { firstHeading } from '../title.ts';
import { admonition } from './markdown-lines.ts';

/** AsciiDoc: headings, code, notes, lists, tables and links as Markdown, line by line, so that the lines stay those of the file. */
export const asciidocParser: ParserRow = {
  file_type: 'asciidoc',
  name: 'an AsciiDoc file',
  extensions: ['.adoc', '.asciidoc'],
  media_types: ['text/asciidoc', 'text/x-asciidoc'],
  is_text: true,
  is_quick: true,
  async parse(bytes): Promise<ParsedDocument> {
    const text = asciidocToMarkdown(await decodeText(bytes));
    return { text, title: firstHeading(text), metadata: {}, marks: [{ at: 0, line: 1 }] };
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

/** The text in Markdown. Each line of it is the line of this number of `source`. */
export function asciidocToMarkdown(source: string): string {
  const out: string[] = [];
  let closing: string | undefined;
  let isHidden = false;
  let language = '';
  let rows: number | undefined;
  const lines = source.split('\n');
  for (const [at, line] of lines.entries()) {
    if (closing) {
      const isEnd = line.trimEnd() === closing;
      out.push(isHidden ? '' : isEnd ? FENCE : line);
      if (isEnd) closing = undefined;
      continue;
    }
    const named = NAMED_CODE.exec(line);
    if (named || CODE.test(line) || COMMENT.test(line)) {
      closing = named?.[1] ?? line.trimEnd();
      isHidden = COMMENT.test(line);
      out.push(isHidden ? '' : `${FENCE}${named?.[2] ?? language}`);
      language = '';
    } else if (TABLE.test(line)) {
      rows = rows === undefined ? 0 : undefined;
      out.push('');
    } else if (rows !== undefined) {
      out.push(tableLine(line, { isFirst: rows === 1, above: out.at(-1) ?? '' }));
      if (line.trim() !== '' || rows > 0) rows += 1;
    } else {
      const listing = /^\[source(?:%[\w-]+)?,\s*([\w+-]+)/.exec(line);
      if (listing) language = listing[1]!;
      out.push(lineOf(line, lines[at - 1] ?? ''));
    }
  }
  if (closing && !isHidden) out.push(FENCE);
  return out.join('\n');
}

const FENCE = '````';

/** A row with its cells in one line; below the first row, whose cells may each have a line, stands the line that makes it a header. */
function tableLine(line: string, { isFirst, above }: { isFirst: boolean; above: string }): string {
  const cells = line.startsWith('|')
    ? line
        .slice(1)
        .split(/(?<!\\)\|/)
        .map((cell) => inline(cell.trim()))
    : undefined;
  if (cells) return `| ${cells.join(' | ')} |`;
  if (isFirst && line.trim() === '' && above.startsWith('|')) return `|${' --- |'.repeat(above.split('|').length - 2)}`;
  return inline(line);
}

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
