import { KbError } from '../../../core/errors.ts';
import { type FilterNode, toFilterTree, rangeType, MAX_INDEXED_LENGTH } from '../../../core/filters.ts';
import type { Filter, FilterRange, FilterScalar } from '../../../schema/stored/filter.ts';
import type { Condition, PointRecord } from './qdrant-connection.ts';
import { entry, entryStart, existence, safe } from './points.ts';

/** Maximum values within a range of texts; the request lists them all. */
const VALUES_AT_MOST = 20_000;

/** Matches nothing. */
const NOTHING: Condition = { key: 'source', match: { any: [] } };

/** Reads a part of the payload of all points that match the conditions. */
type ReadPart = (part: 'source' | 'fields', conditions: readonly Condition[]) => AsyncIterable<PointRecord[]>;

/** What converting a condition needs. */
interface ConditionContext {
  /** Conditions that already hold. */
  conditions: readonly Condition[];
  read: ReadPart;
}

/**
 * Converts a filter to conditions, all of which must hold. Keys and values become values in them, never paths or code. Qdrant has no ranges or prefixes of
 * texts: the matching values are searched first, in all chunks that match the other conditions, which takes as long as reading that part of them. Throws a
 * KbError (`usage`) for an invalid range, or one with too many values.
 */
export const conditionsOf = async (filter: Filter | undefined, read: ReadPart): Promise<Condition[]> =>
  filter && Object.keys(filter).length > 0 ? allOf([toFilterTree(filter)], { conditions: [], read }) : [];

/** Makes the conditions of nodes that must all hold: those that search for values come last. */
async function allOf(nodes: readonly FilterNode[], { conditions, read }: ConditionContext): Promise<Condition[]> {
  const made: Condition[] = [];
  const flat = nodes.flatMap((node) => (node.kind === 'and' ? node.parts : [node]));
  for (const node of flat.toSorted((one, other) => Number(searchesValues(one)) - Number(searchesValues(other))))
    made.push(await conditionOf(node, { conditions: [...conditions, ...made], read }));
  return made;
}

function searchesValues(node: FilterNode): boolean {
  if (node.kind === 'not') return searchesValues(node.part);
  if ('parts' in node) return node.parts.some(searchesValues);
  if (node.kind === 'range') return node.field === 'source' || rangeType(node.field, node.range) === 'string';
  return node.kind === 'prefix';
}

async function conditionOf(node: FilterNode, context: ConditionContext): Promise<Condition> {
  switch (node.kind) {
    case 'and':
      return { must: await allOf(node.parts, context) };
    case 'or':
      return { should: await Array.fromAsync(node.parts, (part) => conditionOf(part, context)) };
    case 'not':
      return { must_not: [await conditionOf(node.part, context)] };
    case 'in':
      return oneOf(node.field, node.values);
    case 'exists':
      return node.field === 'source' ? {} : { key: 'fields', match: { value: existence(node.field) } };
    case 'prefix':
      return await textWithin(node.field, (text) => text.startsWith(safe(node.prefix).slice(0, MAX_INDEXED_LENGTH)), context);
    default:
      return node.field !== 'source' && rangeType(node.field, node.range) === 'number'
        ? numberWithin(node.field, node.range)
        : await textWithin(node.field, within(node.range), context);
  }
}

function oneOf(key: string, values: readonly FilterScalar[]): Condition {
  if (key === 'source') return { key: 'source', match: { any: values.map((value) => safe(String(value))) } };
  return { key: 'fields', match: { any: values.map((value) => entry(key, value)) } };
}

/** Matches chunks with a number for which all bounds hold. */
function numberWithin(key: string, range: FilterRange): Condition {
  const value = { key: 'value', range: { ...(range as Record<keyof FilterRange, number>) } };
  return { nested: { key: 'numbers', filter: { must: [{ key: 'key', match: { value: safe(key) } }, value] } } };
}

/** Matches chunks with a text that passes the test. */
async function textWithin(key: string, isWithin: (text: string) => boolean, { conditions, read }: ConditionContext): Promise<Condition> {
  const isSource = key === 'source';
  const start = isSource ? '' : safe(entryStart(key));
  const found = new Set<string>();
  for await (const page of read(isSource ? 'source' : 'fields', conditions)) {
    for (const { payload } of page) {
      for (const value of isSource ? [payload!['source'] as string] : (payload!['fields'] as string[]))
        if (value.startsWith(start) && isWithin(value.slice(start.length))) found.add(value);
    }
    if (found.size > VALUES_AT_MOST)
      throw new KbError('usage', `The range or prefix of «${key}» in the filter holds for more than ${VALUES_AT_MOST} texts.`, {
        hint: 'Give a narrower one, or narrow it by another field: Qdrant has no ranges of texts, so each of them is asked for.',
      });
  }
  return found.size > 0 ? { key: isSource ? 'source' : 'fields', match: { any: [...found] } } : NOTHING;
}

/** Makes a test whether a text is within the bounds, by the code points of its letters: UTF-8 sorts as they do. */
function within(range: FilterRange): (text: string) => boolean {
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
