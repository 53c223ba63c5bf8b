import type { Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { SourceContent, StoredChunk, StoredSource, SourcePage, SourcePageRequest } from '../../../ports/stores.ts';
import { chunkColumns, createColumnReader, toChunks } from './columns.ts';
import { isTableGone, storeError } from './lancedb-errors.ts';
import type { TableHolder } from './table-holder.ts';
import { keepVersion } from './table-maintenance.ts';
import { filterSql, inCondition, quoteSql } from './lancedb-filter.ts';
import { countChunkContent, countChunk, DistinctCounter } from '../count-sources.ts';

/** Rows of one page. */
const ROWS_PER_PAGE = 1_000;
/** Maximum attempts to tag a version before it is removed. */
const MAX_ATTEMPTS = 5;

interface ScanOptions {
  source?: string;
  vectors?: boolean;
}

/** Yields all chunks of the current version in row order; those of one source are read at once. Throws a KbError (`conflict`) if it is removed meanwhile. */
export async function* scanChunks(
  holder: TableHolder,
  { source, vectors = false }: ScanOptions = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const columns = chunkColumns(holder.entry, vectors);
  if (source === undefined) return yield* scanVersion(holder, columns);
  const rows = await holder.read((table) =>
    table
      .query()
      .where(`source = ${quoteSql(source)}`)
      .select(columns)
      .toArrow(),
  );
  for (let at = 0; at < rows.numRows; at += ROWS_PER_PAGE) yield toChunks(rows.slice(at, at + ROWS_PER_PAGE));
}

async function* scanVersion(holder: TableHolder, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  let isBegun = false;
  for (let attempts = 1; ; attempts++) {
    const table = await holder.pin();
    try {
      for await (const page of readPages(table, columns)) {
        isBegun = true;
        yield page;
      }
      return;
    } catch (error) {
      if (!isTableGone(error)) throw storeError(error, holder.url);
      if (isBegun || attempts >= MAX_ATTEMPTS) throw removedMeanwhileError(holder.entry.name, error);
    } finally {
      table.close();
    }
  }
}

/** Reads a pinned table page by page. Throws what LanceDB throws if files of the version are gone. */
async function* readPages(table: Table, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  const release = await keepVersion(table);
  try {
    for await (const batch of table.query().select(columns))
      for (let at = 0; at < batch.numRows; at += ROWS_PER_PAGE) yield toChunks(batch.slice(at, at + ROWS_PER_PAGE));
  } finally {
    await release();
  }
}

const removedMeanwhileError = (name: string, cause: unknown): KbError =>
  new KbError('conflict', `What was read of the collection "${name}" was removed meanwhile.`, {
    hint: 'Run it again.',
    cause,
    isRetryable: true,
  });

/** Reads the state of all sources. */
export async function readStoredSources(table: Table): Promise<Map<string, StoredSource>> {
  const rows = await table.query().select(['source', 'source_kind', 'version', 'siblings']).toArrow();
  const found = new Map<string, StoredSource>();
  for (const batch of rows.batches) {
    const [source, kind, version, siblings] = ['source', 'source_kind', 'version', 'siblings'].map((name) =>
      createColumnReader(batch, name),
    );
    for (let at = 0; at < batch.numRows; at++) {
      countChunk(found, {
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
const MAX_SOURCES = 1_000;

/** Reads the size and metadata of sources. LanceDB computes the lengths, so that no texts are read. */
export async function readSourceContents(holder: TableHolder, sources: readonly string[]): Promise<Map<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  for (let i = 0; i < sources.length; i += MAX_SOURCES) {
    const condition = inCondition('source', sources.slice(i, i + MAX_SOURCES));
    const columns = { source: 'source', metadata: 'metadata', characters: 'character_length(text)' };
    const rows = await holder.read((table) => table.query().where(condition).select(columns).toArrow());
    const [source, metadata, characters] = Object.keys(columns).map((name) => createColumnReader(rows, name));
    for (let at = 0; at < rows.numRows; at++)
      countChunkContent(found, source!(at) as string, { metadata: metadata!(at) as string, characters: Number(characters!(at)) });
  }
  return found;
}

/** Rows of one query for names: a source has many rows, one after another. */
const ROWS_PER_QUERY = 2_000;
/** Maximum cached counts of one collection. */
const MAX_CACHED_COUNTS = 20;

/** Numbers of sources by the table's version and the condition, which are the same for all pages of a listing. */
const cachedCounts = new WeakMap<TableHolder, Map<string, Promise<number>>>();

/** Lists a page of the names of sources. LanceDB sorts, and returns only the rows of the page; the total is counted once for each version of the table. */
export async function readSourcePage(holder: TableHolder, { filter, after, limit }: SourcePageRequest): Promise<SourcePage> {
  const condition = filterSql(filter);
  return await holder.read(async (table) => {
    const [sources, total] = await Promise.all([
      readNamesAfter(table, { condition, after, limit }),
      getCachedCount(holder, `${holder.entry.table} ${await table.version()} ${condition}`, () => countNames(table, condition)),
    ]);
    return { sources, total };
  });
}

interface NamesRequest {
  condition: string | undefined;
  after: string | undefined;
  limit: number;
}

async function readNamesAfter(table: Table, { condition, after, limit }: NamesRequest): Promise<string[]> {
  const found = new Set<string>();
  for (let last = after; found.size < limit;) {
    const where = [condition && `(${condition})`, last === undefined ? undefined : `source > ${quoteSql(last)}`].filter(Boolean);
    const query = table.query().select(['source']);
    const rows = await (where.length > 0 ? query.where(where.join(' AND ')) : query)
      .orderBy({ columnName: 'source' })
      .limit(ROWS_PER_QUERY)
      .toArrow();
    const source = createColumnReader(rows, 'source') as (at: number) => string;
    for (let at = 0; at < rows.numRows; at++) found.add((last = source(at)));
    if (rows.numRows < ROWS_PER_QUERY) break;
  }
  return [...found].slice(0, limit);
}

function getCachedCount(holder: TableHolder, key: string, count: () => Promise<number>): Promise<number> {
  const cached = cachedCounts.get(holder) ?? new Map<string, Promise<number>>();
  cachedCounts.set(holder, cached);
  const total = cached.get(key) ?? count();
  cached.set(key, total);
  total.catch(() => cached.delete(key));
  if (cached.size > MAX_CACHED_COUNTS) cached.delete(cached.keys().next().value!);
  return total;
}

/** Counts the distinct names without decoding them: as texts they would take many times the memory. */
async function countNames(table: Table, condition: string | undefined): Promise<number> {
  const names = new DistinctCounter();
  const query = table.query().select(['source']);
  for await (const batch of condition === undefined ? query : query.where(condition))
    for (const { values, valueOffsets, length } of batch.getChild('source')?.data ?? [])
      for (let at = 0; at < length; at++) names.add((values as Uint8Array).subarray(valueOffsets[at], valueOffsets[at + 1]));
  return names.size;
}
