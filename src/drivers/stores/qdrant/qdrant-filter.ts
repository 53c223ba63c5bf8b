import { KbError } from '../../../core/errors.ts';
import type { Filter } from '../../../schema/requests.ts';
import { kindOfRange, type Range, type Scalar } from '../filter-values.ts';
import type { Condition, PointRecord } from './qdrant-connection.ts';
import { entry, entryStart, safe } from './points.ts';

/** Values that a range of texts may hold; the request names each of them. */
const VALUES_AT_MOST = 20_000;

/** Nothing is it. */
const NOTHING: Condition = { key: 'source', match: { any: [] } };

/** Reads this part of the payload of all points that the conditions hold for. */
type ReadPart = (part: 'source' | 'fields', conditions: readonly Condition[]) => AsyncIterable<PointRecord[]>;

/**
 * A filter as conditions, all of which must hold. Keys and values are values in them, never paths or code. Qdrant knows no ranges of texts: the values
 * within one are looked for first, through all chunks that the other conditions hold for, which takes as long as reading that part of them.
 * Throws a KbError (`usage`) for a range that makes no sense, or that holds too many values.
 */
export async function conditionsOf(filter: Filter | undefined, read: ReadPart): Promise<Condition[]> {
  const conditions: Condition[] = [];
  const ranges: [string, Range][] = [];
  for (const [key, wanted] of Object.entries(filter ?? {})) {
    if (typeof wanted !== 'object') conditions.push(oneOf(key, [wanted]));
    else if ('in' in wanted) conditions.push(oneOf(key, wanted.in));
    else if (key !== 'source' && kindOfRange(key, wanted) === 'number') conditions.push(numberWithin(key, wanted));
    else ranges.push([key, wanted]);
  }
  for (const [key, range] of ranges) conditions.push(await textWithin(key, range, { conditions: [...conditions], read }));
  return conditions;
}

function oneOf(key: string, values: readonly Scalar[]): Condition {
  if (key === 'source') return { key: 'source', match: { any: values.map((value) => safe(String(value))) } };
  return { key: 'fields', match: { any: values.map((value) => entry(key, value)) } };
}

/** All bounds hold for one and the same number of the chunk. */
function numberWithin(key: string, range: Range): Condition {
  const value = { key: 'value', range: { ...(range as Record<keyof Range, number>) } };
  return { nested: { key: 'numbers', filter: { must: [{ key: 'key', match: { value: safe(key) } }, value] } } };
}

async function textWithin(
  key: string,
  range: Range,
  { conditions, read }: { conditions: Condition[]; read: ReadPart },
): Promise<Condition> {
  const isSource = key === 'source';
  const start = isSource ? '' : safe(entryStart(key));
  const isWithin = within(range);
  const found = new Set<string>();
  for await (const page of read(isSource ? 'source' : 'fields', conditions)) {
    for (const { payload } of page) {
      for (const value of isSource ? [payload!['source'] as string] : (payload!['fields'] as string[]))
        if (value.startsWith(start) && isWithin(value.slice(start.length))) found.add(value);
    }
    if (found.size > VALUES_AT_MOST)
      throw new KbError('usage', `The range of «${key}» in the filter holds more than ${VALUES_AT_MOST} texts.`, {
        hint: 'Give a narrower range, or narrow it by another key: Qdrant has no ranges of texts, so each of them is asked for.',
      });
  }
  return found.size > 0 ? { key: isSource ? 'source' : 'fields', match: { any: [...found] } } : NOTHING;
}

/** Whether a text is within the bounds, by the code points of its letters: UTF-8 sorts as they do. */
function within(range: Range): (text: string) => boolean {
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
