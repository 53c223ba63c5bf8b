/** Number of path segments that describe a document: itself and its folder, which is often named after the product. */
const PARTS = 2;

const LONGEST = 100;

/** Hashes, UUIDs and long numbers. */
const OPAQUE = /^(?=.*\d)[\da-f-]{12,}$/i;
const EXTENSION = /(?<=.)\.[a-z]\w{0,9}$/i;
const JOINT = /[-_.\s+]+|(?<=\p{Ll}{2})(?=\p{Lu}\p{L})/u;

/**
 * The words of the last segments of a path or address: `postgresql sql create Index` of `docs/postgresql/sql-createIndex.html`. Often only they name
 * the subject of a page. Empty for other sources.
 */
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

/** The decoded path of a URL. */
function pathOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const { pathname } = new URL(address);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
