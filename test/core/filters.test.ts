import { describe, expect, it } from 'vitest';
import { type FilterNode, isEmptyFilter, matchesEverything, matchesNothing, toFilterTree } from '../../src/core/filters.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';

const french: Filter = { lang: 'fr' };
const node: FilterNode = { kind: 'in', field: 'lang', values: ['fr'] };

/** Filters of up to three levels that are made of empty ones and one condition. */
function combinations(depth = 3): Filter[] {
  if (depth === 0) return [{}, french];
  const inner = combinations(depth - 1).slice(0, 8);
  return [
    ...inner,
    ...inner.map((filter): Filter => ({ not: filter })),
    ...inner.flatMap((first) => inner.flatMap((second): Filter[] => [{ and: [first, second] }, { or: [first, second] }])),
    ...inner.map((filter): Filter => ({ ...french, and: [filter] })),
  ];
}

/** Whether a filter matches a document in French, or in another language. */
function matches(filter: Filter, isFrench: boolean): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === 'not') return !matches(value as Filter, isFrench);
    if (key === 'and') return (value as Filter[]).every((part) => matches(part, isFrench));
    if (key === 'or') return (value as Filter[]).some((part) => matches(part, isFrench));
    return isFrench;
  });
}

const nodesIn = (tree: FilterNode): FilterNode[] => [
  tree,
  ...('parts' in tree ? tree.parts.flatMap(nodesIn) : 'part' in tree ? nodesIn(tree.part) : []),
];

/** Evaluates a tree for a document in French, or in another language. */
function holds(tree: FilterNode, isFrench: boolean): boolean {
  if (tree.kind === 'not') return !holds(tree.part, isFrench);
  if (tree.kind === 'and') return tree.parts.every((part) => holds(part, isFrench));
  if (tree.kind === 'or') return tree.parts.some((part) => holds(part, isFrench));
  return isFrench;
}

describe('the tree of a filter', () => {
  it('has the meaning of the filter, and no empty node but its root, wherever empty filters are', () => {
    for (const filter of combinations()) {
      const tree = toFilterTree(filter);
      for (const isFrench of [true, false]) expect(holds(tree, isFrench), JSON.stringify(filter)).toBe(matches(filter, isFrench));
      const empty = nodesIn(tree).filter((inner) => 'parts' in inner && inner.parts.length === 0);
      expect(empty, JSON.stringify(filter)).toEqual(matchesEverything(tree) || matchesNothing(tree) ? [tree] : []);
    }
  });

  it('is that of the only condition that it has', () => {
    for (const filter of [french, { and: [{}, french] }, { or: [french] }, { and: [{ and: [{}] }, { and: [french, {}] }] }])
      expect(toFilterTree(filter)).toEqual(node);
  });

  it('matches everything if the filter has no condition, and nothing if that is negated', () => {
    const empty: Filter[] = [{}, { and: [{}] }, { or: [{}, french] }, { not: { not: {} } }];
    const others: Filter[] = [french, { not: {} }, { not: french }];
    expect([...empty, ...others].map(isEmptyFilter)).toEqual([true, true, true, true, false, false, false]);
    expect(matchesNothing(toFilterTree({ not: {} }))).toBe(true);
  });
});
