import { visible } from '../../text/visible.ts';

/** A title is read up to here: what follows costs tokens of every chunk. */
const LONGEST_TITLE = 200;

/** What leads to a passage. */
interface Leading {
  /** Words of its document's path or address. */
  place?: string;
  title: string;
  headings: readonly string[];
}

/** Words of the place, `title` and the path of headings as one line, each name once: `manuals helios > Manual > Maintenance > Replacing the filter`. */
export function embedPath({ place = '', title, headings }: Leading): string {
  const names: string[] = [];
  for (const name of [title.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE).toWellFormed(), ...headings]) {
    if (name !== '' && !(names.length < 2 && isNamed(names, name))) names.push(name);
  }
  return (place === '' || isNamed(names, place) ? names : [place, ...names]).join(' > ');
}

/** Whether the names hold the words of `name` already: a first heading that is the title, or a part of it. */
function isNamed(names: readonly string[], name: string): boolean {
  return names.some((other) => ` ${other.toLowerCase()} `.includes(` ${name.toLowerCase()} `));
}

/** The text as an embedder reads it: the path, then the passage without what a person does not see, and without the marks that cost tokens and mean nothing. */
export function embedText(path: string, passage: string): string {
  const plain = withoutMarks(visible(passage));
  if (path === '' || plain === '') return path || plain || passage;
  return `${path}\n\n${plain}`;
}

/** Prose that holds none of it, which is most, is left as it is at the cost of one look. */
const MARKS = /[|`#[>~\t]|\*\*|\n\n\n| {2}|(?:^|\n)[ \t]*[-*+][ \t]|([-=_*+.])\1{3}/;
const SEPARATOR_ROW = /^[ \t]*[|:+-][|:+ \t-]*$\n?/gm;
const FENCE_LINE = /^[ \t]*(?:`{3,}|~{3,})[^`\n]*$\n?/gm;
const LINE_MARKS = /^[ \t]*(?:>[> \t]*)?(?:#{1,6}[ \t]+|[-*+][ \t]+)?/gm;
const LINK = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+"[^"\n]{0,500}")?\)/g;
const ROW = /^[ \t]*\|(.*)$/gm;
/** Rules, dot leaders, drawn boxes. */
const RUN = /([-=_*#~|+.])\1{3,}/g;

/** Markdown without separator rows, fences, the marks at the beginning of lines, link addresses, emphasis, rules and wide spaces. */
export function withoutMarks(markdown: string): string {
  if (!MARKS.test(markdown)) return markdown.trim();
  let text = markdown;
  if (text.includes('|')) text = text.replace(SEPARATOR_ROW, '').replace(ROW, rowCells);
  if (text.includes('```') || text.includes('~~~')) text = text.replace(FENCE_LINE, '');
  if (text.includes('](')) text = text.replace(LINK, '$1');
  return text
    .replace(LINE_MARKS, '')
    .replace(/\*\*|`/g, '')
    .replace(RUN, ' ')
    .replace(/[ \t]{2,}|\t/g, ' ')
    .replace(/\n\s*\n/g, '\n\n')
    .trim();
}

/** Cells of a table row as a list; empty ones are left out. */
function rowCells(_row: string, cells: string): string {
  const parts = cells.includes('\\|') ? cells.split(/(?<!\\)\|/) : cells.split('|');
  const told = parts.map((cell) => cell.trim().replaceAll('\\|', '|')).filter((cell) => cell !== '');
  return told.join(', ');
}
