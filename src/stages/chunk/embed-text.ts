import { visible } from '../../text/clean-text.ts';

/** Maximum length of a title, which is repeated in every chunk. */
const LONGEST_TITLE = 200;

interface Leading {
  /** Words from the path or address of the document. */
  place?: string;
  title: string;
  headings: readonly string[];
}

/** Place, title and headings in one line, each name once: `manuals helios > Manual > Maintenance > Replacing the filter`. */
export function embedPath({ place = '', title, headings }: Leading): string {
  const names: string[] = [];
  for (const name of [title.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE).toWellFormed(), ...headings]) {
    if (name !== '' && !(names.length < 2 && isNamed(names, name))) names.push(name);
  }
  return (place === '' || isNamed(names, place) ? names : [place, ...names]).join(' > ');
}

/** Whether one of the names contains `name`, such as a first heading that repeats the title. */
function isNamed(names: readonly string[], name: string): boolean {
  return names.some((other) => ` ${other.toLowerCase()} `.includes(` ${name.toLowerCase()} `));
}

/** The text to embed: the path, then the passage without invisible characters and markup, which costs tokens. */
export function embedText(path: string, passage: string): string {
  const plain = withoutMarks(visible(passage));
  if (path === '' || plain === '') return path || plain || passage;
  return `${path}\n\n${plain}`;
}

/** Any markup; most prose has none and is returned unchanged. */
const MARKS = /[|`#[>~\t]|\*\*|\n\n\n| {2}|(?:^|\n)[ \t]*[-*+][ \t]|([-=_*+.])\1{3}/;
const SEPARATOR_ROW = /^[ \t]*[|:+-][|:+ \t-]*$\n?/gm;
const FENCE_LINE = /^[ \t]*(?:`{3,}|~{3,})[^`\n]*$\n?/gm;
const LINE_MARKS = /^[ \t]*(?:>[> \t]*)?(?:#{1,6}[ \t]+|[-*+][ \t]+)?/gm;
const LINK = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+"[^"\n]{0,500}")?\)/g;
const ROW = /^[ \t]*\|(.*)$/gm;
/** Rules, dot leaders, drawn boxes. */
const RUN = /([-=_*#~|+.])\1{3,}/g;

/** Removes separator rows, fences, marks at the beginning of lines, link addresses, emphasis, rules and repeated spaces. */
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

/** The non-empty cells of a table row, separated by commas. */
function rowCells(_row: string, cells: string): string {
  const parts = cells.includes('\\|') ? cells.split(/(?<!\\)\|/) : cells.split('|');
  const told = parts.map((cell) => cell.trim().replaceAll('\\|', '|')).filter((cell) => cell !== '');
  return told.join(', ');
}

/** Number of path segments that describe a document: itself and its folder, which is often named after the product. */
const PARTS = 2;

const LONGEST = 100;

/** Hashes, UUIDs and long numbers. */
const OPAQUE = /^(?=.*\d)[\da-f-]{12,}$/i;
const EXTENSION = /(?<=.)\.[a-z]\w{0,9}$/i;
const JOINT = /[-_.\s+]+|(?<=\p{Ll}{2})(?=\p{Lu}\p{L})/u;

/** The words of the last segments of a path or address, which may be all that names the subject of a page. Empty for other sources. */
export function placeWords(source: string): string {
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(source);
  const path = isAddress ? pathOf(source) : source;
  if (!isAddress && !/[\\/]/.test(path) && !EXTENSION.test(path)) return '';
  const parts = path
    .split(/[\\/]/)
    .filter((part) => part !== '')
    .slice(-PARTS);
  const names = parts.map((part, i) => (i === parts.length - 1 ? part.replace(EXTENSION, '') : part));
  const words = names.filter((name) => !OPAQUE.test(name)).flatMap((name) => name.split(JOINT));
  return words.filter(Boolean).join(' ').slice(0, LONGEST).toWellFormed();
}

function pathOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const { pathname } = new URL(address);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
