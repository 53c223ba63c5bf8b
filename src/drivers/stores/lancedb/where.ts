import type { Where } from '../../../ports/stores.ts';
import type { Filter } from '../../../schema/requests.ts';
import { kindOfRange, type Range } from '../ranges.ts';
import type { Scalar } from '../scalars.ts';
import { AS_NUMBER, AS_TEXT, ENTRY, textValue, unmarked } from './fields.ts';
import { literal, numberRange, textRange, type Bounds } from './ranges.ts';

type Condition = Filter[string];

/** A text as SQL writes it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const inList = (column: string, values: readonly string[]): string => `${column} IN (${values.map(quoted).join(', ')})`;

const isScalar = (condition: Condition): condition is Scalar => typeof condition !== 'object';

function boundsOf<Value extends string | number>(range: Range, kind: 'string' | 'number'): Bounds<Value> {
  const bound = (value: string | number | undefined, included: boolean) =>
    typeof value === kind ? { value: value as Value, included } : undefined;
  return { lower: bound(range.gt, false) ?? bound(range.gte, true), upper: bound(range.lt, false) ?? bound(range.lte, true) };
}

const matches = (key: string, mark: string, pattern: string): string =>
  `regexp_like(fields, ${quoted(`${ENTRY}${literal(unmarked(key))}${mark}(?:${pattern})${ENTRY}`)})`;

/** The range in SQL; all its bounds must hold for one value of the chunk. */
function rangeOf(key: string, range: Range): string {
  if (kindOfRange(key, range) === 'number') return matches(key, AS_NUMBER, numberRange(boundsOf(range, 'number')));
  return matches(key, AS_TEXT, textRange(boundsOf(range, 'string')));
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** `source` has a column, and an index, of its own. */
function sourceCondition(condition: Condition): string {
  if (isScalar(condition)) return `source = ${quoted(String(condition))}`;
  if ('in' in condition) return inList('source', condition.in.map(String));
  const bounds = Object.entries(condition).filter(([, value]) => value !== undefined);
  return bounds.map(([sign, value]) => `source ${SIGNS[sign as keyof typeof SIGNS]} ${quoted(String(value))}`).join(' AND ');
}

function metadataCondition(key: string, condition: Condition): string {
  const equals = (value: Scalar) => `contains(fields, ${quoted(`${ENTRY}${unmarked(key)}${AS_TEXT}${textValue(value)}${ENTRY}`)})`;
  if (isScalar(condition)) return equals(condition);
  if (!('in' in condition)) return rangeOf(key, condition);
  const [only, ...others] = condition.in;
  return others.length === 0 ? equals(only!) : matches(key, AS_TEXT, condition.in.map((value) => literal(textValue(value))).join('|'));
}

/** A filter as SQL over the columns of a collection; undefined where it lets everything pass. Throws a KbError (`usage`) for a range that makes no sense. */
export function filterSql(filter: Filter | undefined): string | undefined {
  const conditions = Object.entries(filter ?? {}).map(([key, condition]) =>
    key === 'source' ? sourceCondition(condition) : metadataCondition(key, condition),
  );
  return conditions.length > 0 ? conditions.map((condition) => `(${condition})`).join(' AND ') : undefined;
}

/** Which rows are meant, as SQL; undefined where that would be all or none. */
export function whereSql(where: Where): string | undefined {
  if ('source' in where) return sourceCondition(where.source);
  if ('filter' in where) return filterSql(where.filter);
  return where.ids.length > 0 ? inList('id', where.ids) : undefined;
}
