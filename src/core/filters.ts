import type { Filter, FilterCondition, FilterRange, FilterScalar } from '../schema/stored/filter.ts';
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

/** Converts a filter to a tree. The tree of an empty filter has no parts and matches everything. */
export function toFilterTree(filter: Filter): FilterNode {
  return combineWithAnd(
    Object.entries(filter).map(([key, value]): FilterNode => {
      if (key === 'not') return { kind: 'not', part: toFilterTree(value as Filter) };
      if (key === 'and' || key === 'or') return { kind: key, parts: (value as Filter[]).map(toFilterTree) };
      return combineWithAnd(conditionNodes(key, value as FilterCondition));
    }),
  );
}

const combineWithAnd = (parts: FilterNode[]): FilterNode => (parts.length === 1 ? parts[0]! : { kind: 'and', parts });

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

/** Fields that are not filtered by: the many numbers of a passage's position on its page. */
const UNFILTERED = /^location\.(?:boxes|page_ratio)$/;

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
  throw new KbError('usage', `The range of «${key}» in the filter has bounds that don't belong together.`, {
    hint: 'Give one lower and one upper bound, both numbers or both texts.',
  });
}
