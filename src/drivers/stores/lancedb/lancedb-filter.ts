import { type FilterNode, matchesEverything, matchesNothing, toFilterTree, rangeType, MAX_INDEXED_LENGTH } from '../../../core/filters.ts';
import { NUMBER_MARK, TEXT_MARK, ENTRY_MARK, toSortableNumber, toTextValue, removeMarks, LABELS, toLabel } from './field-entries.ts';
import type { Where } from '../../../ports/stores.ts';
import type { Filter, FilterRange } from '../../../schema/stored/filter.ts';

/** Writes a text as an SQL literal. */
export const quoteSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Makes a condition that holds if the column has one of the texts. */
export const inCondition = (column: string, values: readonly string[]): string => `${column} IN (${values.map(quoteSql).join(', ')})`;

/** Bounds of a range: `lower` and `upper` may be missing; each is within the range or just outside. */
interface Bounds<Value> {
  lower?: { value: Value; included: boolean } | undefined;
  upper?: { value: Value; included: boolean } | undefined;
}

/** A regular expression that matches nothing. */
const MATCHES_NOTHING = '[^\\x{0}-\\x{10FFFF}]';

/** Escapes a text for a regular expression. */
export const escapeRegex = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&');

const hexDigit = (text: string): number => Number.parseInt(text[0]!, 16);
const anyHex = (length: number): string => (length > 0 ? `[0-9a-f]{${length}}` : '');

/** Makes a regular expression for the hexadecimal numbers of this length from `from` to `to`, both included. */
function hexRangePattern(from: string, to: string): string {
  if (from > to) return MATCHES_NOTHING;
  const length = from.length;
  if (/^0*$/.test(from) && /^f*$/.test(to)) return anyHex(length);
  if (from[0] === to[0]) return from[0] + hexRangePattern(from.slice(1), to.slice(1));
  const middle = '0123456789abcdef'.slice(hexDigit(from) + 1, hexDigit(to));
  const parts = [
    from[0] + hexRangePattern(from.slice(1), 'f'.repeat(length - 1)),
    ...(middle ? [`[${middle}]${anyHex(length - 1)}`] : []),
    to[0] + hexRangePattern('0'.repeat(length - 1), to.slice(1)),
  ];
  return `(?:${parts.join('|')})`;
}

const addToHex = (hex: string, by: bigint): string => (BigInt(`0x${hex}`) + by).toString(16).padStart(16, '0');

/** Makes a regular expression for the numbers within the bounds, as `toSortableNumber` writes them. */
export function numberRangePattern({ lower, upper }: Bounds<number>): string {
  const from = toSortableNumber(lower?.value ?? -Infinity);
  const to = toSortableNumber(upper?.value ?? Infinity);
  return hexRangePattern(lower?.included === false ? addToHex(from, 1n) : from, upper?.included === false ? addToHex(to, -1n) : to);
}

const REST = '[^\\x{0}-\\x{3}]*';
const codePointPattern = (value: number): string => `\\x{${value.toString(16).toUpperCase()}}`;

/** Makes a regular expression for one letter between two, both excluded; surrogates are not letters. Undefined if there is none. */
function letterRangePattern(after: number, before: number): string | undefined {
  const from = after === 0xd7ff ? 0xe000 : after + 1;
  const to = before === 0xe000 ? 0xd7ff : before - 1;
  return from > to ? undefined : `[${codePointPattern(from)}-${codePointPattern(to)}]`;
}

const BELOW_LETTERS = 3; // the largest code point of the marks
const ABOVE_LETTERS = 0x110000;

const joinAlternatives = (parts: readonly (string | undefined)[]): string => {
  const possible = parts.filter((part) => part !== undefined);
  return possible.length > 0 ? `(?:${possible.join('|')})` : MATCHES_NOTHING;
};

/** Makes a regular expression for texts within the bounds, by the code points of their letters. */
export function textRangePattern({ lower, upper }: Bounds<string>): string {
  const letters = (bound: Bounds<string>['lower']) =>
    bound && Array.from(removeMarks(bound.value).toWellFormed().slice(0, 200), (letter) => letter.codePointAt(0)!);
  return codePointRangePattern(letters(lower), letters(upper), { lower: lower?.included ?? true, upper: upper?.included ?? true });
}

/** Makes a regular expression for texts between two, given as code points; an undefined one is no bound. */
function codePointRangePattern(
  from: readonly number[] | undefined,
  to: readonly number[] | undefined,
  included: { lower: boolean; upper: boolean },
): string {
  const isFromStart = from === undefined || (from.length === 0 && included.lower);
  if (to?.length === 0) return isFromStart && included.upper ? '' : MATCHES_NOTHING;
  const [first = BELOW_LETTERS, ...afterFirst] = from ?? [];
  const [last = ABOVE_LETTERS, ...afterLast] = to ?? [];
  if (first > last) return MATCHES_NOTHING;
  if (first === last) return codePointPattern(first) + codePointRangePattern(afterFirst, afterLast, included);
  const inside = letterRangePattern(first, last);
  return joinAlternatives([
    first === BELOW_LETTERS
      ? isFromStart
        ? ''
        : undefined
      : codePointPattern(first) + codePointRangePattern(afterFirst, undefined, included),
    inside && inside + REST,
    last === ABOVE_LETTERS ? undefined : codePointPattern(last) + codePointRangePattern(undefined, afterLast, included),
  ]);
}

function boundsOf<Value extends string | number>(range: FilterRange, kind: 'string' | 'number'): Bounds<Value> {
  const bound = (value: string | number | undefined, included: boolean) =>
    typeof value === kind ? { value: value as Value, included } : undefined;
  return { lower: bound(range.gt, false) ?? bound(range.gte, true), upper: bound(range.lt, false) ?? bound(range.lte, true) };
}

const entryMatches = (key: string, mark: string, pattern: string): string =>
  `regexp_like(fields, ${quoteSql(`${ENTRY_MARK}${escapeRegex(removeMarks(key))}${mark}(?:${pattern})${ENTRY_MARK}`)})`;

/** Makes the SQL condition of a range; all its bounds must hold for one value of the chunk. */
function rangeCondition(key: string, range: FilterRange): string {
  if (rangeType(key, range) === 'number') return entryMatches(key, NUMBER_MARK, numberRangePattern(boundsOf(range, 'number')));
  return entryMatches(key, TEXT_MARK, textRangePattern(boundsOf(range, 'string')));
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

type FieldNode = Extract<FilterNode, { field: string }>;

/** Makes the condition on `source`, which has a column and an index of its own. */
function sourceCondition(node: FieldNode): string {
  if (node.kind === 'in') return inCondition('source', node.values.map(String));
  if (node.kind === 'prefix') return `starts_with(source, ${quoteSql(node.prefix)})`;
  if (node.kind === 'exists') return 'true';
  const bounds = Object.entries(node.range);
  return bounds.map(([sign, value]) => `source ${SIGNS[sign as keyof typeof SIGNS]} ${quoteSql(String(value))}`).join(' AND ');
}

function metadataCondition(node: FieldNode): string {
  if (node.kind === 'range') return rangeCondition(node.field, node.range);
  const start = `${ENTRY_MARK}${removeMarks(node.field)}${TEXT_MARK}`;
  const holds = (text: string) => `contains(fields, ${quoteSql(start + text)})`;
  if (node.kind === 'exists') return holds('');
  if (node.kind === 'prefix') return holds([...removeMarks(node.prefix)].slice(0, MAX_INDEXED_LENGTH).join(''));
  const [only, ...others] = node.values.map(toTextValue);
  return others.length === 0
    ? holds(only! + ENTRY_MARK)
    : entryMatches(node.field, TEXT_MARK, [only!, ...others].map(escapeRegex).join('|'));
}

/** Lists the labels of which a row has at least one if the condition holds; undefined if labels cannot decide that. */
function findLabels(node: FilterNode): string[] | undefined {
  if (node.kind !== 'in' || node.field === 'source') return undefined;
  const labels = node.values.map((value) => toLabel(node.field, value));
  return labels.includes(undefined) ? undefined : (labels as string[]);
}

/** Whether indexes alone decide which rows match. */
function isIndexed(node: FilterNode): boolean {
  if (node.kind === 'not') return isIndexed(node.part);
  if ('field' in node) return (node.kind === 'in' && node.field === 'source') || findLabels(node) !== undefined;
  return node.parts.every(isIndexed);
}

/** Writes a condition as SQL. `withLabels` uses their index where it helps: LanceDB uses indexes for conjunctions, and scans all rows for disjunctions. */
function toSql(node: FilterNode, withLabels: boolean): string {
  const ofLabels = withLabels && node.kind !== 'and' && !isIndexed(node) ? false : withLabels;
  if (node.kind === 'not') return `NOT (${toSql(node.part, ofLabels)})`;
  if ('parts' in node) return node.parts.map((part) => `(${toSql(part, ofLabels)})`).join(node.kind === 'and' ? ' AND ' : ' OR ');
  const rowLabels = ofLabels ? findLabels(node) : undefined;
  if (rowLabels) return `array_has_any(${LABELS}, [${rowLabels.map(quoteSql).join(', ')}])`;
  return node.field === 'source' ? sourceCondition(node) : metadataCondition(node);
}

/**
 * Converts a filter to SQL over the columns of a collection; undefined if it matches everything. Without `labels` it uses only the column `fields`, with the
 * same meaning. Throws a KbError (`usage`) for a range with bounds of different kinds.
 */
export function filterSql(filter: Filter | undefined, labels = true): string | undefined {
  const tree = toFilterTree(filter ?? {});
  if (matchesNothing(tree)) return 'false';
  return matchesEverything(tree) ? undefined : toSql(tree, labels);
}

/** Converts a selection of chunks by source or filter to SQL; undefined if it selects all. */
export const whereSql = (where: Exclude<Where, { ids: unknown }>): string | undefined =>
  'source' in where ? inCondition('source', [where.source]) : filterSql(where.filter);
