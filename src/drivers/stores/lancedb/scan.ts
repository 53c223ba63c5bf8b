import type { Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { SourceContent, StoredChunk, StoredSource, SourcePage, SourcePageRequest } from '../../../ports/stores.ts';
import { columnsRead, reader, toChunks } from './columns.ts';
import { isTableGone, storeError } from './store-error.ts';
import type { TableHolder } from './table-holder.ts';
import { keepVersion } from './upkeep.ts';
import { filterSql, inList, quoted } from './lancedb-filter.ts';
import { countContent, countSources, NameCount } from '../count-sources.ts';

/** Rows of one page. */
const PAGE = 1_000;
/** Maximum attempts to keep a version before it is removed. */
const TRIES = 5;

interface WalkOptions {
  source?: string;
  vectors?: boolean;
}

/** Yields all chunks of the present version in row order; those of one source are read at once. Throws a KbError (`conflict`) if the collection is removed meanwhile. */
export async function* scanChunks(
  holder: TableHolder,
  { source, vectors = false }: WalkOptions = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const columns = columnsRead(holder.entry, vectors);
  if (source === undefined) return yield* walk(holder, columns);
  const rows = await holder.read((table) =>
    table
      .query()
      .where(`source = ${quoted(source)}`)
      .select(columns)
      .toArrow(),
  );
  for (let at = 0; at < rows.numRows; at += PAGE) yield toChunks(rows.slice(at, at + PAGE));
}

async function* walk(holder: TableHolder, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  let isBegun = false;
  for (let tries = 1; ; tries++) {
    const table = await holder.pin();
    try {
      for await (const page of pagesOf(table, columns)) {
        isBegun = true;
        yield page;
      }
      return;
    } catch (error) {
      if (!isTableGone(error)) throw storeError(error, holder.url);
      if (isBegun || tries >= TRIES) throw removed(holder.entry.name, error);
    } finally {
      table.close();
    }
  }
}

/** Throws what LanceDB throws if files of the version are gone. */
async function* pagesOf(table: Table, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  const release = await keepVersion(table);
  try {
    for await (const batch of table.query().select(columns))
      for (let at = 0; at < batch.numRows; at += PAGE) yield toChunks(batch.slice(at, at + PAGE));
  } finally {
    await release();
  }
}

const removed = (name: string, cause: unknown): KbError =>
  new KbError('conflict', `What was read of the collection «${name}» was removed meanwhile.`, {
    hint: 'Run it again.',
    cause,
    isRetryable: true,
  });

/** Reads the state of all sources. */
export async function storedSources(table: Table): Promise<Map<string, StoredSource>> {
  const rows = await table.query().select(['source', 'source_kind', 'version', 'siblings']).toArrow();
  const found = new Map<string, StoredSource>();
  for (const batch of rows.batches) {
    const [source, kind, version, siblings] = ['source', 'source_kind', 'version', 'siblings'].map((name) => reader(batch, name));
    for (let at = 0; at < batch.numRows; at++) {
      countSources(found, {
        source: source!(at) as string,
        source_kind: kind!(at) as string,
        version: (version!(at) as string | undefined) ?? '',
        chunk_count: siblings!(at) as number,
      });
    }
  }
  return found;
}

/** Maximum sources of one query. */
const MOST_SOURCES = 1_000;

/** Reads the size and metadata of sources. LanceDB computes the length of texts, and returns none of them. */
export async function sourceContents(holder: TableHolder, sources: readonly string[]): Promise<Map<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  for (let i = 0; i < sources.length; i += MOST_SOURCES) {
    const condition = inList('source', sources.slice(i, i + MOST_SOURCES));
    const columns = { source: 'source', metadata: 'metadata', characters: 'character_length(text)' };
    const rows = await holder.read((table) => table.query().where(condition).select(columns).toArrow());
    const [source, metadata, characters] = Object.keys(columns).map((name) => reader(rows, name));
    for (let at = 0; at < rows.numRows; at++)
      countContent(found, source!(at) as string, { metadata: metadata!(at) as string, characters: Number(characters!(at)) });
  }
  return found;
}

/** Rows of one query for names: a source has many, one after another. */
const ROWS = 2_000;
/** Maximum counts that are kept of one collection. */
const MOST_KEPT = 20;

/** Numbers of sources by the version of the table and the condition: the same on all pages of a listing. */
const counts = new WeakMap<TableHolder, Map<string, Promise<number>>>();

/** Lists a page of the names of sources. LanceDB sorts, and returns only the rows of the page; all are counted once for a version of the table. */
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

/** Counts the names as bytes: as texts they would take many times the memory. */
async function countNames(table: Table, condition: string | undefined): Promise<number> {
  const names = new NameCount();
  const query = table.query().select(['source']);
  for await (const batch of condition === undefined ? query : query.where(condition))
    for (const { values, valueOffsets, length } of batch.getChild('source')?.data ?? [])
      for (let at = 0; at < length; at++) names.add((values as Uint8Array).subarray(valueOffsets[at], valueOffsets[at + 1]));
  return names.size;
}
