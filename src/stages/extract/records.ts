/** A text longer than this, or of several lines, stands under a heading of its own. */
const LONG_TEXT = 300;
/** Deeper structure is written as JSON: nobody reads further in. */
const MAX_DEPTH = 8;

const TITLES = ['title', 'name', 'subject', 'headline', 'heading', 'label'];
const IDS = ['id', '_id', 'uuid', 'guid', 'key', 'slug', 'number'];

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a dotted path (`data.items`, `pages.0.rows`); undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Fields)[key] : undefined),
      value,
    );
}

/** The records of an answer: the list at `items_path`, a single one there as a list of one, else the answer itself where it is a list. Undefined where there is no list. */
export function recordsIn(value: unknown, items_path: string | undefined): unknown[] | undefined {
  const found = items_path ? valueAt(value, items_path) : value;
  if (Array.isArray(found)) return found;
  return items_path && isFields(found) ? [found] : undefined;
}

/** How many records an answer holds, as far as that can be told: an object whose lists are all empty holds none. */
export function countIn(value: unknown, items_path: string | undefined): number | undefined {
  const records = recordsIn(value, items_path);
  if (records) return records.length;
  if (items_path) return 0;
  const lists = isFields(value) ? Object.values(value).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0) ? 0 : undefined;
}

const firstOf = (record: unknown, names: readonly string[]): { name: string; text: string } | undefined => {
  if (!isFields(record)) return undefined;
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (text !== '' && text.length <= LONG_TEXT && !text.includes('\n')) return { name, text };
  }
  return undefined;
};

/** What a record calls itself. */
export const titleIn = (record: unknown): string | undefined => firstOf(record, TITLES)?.text;

/** What tells a record from the others. */
export const idIn = (record: unknown): string | undefined => firstOf(record, IDS)?.text;

/** An answer as Markdown: an object as its fields, a list as one section for each record. */
export function asMarkdown(value: unknown): string {
  if (Array.isArray(value) && value.some(isFields)) return value.map((record, i) => section(record, i)).join('\n\n');
  if (Array.isArray(value)) return value.map((item) => `- ${inline(item)}`).join('\n');
  return recordMarkdown(value, 1);
}

const section = (record: unknown, index: number): string =>
  titleIn(record) === undefined ? `## Record ${idIn(record) ?? index + 1}\n\n${recordMarkdown(record, 2)}` : recordMarkdown(record, 2);

/** One record: its title as a heading of the level, its short fields as a list, each long text under a heading one level deeper. */
export function recordMarkdown(record: unknown, level: number): string {
  if (!isFields(record)) return inline(record);
  const title = firstOf(record, TITLES);
  const fields = Object.entries(record).filter(([name, value]) => name !== title?.name && !isEmpty(value));
  const long = fields.filter(([, value]) => isLong(value)) as [string, string][];
  const short = fields.filter(([, value]) => !isLong(value)).flatMap(([name, value]) => fieldLines(name, value, 0));
  return [
    ...(title ? [`${'#'.repeat(level)} ${title.text}`] : []),
    ...(short.length > 0 ? [short.join('\n')] : []),
    ...long.map(([name, text]) => `${'#'.repeat(level + 1)} ${name}\n\n${text.trim()}`),
  ].join('\n\n');
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > LONG_TEXT || value.trim().includes('\n'));

/** A field as lines of a list; what lies inside it is indented under it. */
function fieldLines(name: string, value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return [`${indent}- ${name}: ${inline(value, `\n${indent}  `)}`];
  if (Array.isArray(value) && !value.some((inner) => typeof inner === 'object' || isLong(inner)))
    return [`${indent}- ${name}: ${value.map((inner) => inline(inner)).join(', ')}`];
  return [`${indent}- ${name}:`, ...inside(value, depth + 1)];
}

function inside(value: object, depth: number): string[] {
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, inner]) => (isEmpty(inner) ? [] : fieldLines(name, inner, depth)));
  return value.flatMap((inner, i) => (isFlat(inner) ? [`${'  '.repeat(depth)}- ${flat(inner)}`] : fieldLines(String(i + 1), inner, depth)));
}

/** A record whose fields are all short fits on a line. */
const isFlat = (value: unknown): boolean =>
  isFields(value)
    ? Object.values(value).every((inner) => typeof inner !== 'object' || inner === null) && !Object.values(value).some(isLong)
    : !isLong(value) && !Array.isArray(value);

const flat = (value: unknown): string =>
  isFields(value)
    ? Object.entries(value)
        .filter(([, inner]) => !isEmpty(inner))
        .map(([name, inner]) => `${name}: ${inline(inner)}`)
        .join('; ')
    : inline(value);

const inline = (value: unknown, newline = ' '): string =>
  (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')).trim().replace(/\s*\n\s*/g, newline);
