import type { Table } from '@lancedb/lancedb';
import type { SourcePage, SourcePageRequest } from '../../../ports/stores.ts';
import { NameCount } from '../count-sources.ts';
import { reader } from './columns.ts';
import { filterSql, quoted } from './lancedb-filter.ts';
import type { TableHolder } from './table-holder.ts';

/** Rows that a query for names reads: those of one source follow each other. */
const ROWS = 2_000;
/** Counts that are kept, of one collection. */
const MOST_KEPT = 20;

/** How many sources there are, by the version of the table and the condition: the same on all pages of a listing. */
const counts = new WeakMap<TableHolder, Map<string, Promise<number>>>();

/** A page of the names of sources. LanceDB sorts, and hands over the rows of the page alone; the number of all is counted once for a version of the table. */
export async function readSourcePage(holder: TableHolder, { filter, after, limit }: SourcePageRequest): Promise<SourcePage> {
  const condition = filterSql(filter);
  return await holder.read(async (table) => {
    const [sources, total] = await Promise.all([
      namesAfter(table, { condition, after, limit }),
      keptCount(holder, `${holder.entry.table} ${await table.version()} ${condition}`, () => countNames(table, condition)),
    ]);
    return { sources, total };
  });
}

interface Wanted {
  condition: string | undefined;
  after: string | undefined;
  limit: number;
}

async function namesAfter(table: Table, { condition, after, limit }: Wanted): Promise<string[]> {
  const found = new Set<string>();
  for (let last = after; found.size < limit;) {
    const where = [condition && `(${condition})`, last === undefined ? undefined : `source > ${quoted(last)}`].filter(Boolean);
    const query = table.query().select(['source']);
    const rows = await (where.length > 0 ? query.where(where.join(' AND ')) : query)
      .orderBy({ columnName: 'source' })
      .limit(ROWS)
      .toArrow();
    const source = reader(rows, 'source') as (at: number) => string;
    for (let at = 0; at < rows.numRows; at++) found.add((last = source(at)));
    if (rows.numRows < ROWS) break;
  }
  return [...found].slice(0, limit);
}

function keptCount(holder: TableHolder, key: string, count: () => Promise<number>): Promise<number> {
  const kept = counts.get(holder) ?? new Map<string, Promise<number>>();
  counts.set(holder, kept);
  const total = kept.get(key) ?? count();
  kept.set(key, total);
  total.catch(() => kept.delete(key));
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return total;
}

/** Counts the names in the bytes that LanceDB hands over: as texts they would take many times the memory. */
async function countNames(table: Table, condition: string | undefined): Promise<number> {
  const names = new NameCount();
  const query = table.query().select(['source']);
  for await (const batch of condition === undefined ? query : query.where(condition))
    for (const { values, valueOffsets, length } of batch.getChild('source')?.data ?? [])
      for (let at = 0; at < length; at++) names.add((values as Uint8Array).subarray(valueOffsets[at], valueOffsets[at + 1]));
  return names.size;
}
