import type { Filter, FilterCondition, FilterRange, FilterScalar } from '../schema/stored/filter.ts';

/** A filter as a tree: a node combines others, or is a condition on one field. */
export type FilterNode =
  | { kind: 'and' | 'or'; parts: FilterNode[] }
  | { kind: 'not'; part: FilterNode }
  | { kind: 'in'; field: string; values: readonly FilterScalar[] }
  | { kind: 'range'; field: string; range: FilterRange }
  | { kind: 'prefix'; field: string; prefix: string }
  | { kind: 'exists'; field: string };

/** The tree of a filter; that of an empty one has no parts and lets everything pass. */
export function toFilterTree(filter: Filter): FilterNode {
  return joined(
    Object.entries(filter).map(([key, value]): FilterNode => {
      if (key === 'not') return { kind: 'not', part: toFilterTree(value as Filter) };
      if (key === 'and' || key === 'or') return { kind: key, parts: (value as Filter[]).map(toFilterTree) };
      return joined(conditionNodes(key, value as FilterCondition));
    }),
  );
}

const joined = (parts: FilterNode[]): FilterNode => (parts.length === 1 ? parts[0]! : { kind: 'and', parts });

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

/** The fields that a filter asks about. */
export function filteredFields(node: FilterNode): Set<string> {
  if (node.kind === 'not') return filteredFields(node.part);
  if ('field' in node) return new Set([node.field]);
  return new Set(node.parts.flatMap((part) => [...filteredFields(part)]));
}
