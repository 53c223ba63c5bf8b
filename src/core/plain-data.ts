import { KbError } from './errors.ts';

/** Characters of a name that are shown and compared. */
const LONGEST_NAME = 60;

/** Shortens the name of a field for error messages. */
export const shortName = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

/** Writes a path as in `files[1].path`. Long names, which a caller may choose, are shortened. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((name, i) => (typeof name === 'number' ? `[${name}]` : `${i > 0 ? '.' : ''}${shortName(String(name))}`)).join('');

const MOST_KEYS = 10_000;

/** How deep lists and objects may lie in each other: far beyond what anything here means. */
const DEEPEST = 64;

/** Number of names that are shown of a path that is too deep. */
const NAMES_TOLD = 2;

/**
 * Finds what schemas miss: a key that they drop silently, a value nested too deep, too many keys. The length of lists is checked by the
 * schema.
 */
export function oddityIn(value: unknown, path: readonly PropertyKey[], whole: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length > DEEPEST)
    return `${formatPath(path.slice(0, NAMES_TOLD))}: at most ${DEEPEST} levels of lists and objects are expected.`;
  if (!Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return undefined; // bytes and streams that a program hands over
    if (Object.hasOwn(value, '__proto__')) return `${formatPath([...path, '__proto__'])}: no key may have this name.`;
    const { length } = Object.keys(value);
    if (length > MOST_KEYS) return `${formatPath(path) || whole}: at most ${MOST_KEYS} keys are expected, not ${length}.`;
  }
  for (const name of Array.isArray(value) ? placesOf(value) : Object.keys(value)) {
    const entry = (value as Record<PropertyKey, unknown>)[name];
    const oddity = typeof entry === 'object' ? oddityIn(entry, [...path, name], whole) : undefined;
    if (oddity !== undefined) return oddity;
  }
  return undefined;
}

/** Finds the lists and objects in a list; a vector, by far the longest list, has none. */
function placesOf(list: readonly unknown[]): number[] {
  const places: number[] = [];
  for (let at = 0; at < list.length; at++) if (typeof list[at] === 'object') places.push(at);
  return places;
}

/** Throws a KbError (`usage`) for a value with a key `__proto__` anywhere, which schemas drop without a word, and for one that is nested too deep or has too many keys. */
export function assertPlainData(value: unknown, path: readonly PropertyKey[] = []): void {
  const oddity = oddityIn(value, path, 'the request');
  if (oddity !== undefined) throw new KbError('usage', oddity);
}
