import { visible } from '../../text/clean-text.ts';
import { withoutMarks } from '../../text/markdown/plain-text.ts';

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
