import { type FilterNode, toFilterTree, rangeType, MAX_INDEXED_LENGTH } from '../../../core/filters.ts';
import { NUMBER_MARK, TEXT_MARK, ENTRY_MARK, sortableNumber, textValue, unmarked, LABELS, labelOf } from './field-entries.ts';
import type { Where } from '../../../ports/stores.ts';
import type { Filter, FilterRange } from '../../../schema/stored/filter.ts';

/** Writes a text as SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Makes a condition that holds if the column has one of the texts. */
export const inList = (column: string, values: readonly string[]): string => `${column} IN (${values.map(quoted).join(', ')})`;

/** Bounds of a range: `lower` and `upper` may be missing; each is within the range or just outside. */
interface Bounds<Value> {
  lower?: { value: Value; included: boolean } | undefined;
  upper?: { value: Value; included: boolean } | undefined;
}

/** A regular expression that matches nothing. */
const NOTHING = '[^\\x{0}-\\x{10FFFF}]';

/** Escapes a text for a regular expression. */
export const literal = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&');

const digit = (text: string): number => Number.parseInt(text[0]!, 16);
const any = (length: number): string => (length > 0 ? `[0-9a-f]{${length}}` : '');

/** Makes a regular expression for the hexadecimal numbers of this length from `from` to `to`, both included. */
function hexBetween(from: string, to: string): string {
  if (from > to) return NOTHING;
  const length = from.length;
  if (/^0*$/.test(from) && /^f*$/.test(to)) return any(length);
  if (from[0] === to[0]) return from[0] + hexBetween(from.slice(1), to.slice(1));
  const middle = '0123456789abcdef'.slice(digit(from) + 1, digit(to));
  const parts = [
    from[0] + hexBetween(from.slice(1), 'f'.repeat(length - 1)),
    ...(middle ? [`[${middle}]${any(length - 1)}`] : []),
    to[0] + hexBetween('0'.repeat(length - 1), to.slice(1)),
  ];
  return `(?:${parts.join('|')})`;
}

const shifted = (hex: string, by: bigint): string => (BigInt(`0x${hex}`) + by).toString(16).padStart(16, '0');

/** Makes a regular expression for `sortableNumber` of the numbers within the bounds. */
export function numberRange({ lower, upper }: Bounds<number>): string {
  const from = sortableNumber(lower?.value ?? -Infinity);
  const to = sortableNumber(upper?.value ?? Infinity);
  return hexBetween(lower?.included === false ? shifted(from, 1n) : from, upper?.included === false ? shifted(to, -1n) : to);
}

const REST = '[^\\x{0}-\\x{3}]*';
const code = (value: number): string => `\\x{${value.toString(16).toUpperCase()}}`;

/** Makes a regular expression for one letter between two, neither included; surrogates are no letters. Undefined if there is none. */
function letterBetween(after: number, before: number): string | undefined {
  const from = after === 0xd7ff ? 0xe000 : after + 1;
  const to = before === 0xe000 ? 0xd7ff : before - 1;
  return from > to ? undefined : `[${code(from)}-${code(to)}]`;
}

const FIRST = 3; // below all letters: the marks stand there
const LAST = 0x110000;

const alternatives = (parts: readonly (string | undefined)[]): string => {
  const possible = parts.filter((part) => part !== undefined);
  return possible.length > 0 ? `(?:${possible.join('|')})` : NOTHING;
};

/** Makes a regular expression for texts within the bounds, by the code points of their letters. */
export function textRange({ lower, upper }: Bounds<string>): string {
  const letters = (bound: Bounds<string>['lower']) =>
    bound && Array.from(unmarked(bound.value).toWellFormed().slice(0, 200), (letter) => letter.codePointAt(0)!);
  return textsBetween(letters(lower), letters(upper), { lower: lower?.included ?? true, upper: upper?.included ?? true });
}

/** Makes a regular expression for texts between two; a missing one is no bound. */
function textsBetween(
  from: readonly number[] | undefined,
  to: readonly number[] | undefined,
  included: { lower: boolean; upper: boolean },
): string {
  const isFromStart = from === undefined || (from.length === 0 && included.lower);
  if (to?.length === 0) return isFromStart && included.upper ? '' : NOTHING;
  const [first = FIRST, ...afterFirst] = from ?? [];
  const [last = LAST, ...afterLast] = to ?? [];
  if (first > last) return NOTHING;
  if (first === last) return code(first) + textsBetween(afterFirst, afterLast, included);
  const inside = letterBetween(first, last);
  return alternatives([
    first === FIRST ? (isFromStart ? '' : undefined) : code(first) + textsBetween(afterFirst, undefined, included),
    inside && inside + REST,
    last === LAST ? undefined : code(last) + textsBetween(undefined, afterLast, included),
  ]);
}

function boundsOf<Value extends string | number>(range: FilterRange, kind: 'string' | 'number'): Bounds<Value> {
  const bound = (value: string | number | undefined, included: boolean) =>
    typeof value === kind ? { value: value as Value, included } : undefined;
  return { lower: bound(range.gt, false) ?? bound(range.gte, true), upper: bound(range.lt, false) ?? bound(range.lte, true) };
}

const matches = (key: string, mark: string, pattern: string): string =>
  `regexp_like(fields, ${quoted(`${ENTRY_MARK}${literal(unmarked(key))}${mark}(?:${pattern})${ENTRY_MARK}`)})`;

/** Makes the SQL condition of a range; all its bounds must hold for one value of the chunk. */
function rangeOf(key: string, range: FilterRange): string {
  if (rangeType(key, range) === 'number') return matches(key, NUMBER_MARK, numberRange(boundsOf(range, 'number')));
  return matches(key, TEXT_MARK, textRange(boundsOf(range, 'string')));
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

type FieldNode = Extract<FilterNode, { field: string }>;

/** Makes the condition on `source`, which has a column and an index of its own. */
function sourceCondition(node: FieldNode): string {
  if (node.kind === 'in') return inList('source', node.values.map(String));
  if (node.kind === 'prefix') return `starts_with(source, ${quoted(node.prefix)})`;
  if (node.kind === 'exists') return 'true';
  const bounds = Object.entries(node.range);
  return bounds.map(([sign, value]) => `source ${SIGNS[sign as keyof typeof SIGNS]} ${quoted(String(value))}`).join(' AND ');
}

function metadataCondition(node: FieldNode): string {
  if (node.kind === 'range') return rangeOf(node.field, node.range);
  const start = `${ENTRY_MARK}${unmarked(node.field)}${TEXT_MARK}`;
  const holds = (text: string) => `contains(fields, ${quoted(start + text)})`;
  if (node.kind === 'exists') return holds('');
  if (node.kind === 'prefix') return holds([...unmarked(node.prefix)].slice(0, MAX_INDEXED_LENGTH).join(''));
  const [only, ...others] = node.values.map(textValue);
  return others.length === 0 ? holds(only! + ENTRY_MARK) : matches(node.field, TEXT_MARK, [only!, ...others].map(literal).join('|'));
}

/** Lists the labels of which a row has one if the condition holds; undefined if labels cannot decide it. */
function labelsFor(node: FilterNode): string[] | undefined {
  if (node.kind !== 'in' || node.field === 'source') return undefined;
  const labels = node.values.map((value) => labelOf(node.field, value));
  return labels.includes(undefined) ? undefined : (labels as string[]);
}

/** Whether indexes alone decide which rows match. */
function isIndexed(node: FilterNode): boolean {
  if (node.kind === 'not') return isIndexed(node.part);
  if ('field' in node) return (node.kind === 'in' && node.field === 'source') || labelsFor(node) !== undefined;
  return node.parts.every(isIndexed);
}

/** Writes a condition; with `labels`, by their index where it helps: LanceDB uses indexes for conditions that must all hold, and reads all rows for alternatives. */
function sqlOf(node: FilterNode, labels: boolean): string {
  const ofLabels = labels && node.kind !== 'and' && !isIndexed(node) ? false : labels;
  if (node.kind === 'not') return `NOT (${sqlOf(node.part, ofLabels)})`;
  if ('parts' in node) return node.parts.map((part) => `(${sqlOf(part, ofLabels)})`).join(node.kind === 'and' ? ' AND ' : ' OR ');
  const wanted = ofLabels ? labelsFor(node) : undefined;
  if (wanted) return `array_has_any(${LABELS}, [${wanted.map(quoted).join(', ')}])`;
  return node.field === 'source' ? sourceCondition(node) : metadataCondition(node);
}

/**
 * Converts a filter to SQL over the columns of a collection; undefined if it matches everything. Without `labels` it asks only the texts of fields, which
 * means the same. Throws a KbError (`usage`) for a range with bounds of different kinds.
 */
export const filterSql = (filter: Filter | undefined, labels = true): string | undefined =>
  filter && Object.keys(filter).length > 0 ? sqlOf(toFilterTree(filter), labels) : undefined;

/** Converts a selection of chunks to SQL; undefined if it selects all or none. */
export function whereSql(where: Where): string | undefined {
  if ('source' in where) return inList('source', [where.source]);
  if ('filter' in where) return filterSql(where.filter);
  return where.ids.length > 0 ? inList('id', where.ids) : undefined;
}
