import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import type { Collection, CollectionInfo, Replacement, SearchRequest, StoredChunk, Where, Hit } from '../../../ports/stores.ts';
import { assertVectors, assertQueryVector } from '../vectors.ts';
import { chunkColumns, createColumnReader, toArrowTable, toChunks } from './columns.ts';
import { loadLanceDb, folderOf } from './lancedb-connection.ts';
import type { TableHolder } from './table-holder.ts';
import { scanChunks, readSourceContents, readStoredSources, readSourcePage } from './table-scan.ts';
import { optimizeTable } from './table-maintenance.ts';
import { whereSql, filterSql, inCondition } from './lancedb-filter.ts';
import { searchedTerms } from '../../../text/terms.ts';

/** Ids of one query. */
const MAX_IDS = 1_000;

/** Makes the collection of a table. */
export function lanceCollection(holder: TableHolder): Collection {
  return {
    get info(): CollectionInfo {
      const { table: _table, ...info } = holder.entry;
      return info;
    },
    replace: (replacements) => replace(holder, replacements),
    upsert: (chunks) => upsert(holder, chunks),
    delete: (where) => deleteChunks(holder, where),
    get: (ids) => getChunks(holder, ids),
    all: (options) => scanChunks(holder, options),
    sources: () => holder.read(readStoredSources),
    sourcePage: (request) => readSourcePage(holder, request),
    contents: (sources) => readSourceContents(holder, sources),
    search: (request: SearchRequest) => searchTable(holder, request),
    count: () => holder.read((table) => table.countRows()),
    bytes: () => measureBytes(holder),
    optimize: ({ whole = false, hasMore = false } = {}) =>
      holder.write((table) =>
        optimizeTable(table, {
          dimensions: holder.entry.dimensions,
          created: holder.created,
          place: folderOf(holder.url) === undefined ? 'bucket' : 'folder',
          whole,
          hasMore,
        }),
      ),
  };
}

/** Keeps the last of the chunks that share an id: LanceDB would write each of them. */
const keepLastPerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [...new Map(chunks.map((chunk) => [chunk.id, chunk])).values()];

/** Adds the chunks of new documents, which is fastest, and replaces those of the others in one step. */
async function replace(holder: TableHolder, replacements: readonly Replacement[]): Promise<void> {
  const added = keepLastPerId(replacements.filter(({ isNew }) => isNew).flatMap(({ chunks }) => chunks));
  const changed = replacements.filter(({ isNew }) => !isNew);
  const chunks = keepLastPerId(changed.flatMap((replacement) => replacement.chunks));
  assertVectors([...added, ...chunks], holder.entry); // before anything is written
  if (added.length > 0) {
    const data = await toArrowTable(added, holder.entry);
    await holder.write((table) => table.add(data));
  }
  if (changed.length > 0) await replaceSources(holder, { sources: changed.map(({ source }) => source), chunks });
}

async function replaceSources(
  holder: TableHolder,
  { sources, chunks }: { sources: readonly string[]; chunks: readonly StoredChunk[] },
): Promise<void> {
  const ofSources = inCondition('source', sources);
  const ids = new Set(chunks.map(({ id }) => id));
  const data = chunks.length > 0 ? await toArrowTable(chunks, holder.entry) : undefined;
  await holder.write(async (table) => {
    if (!data) return await table.delete(ofSources);
    const stored = await table.query().where(ofSources).select(['id']).toArrow();
    const id = createColumnReader(stored, 'id') as (at: number) => string;
    // the search for rows to delete scans the whole table: only if there are any
    const hasLeftovers = Array.from({ length: stored.numRows }, (_, at) => id(at)).some((known) => !ids.has(known));
    const merge = table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll();
    return await (hasLeftovers ? merge.whenNotMatchedBySourceDelete({ where: ofSources }) : merge).execute(data);
  });
}

async function upsert(holder: TableHolder, given: readonly StoredChunk[]): Promise<void> {
  const chunks = keepLastPerId(given);
  assertVectors(chunks, holder.entry);
  if (chunks.length === 0) return;
  const data = await toArrowTable(chunks, holder.entry);
  const withTheirIds = inCondition(
    'id',
    chunks.map(({ id }) => id),
  );
  await holder.write(async (table, isExclusive) => {
    // if all rows are new, they are added: a merge takes LanceDB more processor time, and hundreds of megabytes
    const isNew = isExclusive && (await table.query().where(withTheirIds).select(['id']).limit(1).toArrow()).numRows === 0;
    await (isNew ? table.add(data) : table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data));
  });
}

async function deleteChunks(holder: TableHolder, where: Where): Promise<{ id: string; source: string }[]> {
  const conditions = 'ids' in where ? idConditions(where.ids) : [whereSql(where)].filter((condition) => condition !== undefined);
  if (conditions.length === 0) return [];
  return await holder.write(async (table) => {
    const deleted: { id: string; source: string }[] = [];
    for (const condition of conditions) {
      const rows = await table.query().where(condition).select(['id', 'source']).toArrow();
      const [id, source] = [createColumnReader(rows, 'id'), createColumnReader(rows, 'source')] as ((at: number) => string)[];
      if (rows.numRows > 0) await table.delete(condition);
      for (let at = 0; at < rows.numRows; at++) deleted.push({ id: id!(at), source: source!(at) });
    }
    return deleted;
  });
}

/** Writes conditions that select the ids, each at most MAX_IDS: LanceDB holds a list of ids once for every fragment that is not indexed. */
function idConditions(ids: readonly string[]): string[] {
  const uniqueIds = [...new Set(ids)];
  return Array.from({ length: Math.ceil(uniqueIds.length / MAX_IDS) }, (_, i) =>
    inCondition('id', uniqueIds.slice(i * MAX_IDS, (i + 1) * MAX_IDS)),
  );
}

async function getChunks(holder: TableHolder, ids: readonly string[]): Promise<StoredChunk[]> {
  const found = new Map<string, StoredChunk>();
  for (const condition of idConditions(ids)) {
    const rows = await holder.read((table) => table.query().where(condition).select(chunkColumns(holder.entry, true)).toArrow());
    for (const chunk of toChunks(rows)) found.set(chunk.id, chunk);
  }
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? []);
}

async function measureBytes(holder: TableHolder): Promise<number> {
  const { url, entry } = holder;
  const folder = folderOf(url);
  if (folder === undefined) return await holder.read(async (table) => (await table.stats()).totalBytes);
  const files = await readdir(join(folder, `${entry.table}.lance`), { recursive: true, withFileTypes: true }).catch(() => []);
  // an optimization may remove files meanwhile: they count as 0
  const sizes = await Promise.all(
    files.map(async (file) => (file.isFile() ? ((await stat(join(file.parentPath, file.name)).catch(() => undefined))?.size ?? 0) : 0)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Candidates of the vector index that are compared exactly, as a multiple of the limit: 2 already finds all in the probed partitions. */
const REFINE_FACTOR = 3;
/**
 * Partitions of the vector index that are probed: all of them up to half a million rows, since a partition holds about 4,000. Vectors of texts spread over
 * many partitions: of the best 100 of 7,000 passages in 64 partitions, 20 probes found .917, 40 found .986.
 */
const PROBES = 128;
/** The same with a filter: the matching rows are farther from the query, and more scattered. */
const FILTERED_PROBES = 1_024;
/** Attempts to search with the cache, each of which a concurrent write spoils; then hits and rows are read in one query. */
const CACHED_ATTEMPTS = 2;

/**
 * Finds the nearest chunks by cosine, or the best by BM25, with their vectors, which fusion needs. The filter applies before the search. Over 100,000 rows
 * the index finds the same ten as an exhaustive comparison, in a third of the processor time.
 */
async function searchTable(holder: TableHolder, { vector, text = '', filter, limit }: SearchRequest): Promise<Hit[]> {
  const query = searchedTerms(text).join(' ');
  if (limit < 1 || (!vector && !query)) return [];
  const condition = filterSql(filter);
  const hits = await readHits(
    holder,
    vector ? rankByVector(holder, vector, { condition, limit }) : await rankByText(query, { condition, limit }),
  );
  return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));
}

interface SearchBounds {
  condition: string | undefined;
  limit: number;
}

interface Ranking {
  rank: (table: Table) => Query | VectorQuery;
  /** LanceDB's column of the ranking value, and the function that makes a score of it. */
  column: '_distance' | '_score';
  score: (value: number) => number;
}

const rankByVector = (holder: TableHolder, vector: Float32Array, { condition, limit }: SearchBounds): Ranking => ({
  rank: (table) => {
    assertQueryVector(vector, holder.entry);
    const query = table.query().nearestTo(vector).distanceType('cosine').refineFactor(REFINE_FACTOR).limit(limit);
    return condition === undefined ? query.nprobes(PROBES) : query.nprobes(FILTERED_PROBES).where(condition);
  },
  column: '_distance',
  score: (distance) => (Number.isFinite(distance) ? Math.max(-1, Math.min(1, 1 - distance)) : 0), // a vector of zeros has no direction
});

async function rankByText(query: string, { condition, limit }: SearchBounds): Promise<Ranking> {
  const { MatchQuery } = await loadLanceDb();
  return {
    rank: (table) => {
      const matching = table.query().fullTextSearch(new MatchQuery(query, 'terms')).limit(limit);
      return condition === undefined ? matching : matching.where(condition);
    },
    column: '_score',
    score: (score) => score,
  };
}

/** Reads the hits of a ranking with their chunks, all of one version of the table. */
async function readHits(holder: TableHolder, ranking: Ranking): Promise<Hit[]> {
  for (let attempt = 0; attempt < CACHED_ATTEMPTS; attempt++) {
    const hits = await holder.read((table) => readHitsWithCache(table, holder, ranking));
    if (hits) return hits;
  }
  const rows = await holder.read((table) => ranking.rank(table).select(hitColumns(holder, ranking.column)).toArrow());
  const value = createColumnReader(rows, ranking.column) as (at: number) => number;
  return toChunks(rows).map((chunk, at) => ({ chunk, score: ranking.score(value(at)) }));
}

/** Ranks rows without reading them, and reads only those that are not in the cache; undefined if the table's version changed meanwhile. */
async function readHitsWithCache(table: Table, holder: TableHolder, { rank, column, score }: Ranking): Promise<Hit[] | undefined> {
  const { table: name } = holder.entry; // before the first await: another table may replace this one
  const version = await table.version();
  const key = (row: bigint) => `${name} ${version} ${row}`;
  const ranking = await rank(table).select([column]).withRowId().toArrow();
  const [row, value] = [createColumnReader(ranking, '_rowid'), createColumnReader(ranking, column)] as [Read<bigint>, Read<number>];
  const rows = Array.from({ length: ranking.numRows }, (_, at) => row(at));
  const found = rows.map((number) => holder.chunks.get(key(number)));
  const unread = rows.filter((_, at) => !found[at]);
  const read = unread.length > 0 ? await readRows(table, unread, hitColumns(holder)) : undefined;
  if ((await table.version()) !== version) return undefined;
  for (const [number, chunk] of read ?? []) holder.chunks.add(key(number), chunk);
  return rows.map((number, at) => ({ chunk: found[at] ?? read!.get(number)!, score: score(value(at)) }));
}

type Read<Value> = (at: number) => Value;

const hitColumns = ({ entry }: TableHolder, ...further: string[]): string[] => [...chunkColumns(entry, true), ...further];

async function readRows(table: Table, numbers: readonly bigint[], columns: string[]): Promise<Map<bigint, StoredChunk>> {
  const rows = await table.takeRowIds(numbers).select(columns).withRowId().toArrow();
  const number = createColumnReader(rows, '_rowid') as Read<bigint>;
  return new Map(toChunks(rows).map((chunk, at) => [number(at), chunk]));
}
