import { KbError } from '../../../core/errors.ts';
import { type FilterNode, matchesNothing, toFilterTree, rangeType, MAX_INDEXED_LENGTH } from '../../../core/filters.ts';
import type { Filter, FilterRange, FilterScalar } from '../../../schema/stored/filter.ts';
import type { Condition, PointRecord } from './qdrant-connection.ts';
import { fieldEntry, fieldEntryStart, existenceEntry, toWellFormed } from './points.ts';

/** Maximum values that match a range or prefix of texts; the request lists all of them. */
const MAX_VALUES = 20_000;

/** Matches nothing. */
const MATCHES_NOTHING: Condition = { key: 'source', match: { any: [] } };

/** Reads a part of the payload of all points that match the conditions. */
type ReadPart = (part: 'source' | 'fields', conditions: readonly Condition[]) => AsyncIterable<PointRecord[]>;

/** Context for the conversion of a condition. */
interface ConditionContext {
  /** Conditions that already hold. */
  conditions: readonly Condition[];
  read: ReadPart;
}

/**
 * Converts a filter to conditions, all of which must hold. Keys and values of the filter become values in them, never paths or code. Qdrant has no ranges or
 * prefixes of texts: matching values are looked up first, by reading the sources or fields of all chunks that match the other conditions. Throws a KbError
 * (`usage`) for an invalid range, or one with too many values.
 */
export async function filterConditions(filter: Filter | undefined, read: ReadPart): Promise<Condition[]> {
  const tree = toFilterTree(filter ?? {});
  return matchesNothing(tree) ? [MATCHES_NOTHING] : await toConditions([tree], { conditions: [], read });
}

/** Makes the conditions of nodes that must all hold. Those that look up values come last, so that the others limit the lookup. */
async function toConditions(nodes: readonly FilterNode[], { conditions, read }: ConditionContext): Promise<Condition[]> {
  const converted: Condition[] = [];
  const flat = nodes.flatMap((node) => (node.kind === 'and' ? node.parts : [node]));
  for (const node of flat.toSorted((one, other) => Number(needsValueSearch(one)) - Number(needsValueSearch(other))))
    converted.push(await toCondition(node, { conditions: [...conditions, ...converted], read }));
  return converted;
}

function needsValueSearch(node: FilterNode): boolean {
  if (node.kind === 'not') return needsValueSearch(node.part);
  if ('parts' in node) return node.parts.some(needsValueSearch);
  if (node.kind === 'range') return node.field === 'source' || rangeType(node.field, node.range) === 'string';
  return node.kind === 'prefix';
}

async function toCondition(node: FilterNode, context: ConditionContext): Promise<Condition> {
  switch (node.kind) {
    case 'and':
      return { must: await toConditions(node.parts, context) };
    case 'or':
      return { should: await Array.fromAsync(node.parts, (part) => toCondition(part, context)) };
    case 'not':
      return { must_not: [await toCondition(node.part, context)] };
    case 'in':
      return anyValueCondition(node.field, node.values);
    case 'exists':
      return node.field === 'source' ? {} : { key: 'fields', match: { value: existenceEntry(node.field) } };
    case 'prefix':
      return await textCondition(node.field, (text) => text.startsWith(toWellFormed(node.prefix).slice(0, MAX_INDEXED_LENGTH)), context);
    default:
      return node.field !== 'source' && rangeType(node.field, node.range) === 'number'
        ? numberCondition(node.field, node.range)
        : await textCondition(node.field, createRangeTest(node.range), context);
  }
}

function anyValueCondition(key: string, values: readonly FilterScalar[]): Condition {
  if (key === 'source') return { key: 'source', match: { any: values.map((value) => toWellFormed(String(value))) } };
  return { key: 'fields', match: { any: values.map((value) => fieldEntry(key, value)) } };
}

/** Matches chunks with a number for which all bounds hold. */
function numberCondition(key: string, range: FilterRange): Condition {
  const value = { key: 'value', range: { ...(range as Record<keyof FilterRange, number>) } };
  return { nested: { key: 'numbers', filter: { must: [{ key: 'key', match: { value: toWellFormed(key) } }, value] } } };
}

/** Matches chunks with a text that passes the test. */
async function textCondition(key: string, isWithin: (text: string) => boolean, { conditions, read }: ConditionContext): Promise<Condition> {
  const isSource = key === 'source';
  const start = isSource ? '' : toWellFormed(fieldEntryStart(key));
  const found = new Set<string>();
  for await (const page of read(isSource ? 'source' : 'fields', conditions)) {
    for (const { payload } of page) {
      for (const value of isSource ? [payload!['source'] as string] : (payload!['fields'] as string[]))
        if (value.startsWith(start) && isWithin(value.slice(start.length))) found.add(value);
    }
    if (found.size > MAX_VALUES)
      throw new KbError('usage', `The range or prefix of "${key}" in the filter holds for more than ${MAX_VALUES} texts.`, {
        hint: 'Give a narrower one, or narrow it by another field: Qdrant has no ranges of texts, so each of them is asked for.',
      });
  }
  return found.size > 0 ? { key: isSource ? 'source' : 'fields', match: { any: [...found] } } : MATCHES_NOTHING;
}

/** Makes a test whether a text is within the bounds, in the order of code points, which is the byte order of UTF-8. */
function createRangeTest(range: FilterRange): (text: string) => boolean {
  const bounds = Object.entries(range).flatMap(([sign, bound]) =>
    bound === undefined ? [] : [[sign, Buffer.from(String(bound))] as const],
  );
  return (text) => {
    const bytes = Buffer.from(text);
    return bounds.every(([sign, bound]) => {
      const order = Buffer.compare(bytes, bound);
      return order === 0 ? sign === 'gte' || sign === 'lte' : order > 0 === sign.startsWith('g');
    });
  };
}
