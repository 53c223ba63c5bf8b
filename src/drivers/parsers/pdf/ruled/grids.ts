import type { PageRules, Rule } from './page-rules.ts';

/** Rules that stand nearer, in points, are one, and rules that end nearer to another meet it. */
const NEAR = 3;

/** A table's cells as its rules draw them. */
export interface Grid {
  /** Where its columns begin and end, from left to right. */
  columns: readonly number[];
  /** Where its rows begin and end, from the top down. */
  rows: readonly number[];
  /** The column that a cell belongs to: another one where no rule stands between the two. */
  ownerOf(row: number, column: number): number;
}

/** The grids that the rules of a page draw: two rows and two columns at least, each rule meeting others. */
export function gridsOf(rules: PageRules): Grid[] {
  const [across, upright] = [joinedRules(rules.across), joinedRules(rules.upright)];
  const groups: { across: Rule[]; upright: Rule[] }[] = [];
  const left = new Set<Rule>([...across, ...upright]);
  for (const first of upright) {
    if (!left.delete(first)) continue;
    const group = { across: [] as Rule[], upright: [first] };
    for (let [u, a] = [0, 0]; u < group.upright.length || a < group.across.length;) {
      const isUpright = u < group.upright.length;
      const rule = isUpright ? group.upright[u++]! : group.across[a++]!;
      for (const other of isUpright ? across : upright)
        if (left.has(other) && meet(rule, other)) {
          left.delete(other);
          (isUpright ? group.across : group.upright).push(other);
        }
    }
    groups.push(group);
  }
  return groups.flatMap((group) => gridOf(group) ?? []);
}

const meet = (one: Rule, other: Rule): boolean =>
  other.at >= one.from - NEAR && other.at <= one.to + NEAR && one.at >= other.from - NEAR && one.at <= other.to + NEAR;

/** Rules that go on with one another as one. */
function joinedRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  for (const rule of rules.toSorted((a, b) => Math.round(a.at / NEAR) - Math.round(b.at / NEAR) || a.from - b.from)) {
    const before = joined.at(-1);
    if (before && Math.abs(before.at - rule.at) < NEAR && rule.from <= before.to + NEAR) before.to = Math.max(before.to, rule.to);
    else joined.push({ ...rule });
  }
  return joined;
}

function gridOf({ across, upright }: PageRules): Grid | undefined {
  if (across.length < 2) return undefined;
  const columns = placesOf([...upright.map(({ at }) => at), ...ends(across)]);
  const rows = placesOf([...across.map(({ at }) => at), ...ends(upright)]).toReversed();
  if (columns.length < 3 || rows.length < 3) return undefined;
  const isCut = (row: number, column: number): boolean => {
    const middle = (rows[row]! + rows[row + 1]!) / 2;
    return upright.some(({ at, from, to }) => Math.abs(at - columns[column]!) < NEAR && from <= middle && to >= middle);
  };
  const ownerOf = (row: number, column: number): number => {
    let owner = column;
    while (owner > 0 && !isCut(row, owner)) owner--;
    return owner;
  };
  return { columns, rows, ownerOf };
}

const ends = (rules: readonly Rule[]): number[] => [Math.min(...rules.map(({ from }) => from)), Math.max(...rules.map(({ to }) => to))];

/** Places in ascending order, those near to one another once. */
function placesOf(places: readonly number[]): number[] {
  const ordered = places.toSorted((a, b) => a - b);
  return ordered.filter((place, i) => i === 0 || place - ordered[i - 1]! >= 2 * NEAR);
}
