import type { Filter, FilterCondition, FilterRange, FilterScalar } from '../schema/stored/filter.ts';
import { compareCodePoints } from './code-points.ts';
import { hash } from './ids.ts';
import { KbError } from './errors.ts';

/** A filter as a tree: a node combines others, or is a condition on one field. */
export type FilterNode =
  | { kind: 'and' | 'or'; parts: FilterNode[] }
  | { kind: 'not'; part: FilterNode }
  | { kind: 'in'; field: string; values: readonly FilterScalar[] }
  | { kind: 'range'; field: string; range: FilterRange }
  | { kind: 'prefix'; field: string; prefix: string }
  | { kind: 'exists'; field: string };

/** Matches everything. */
const EVERYTHING: FilterNode = { kind: 'and', parts: [] };
/** Matches nothing. */
const NOTHING: FilterNode = { kind: 'or', parts: [] };

const isEmpty = (node: FilterNode, kind: 'and' | 'or'): boolean => node.kind === kind && node.parts.length === 0;

/** Whether a tree matches everything, because it has no condition. */
export const matchesEverything = (node: FilterNode): boolean => isEmpty(node, 'and');

/** Whether a tree matches nothing, because it negates one that matches everything. */
export const matchesNothing = (node: FilterNode): boolean => isEmpty(node, 'or');

/**
 * Converts a filter to a tree. Empty filters are resolved, at any depth: only a whole tree can have no parts. Then it matches everything
 * (`and`) or nothing (`or`).
 */
export function toFilterTree(filter: Filter): FilterNode {
  return combine(
    'and',
    Object.entries(filter).map(([key, value]): FilterNode => {
      if (key === 'not') return negate(toFilterTree(value as Filter));
      if (key === 'and' || key === 'or') return combine(key, (value as Filter[]).map(toFilterTree));
      return combine('and', conditionNodes(key, value as FilterCondition));
    }),
  );
}

/** Whether a filter has no condition, at any depth. */
export const isEmptyFilter = (filter: Filter): boolean => matchesEverything(toFilterTree(filter));

function combine(kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode {
  const [neutral, decisive] = kind === 'and' ? (['and', 'or'] as const) : (['or', 'and'] as const);
  const deciding = nodes.find((node) => isEmpty(node, decisive));
  if (deciding) return deciding;
  const parts = nodes.filter((node) => !isEmpty(node, neutral));
  return parts.length === 1 ? parts[0]! : { kind, parts };
}

function negate(part: FilterNode): FilterNode {
  if (matchesEverything(part)) return NOTHING;
  return matchesNothing(part) ? EVERYTHING : { kind: 'not', part };
}

function conditionNodes(field: string, condition: FilterCondition): FilterNode[] {
  if (typeof condition !== 'object') return [{ kind: 'in', field, values: [condition] }];
  const { in: values, prefix, exists, ...bounds } = condition;
  const range = Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined && bound !== null));
  const existence: FilterNode = { kind: 'exists', field };
  return [
    ...(values ? [{ kind: 'in', field, values } as const] : []),
    ...(Object.keys(range).length > 0 ? [{ kind: 'range', field, range } as const] : []),
    ...(typeof prefix === 'string' ? [{ kind: 'prefix', field, prefix } as const] : []),
    ...(exists === true ? [existence] : exists === false ? [{ kind: 'not', part: existence } as const] : []),
  ];
}

/** Lists the fields of a filter. */
export function filteredFields(node: FilterNode): Set<string> {
  if (node.kind === 'not') return filteredFields(node.part);
  if ('field' in node) return new Set([node.field]);
  return new Set(node.parts.flatMap((part) => [...filteredFields(part)]));
}

// A filter means the same in every store: it compares the scalars of a chunk's metadata, those in lists under the list's key, nested keys as dotted paths.
// A value is compared as a text; a number, or a text that is written as one, also as a number.

/** Fields that are not filtered by: the many values that locate parts of a passage. */
const UNFILTERED = /^location\.(?:anchors|boxes|page_ratio)$/;

/** Yields the scalars of a value with their paths (`location.page`); the items of a list under its path. */
export function* listScalars(value: unknown, path = ''): Generator<[path: string, value: FilterScalar], void, void> {
  if (UNFILTERED.test(path)) return;
  if (value instanceof Date) yield* listScalars(Number.isNaN(value.getTime()) ? null : value.toISOString(), path);
  else if (Array.isArray(value)) for (const item of value) yield* listScalars(item, path);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* listScalars(item, path ? `${path}.${key}` : key);
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [path, value];
}

/** Maximum characters of a value in an index. A longer one is cut (for ranges) and followed by a hash of the whole (for equality). */
export const MAX_INDEXED_LENGTH = 200;

/** Shortens a text for an index. */
export const shortenForIndex = (text: string): string =>
  text.length > MAX_INDEXED_LENGTH ? `${text.slice(0, MAX_INDEXED_LENGTH)}…${hash(text).slice(0, 16)}` : text;

/** A text that is also compared as a number, such as a cell of a CSV file. */
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** Converts a value to the number that it is compared as; undefined if it is compared as text only. */
export const toNumber = (value: FilterScalar): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value)) ? Number(value) : undefined;

/** Returns the type of the bounds of a range. Throws a KbError (`usage`) for bounds of two types, or more than two. */
export function rangeType(key: string, range: FilterRange): 'number' | 'string' {
  const given = Object.values(range).filter((bound) => bound !== undefined);
  const [kind, ...others] = new Set(given.map((bound) => typeof bound as 'number' | 'string'));
  if (kind && others.length === 0 && given.length <= 2) return kind;
  throw new KbError('usage', `The range of "${key}" in the filter has bounds that don't belong together.`, {
    hint: 'Give one lower and one upper bound, both numbers or both texts.',
  });
}

/** Makes a predicate for chunks that a filter matches, with the meaning that filters have in stores. */
export function createFilterMatcher(filter: Filter): (chunk: { source: string; metadata: object }) => boolean {
  const tree = toFilterTree(filter);
  return ({ source, metadata }) => {
    const values = Map.groupBy(listScalars({ ...metadata, source }), ([path]) => path);
    return matchesNode(tree, (field) => (values.get(field) ?? []).map(([, value]) => value));
  };
}

function matchesNode(node: FilterNode, valuesOf: (field: string) => FilterScalar[]): boolean {
  if ('parts' in node) return node.parts[node.kind === 'and' ? 'every' : 'some']((part) => matchesNode(part, valuesOf));
  if (node.kind === 'not') return !matchesNode(node.part, valuesOf);
  const values = valuesOf(node.field);
  if (node.kind === 'exists') return values.length > 0;
  if (node.kind === 'range') return matchesRange(node, values);
  const indexed = node.field === 'source' ? String : (value: FilterScalar) => shortenForIndex(String(value));
  if (node.kind === 'in') return node.values.some((value) => values.some((stored) => indexed(stored) === indexed(value)));
  const prefix = node.field === 'source' ? node.prefix : [...node.prefix].slice(0, MAX_INDEXED_LENGTH).join('');
  return values.some((stored) => indexed(stored).startsWith(prefix));
}

/** Whether one of the values is within all bounds. */
function matchesRange({ field, range }: Extract<FilterNode, { kind: 'range' }>, values: readonly FilterScalar[]): boolean {
  const isNumber = rangeType(field, range) === 'number';
  const compare = (value: FilterScalar, bound: string | number): number =>
    isNumber ? (toNumber(value) ?? Number.NaN) - Number(bound) : compareCodePoints(shortenForIndex(String(value)), String(bound));
  const isWithin = {
    gt: (order: number) => order > 0,
    gte: (order: number) => order >= 0,
    lt: (order: number) => order < 0,
    lte: (order: number) => order <= 0,
  };
  const bounds = Object.entries(range) as [keyof FilterRange, string | number | undefined][];
  return values.some((value) =>
    bounds.every(([sign, bound]) => bound === undefined || bound === null || isWithin[sign](compare(value, bound))),
  );
}
