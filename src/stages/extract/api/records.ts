import { fenceMark, readBlocks } from '@citekb/documents/markdown';
import { readDate } from '@citekb/documents/dates';
import { redactUrl } from '../../../core/secrets.ts';

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** Whether a JSON value is an object: neither null nor a list. */
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Splits a dotted path into existing keys of a value; undefined if it leads nowhere. The longest key wins, since keys may contain dots (`@odata.nextLink`). */
function keysAt(value: unknown, path: string): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const key = path.slice(0, end);
    if (!Object.hasOwn(value, key)) continue;
    const further = end === path.length ? [] : keysAt((value as Fields)[key], path.slice(end + 1));
    if (further) return [key, ...further];
  }
  return undefined;
}

/** The value at a dotted path (`data.items`, `pages.0.rows`); undefined where the path leads nowhere. */
export const valueAt = (value: unknown, path: string): unknown =>
  keysAt(value, path)?.reduce<unknown>((at, key) => (at as Fields)[key], value);

const withoutPath = (record: Fields, path: string): Fields => withoutField(record, keysAt(record, path) ?? []);

function withoutField(record: Fields, [first, ...rest]: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (name !== first) return [[name, value]];
      return rest.length > 0 && isFields(value) ? [[name, withoutField(value, rest)]] : [];
    }),
  );
}

/** Maximum length of a text in the list of fields; longer texts, and texts of several lines, get a heading of their own. */
const MAX_SHORT_LENGTH = 300;
/** Minimum characters of base64 data, which is omitted; shorter texts may be keys or order numbers. */
const MIN_BINARY_LENGTH = 256;
/** Maximum depth of nested lists; deeper structure is written as JSON. */
const MAX_DEPTH = 8;

const TITLES = ['title', 'name', 'subject', 'headline', 'heading', 'label', 'display_name', 'displayname', 'question', 'caption'];
const IDS = ['id', '_id', '@id', 'uuid', 'guid', 'key', 'slug', 'number', 'sku', 'url', 'link'];
const CREATED = ['created', 'created_at', 'createdat', 'published_at', 'publishedat', 'published', 'pubdate', 'date'];
const MODIFIED = ['modified', 'modified_at', 'updated', 'updated_at', 'updatedat', 'last_modified', 'lastmodified'];

/** Finds the records of a response: the list or the single object at `items_path`, or the response itself if it is a list. */
export function recordsIn(value: unknown, items_path: string | undefined): unknown[] | undefined {
  const found = items_path ? valueAt(value, items_path) : value;
  if (Array.isArray(found)) return found;
  return items_path && isFields(found) ? [found] : undefined;
}

/** Counts the records of a response; 0 for an object whose lists are all empty, undefined if unknown. */
export function recordCount(value: unknown, items_path: string | undefined): number | undefined {
  const records = recordsIn(value, items_path);
  if (records) return records.length;
  if (items_path) return 0;
  const lists = isFields(value) ? Object.values(value).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0) ? 0 : undefined;
}

/** How deep a list of records may lie in a response: `response.result.items`. */
const MAX_LIST_DEPTH = 3;

/** A list of records in a response, with its dotted path; empty for the response itself. */
interface RecordList {
  path: string;
  records: number;
  /** Fields of its first record. */
  fields: number;
}

/** Minimum fields of a record; links and counts have fewer. */
const MIN_FIELDS = 3;

/** Lists the dotted paths of lists of records in a response, besides the one at `items_path` and those in it. */
export const listOtherRecords = (value: unknown, items_path: string): RecordList[] =>
  listsIn(value, []).filter(({ path, fields }) => path !== items_path && !path.startsWith(`${items_path}.`) && fields >= MIN_FIELDS);

/** Finds the list of records that makes up most of a response: two objects or more, each with an id or a title. */
export function mainList(value: unknown): RecordList | undefined {
  const whole = JSON.stringify(value)?.length ?? 0;
  return listsIn(value, []).find(({ length }) => length > whole / 2);
}

function listsIn(value: unknown, keys: readonly string[]): (RecordList & { length: number })[] {
  if (Array.isArray(value))
    return value.length > 1 && value.every((record) => idIn(record) !== undefined || titleIn(record) !== undefined)
      ? [
          {
            path: keys.join('.'),
            records: value.length,
            fields: Object.keys(value[0] as object).length,
            length: JSON.stringify(value).length,
          },
        ]
      : [];
  if (!isFields(value) || keys.length === MAX_LIST_DEPTH) return [];
  return Object.entries(value).flatMap(([key, inner]) => listsIn(inner, [...keys, key]));
}

/** A field with a short text on one line. */
interface NamedText {
  name: string;
  text: string;
}

/** Objects that hold the fields of a record, in JSON:API, GeoJSON and Airtable. */
const HOLDERS = ['attributes', 'properties', 'fields'];

/** Finds the first field of a record, or of the object that holds its fields; the name is a dotted path. */
function firstField(record: unknown, names: readonly string[]): NamedText | undefined {
  if (!isFields(record)) return undefined;
  const held = HOLDERS.map((holder) => {
    const field = ownField(record[holder], names);
    return field && { ...field, name: `${holder}.${field.name}` };
  });
  return ownField(record, names) ?? held.find((field) => field !== undefined);
}

const ownField = (record: unknown, names: readonly string[]): NamedText | undefined => {
  if (!isFields(record)) return undefined;
  const own = new Map(Object.keys(record).map((key) => [key.toLowerCase(), key]));
  for (const known of names) {
    const name = Object.hasOwn(record, known) ? known : own.get(known);
    const text = name === undefined ? undefined : shortText(record[name]);
    if (name !== undefined && text !== undefined) return { name, text };
  }
  return undefined;
};

/** The short text of a field, on one line; also that of an XML element with attributes (`<title type="html">`). Undefined for anything else. */
function shortText(value: unknown): string | undefined {
  const content = isElement(value) ? value.text : value;
  const text = typeof content === 'string' || typeof content === 'number' ? String(content).trim() : '';
  return text !== '' && text.length <= MAX_SHORT_LENGTH && !text.includes('\n') ? text : undefined;
}

const isElement = (value: unknown): value is { text: string } =>
  isFields(value) && typeof value.text === 'string' && Object.values(value).every((inner) => typeof inner !== 'object');

/** Finds the title at `title_field` if it exists, else in the first of the usual fields. */
function titleOf(record: unknown, title_field: string | undefined): NamedText | undefined {
  const named = title_field === undefined ? undefined : shortText(valueAt(record, title_field));
  return named === undefined ? firstField(record, TITLES) : { name: title_field!, text: named };
}

/** Finds the title of a record. `title_field` is a dotted path. */
export const titleIn = (record: unknown, title_field?: string): string | undefined => titleOf(record, title_field)?.text;

/** Finds the id of a record. An address loses its credentials, and a signed one its query, which differs at each request. */
export function idIn(record: unknown): string | undefined {
  const id = ownField(record, IDS)?.text;
  if (id === undefined || !/^https?:\/\//i.test(id)) return id;
  return SIGNED_ADDRESS.test(id) ? redactUrl(id.replace(/[?#].*/s, '')) : redactUrl(id);
}

/** A signed address that expires (Amazon, Google, Azure). */
const SIGNED_ADDRESS = /[?&]([\w-]*signature|sig)=/i;

/** Finds when a record was created and modified, from fields with a readable date. */
export function datesIn(record: unknown): { created?: string; modified?: string } {
  const date = (names: readonly string[]): string | undefined => {
    const text = firstField(record, names)?.text;
    return text !== undefined && /\D/.test(text) ? readDate(text) : undefined;
  };
  const [created, modified] = [date(CREATED), date(MODIFIED)];
  return { ...(created ? { created } : {}), ...(modified ? { modified } : {}) };
}

/** Writes a response as Markdown: an object as its fields, a list as one section for each record. */
export function asMarkdown(value: unknown, title_field?: string): string {
  if (Array.isArray(value) && value.some(isFields)) return value.map((record, i) => recordSection(record, i, title_field)).join('\n\n');
  if (Array.isArray(value)) return value.map((item) => `- ${inlineText(item)}`).join('\n');
  return recordMarkdown(value, 1, title_field);
}

const recordSection = (record: unknown, index: number, title_field: string | undefined): string =>
  titleIn(record, title_field) === undefined
    ? `## Record ${idIn(record) ?? index + 1}\n\n${recordMarkdown(record, 2)}`
    : recordMarkdown(record, 2, title_field);

/** Writes a record as Markdown: its title as a heading of the level, short fields as a list, each long text under a heading one level deeper. */
export function recordMarkdown(record: unknown, level: number, title_field?: string): string {
  if (!isFields(record)) return inlineText(record);
  const title = titleOf(record, title_field);
  const { short: fields, long } = separateLongTexts(title ? withoutPath(record, title.name) : record);
  const short = Object.entries(fields).flatMap(([name, value]) => (isEmpty(value) ? [] : fieldLines(name, value, 0)));
  return [
    ...(title ? [`${'#'.repeat(level)} ${title.text}`] : []),
    ...(short.length > 0 ? [short.join('\n')] : []),
    ...long.map(([name, text]) => `${'#'.repeat(level + 1)} ${fieldLabel(name)}\n\n${fitUnderHeading(level + 1, text.trim())}`),
  ].join('\n\n');
}

/** Separates the long texts of a record, also nested ones (`content.rendered`), from its other fields. */
function separateLongTexts(record: Fields, depth = 0): { short: Fields; long: [string, string][] } {
  const long: [string, string][] = [];
  const short = Object.entries(record).flatMap(([name, value]) => {
    if (isEmpty(value)) return [];
    if (isLong(value)) {
      long.push([name, value as string]);
      return [];
    }
    if (!isFields(value) || depth >= MAX_DEPTH) return [[name, value]];
    const inner = separateLongTexts(value, depth + 1);
    for (const [path, text] of inner.long) long.push([`${name}.${path}`, text]);
    return inner.long.length > 0 && isEmpty(inner.short) ? [] : [[name, inner.short]];
  });
  return { short: Object.fromEntries(short) as Fields, long };
}

const fieldLabel = (name: string): string => name.replace(/\s+/g, ' ').trim();

/** Fits a text under a heading of this level: lowers its headings, and closes an open fence. */
function fitUnderHeading(level: number, text: string): string {
  const blocks = readBlocks(text);
  const headings = blocks.filter(({ kind, start }) => kind === 'heading' && text[start] === '#');
  const by = Math.max(0, level + 1 - headings.reduce((least, heading) => Math.min(least, heading.level), Infinity));
  const starts = [0, ...headings.map(({ start }) => start)];
  const signs = ['', ...headings.map(({ level: depth }) => '#'.repeat(Math.max(0, Math.min(6 - depth, by))))];
  const lowered = starts.map((start, i) => signs[i] + text.slice(start, starts[i + 1])).join('');
  const last = blocks.at(-1);
  if (last?.kind !== 'fence') return lowered;
  const [fence, end] = [fenceMark(text, last.start), text.slice(last.body, last.end).split('\n').at(-1)!.trim()];
  return end.startsWith(fence) && fenceMark(end, 0) === end ? lowered : `${lowered}\n${fence}`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isEmpty)
    : value === null || value === undefined || (typeof value === 'string' && (value.trim() === '' || isBinary(value)));

/** Whether a text is base64 data (RFC 2397, RFC 4648): long without spaces, unlike words, and with letters of both cases, unlike a hash. */
const isBinary = (text: string): boolean =>
  /^\s*data:[^,\s]{0,200};base64,/i.test(text) ||
  (text.length >= MIN_BINARY_LENGTH &&
    /^[\w+/\s-]+(?:={1,2}\s*)?$/.test(text) &&
    /^\s*\S{60}/.test(text) &&
    [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(text)));

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > MAX_SHORT_LENGTH || value.trim().includes('\n'));

function fieldLines(name: string, value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH)
    return [`${indent}- ${fieldLabel(name)}: ${inlineText(value, `\n${indent}  `)}`];
  if (Array.isArray(value) && !value.some((inner) => typeof inner === 'object' || isLong(inner)))
    return [`${indent}- ${fieldLabel(name)}: ${value.flatMap((inner) => (isEmpty(inner) ? [] : inlineText(inner))).join(', ')}`];
  return [`${indent}- ${fieldLabel(name)}:`, ...nestedLines(value, depth + 1)];
}

function nestedLines(value: object, depth: number): string[] {
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, inner]) => (isEmpty(inner) ? [] : fieldLines(name, inner, depth)));
  return value.flatMap((inner, i) => {
    if (isEmpty(inner)) return [];
    return fitsOnLine(inner) ? [`${'  '.repeat(depth)}- ${onOneLine(inner)}`] : fieldLines(String(i + 1), inner, depth);
  });
}

/** Whether a value fits on a line: all its fields are short. */
const fitsOnLine = (value: unknown): boolean =>
  isFields(value)
    ? Object.values(value).every((inner) => typeof inner !== 'object' || inner === null) && !Object.values(value).some(isLong)
    : !isLong(value) && !Array.isArray(value);

const onOneLine = (value: unknown): string =>
  isFields(value)
    ? Object.entries(value)
        .filter(([, inner]) => !isEmpty(inner))
        .map(([name, inner]) => `${fieldLabel(name)}: ${inlineText(inner)}`)
        .join('; ')
    : inlineText(value);

const inlineText = (value: unknown, newline = ' '): string =>
  (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')).trim().replace(/(?<!\s)\s*\n\s*/g, newline);
