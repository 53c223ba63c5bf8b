import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import type { Collection, CollectionInfo, Replacement, SearchRequest, StoredChunk, Where, Hit } from '../../../ports/stores.ts';
import { assertVectors, assertQueryVector } from '../vectors.ts';
import { columnsRead, reader, toArrow, toChunks } from './columns.ts';
import { lanceDb, folderOf } from './lancedb-connection.ts';
import type { TableHolder } from './table-holder.ts';
import { scanChunks, sourceContents, storedSources, readSourcePage } from './scan.ts';
import { bringUpToDate } from './upkeep.ts';
import { whereSql, filterSql, inList } from './lancedb-filter.ts';
import { searchedTerms } from '../../../text/terms.ts';

/** Ids of one query. */
const MOST_IDS = 1_000;

/** The collection whose rows `holder` holds. */
export function lanceCollection(holder: TableHolder): Collection {
  return {
    get info(): CollectionInfo {
      const { table: _table, ...info } = holder.entry;
      return info;
    },
    replace: (replacements) => replace(holder, replacements),
    upsert: (chunks) => upsert(holder, chunks),
    delete: (where) => remove(holder, where),
    get: (ids) => get(holder, ids),
    all: (options) => scanChunks(holder, options),
    sources: () => holder.read(storedSources),
    sourcePage: (request) => readSourcePage(holder, request),
    contents: (sources) => sourceContents(holder, sources),
    search: (request: SearchRequest) => searchTable(holder, request),
    count: () => holder.read((table) => table.countRows()),
    bytes: () => bytesOf(holder),
    optimize: ({ whole = false, hasMore = false } = {}) =>
      holder.write((table) =>
        bringUpToDate(table, {
          dimensions: holder.entry.dimensions,
          created: holder.created,
          place: folderOf(holder.url) === undefined ? 'bucket' : 'folder',
          whole,
          hasMore,
        }),
      ),
  };
}

/** The last of those that share an id: LanceDB would write each of them. */
const onePerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [...new Map(chunks.map((chunk) => [chunk.id, chunk])).values()];

/** New documents are added, which is fastest; the others take the place of what is there, in one step. */
async function replace(holder: TableHolder, replacements: readonly Replacement[]): Promise<void> {
  const added = onePerId(replacements.filter(({ isNew }) => isNew).flatMap(({ chunks }) => chunks));
  const changed = replacements.filter(({ isNew }) => !isNew);
  const chunks = onePerId(changed.flatMap((replacement) => replacement.chunks));
  assertVectors([...added, ...chunks], holder.entry); // all or nothing
  if (added.length > 0) {
    const data = await toArrow(added, holder.entry);
    await holder.write((table) => table.add(data));
  }
  if (changed.length > 0) await change(holder, { sources: changed.map(({ source }) => source), chunks });
}

async function change(
  holder: TableHolder,
  { sources, chunks }: { sources: readonly string[]; chunks: readonly StoredChunk[] },
): Promise<void> {
  const ofSources = inList('source', sources);
  const ids = new Set(chunks.map(({ id }) => id));
  const data = chunks.length > 0 ? await toArrow(chunks, holder.entry) : undefined;
  await holder.write(async (table) => {
    if (!data) return await table.delete(ofSources);
    const there = await table.query().where(ofSources).select(['id']).toArrow();
    const id = reader(there, 'id') as (at: number) => string;
    // to look for rows that are to go takes a walk through the whole table: only where there are any
    const isLeft = Array.from({ length: there.numRows }, (_, at) => id(at)).some((known) => !ids.has(known));
    const merge = table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll();
    return await (isLeft ? merge.whenNotMatchedBySourceDelete({ where: ofSources }) : merge).execute(data);
  });
}

async function upsert(holder: TableHolder, given: readonly StoredChunk[]): Promise<void> {
  const chunks = onePerId(given);
  assertVectors(chunks, holder.entry);
  if (chunks.length === 0) return;
  const data = await toArrow(chunks, holder.entry);
  const anyOfThem = inList(
    'id',
    chunks.map(({ id }) => id),
  );
  await holder.write(async (table, isAlone) => {
    // rows that are all new are added: to merge takes LanceDB more processor time, and hundreds of megabytes
    const isNew = isAlone && (await table.query().where(anyOfThem).select(['id']).limit(1).toArrow()).numRows === 0;
    await (isNew ? table.add(data) : table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data));
  });
}

async function remove(holder: TableHolder, where: Where): Promise<{ id: string; source: string }[]> {
  const condition = whereSql(where);
  if (condition === undefined) return [];
  return await holder.write(async (table) => {
    const rows = await table.query().where(condition).select(['id', 'source']).toArrow();
    const [id, source] = [reader(rows, 'id'), reader(rows, 'source')] as ((at: number) => string)[];
    if (rows.numRows > 0) await table.delete(condition);
    return Array.from({ length: rows.numRows }, (_, at) => ({ id: id!(at), source: source!(at) }));
  });
}

async function get(holder: TableHolder, ids: readonly string[]): Promise<StoredChunk[]> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, StoredChunk>();
  for (let i = 0; i < wanted.length; i += MOST_IDS) {
    const condition = inList('id', wanted.slice(i, i + MOST_IDS));
    const rows = await holder.read((table) => table.query().where(condition).select(columnsRead(holder.entry, true)).toArrow());
    for (const chunk of toChunks(rows)) found.set(chunk.id, chunk);
  }
  return wanted.flatMap((id) => found.get(id) ?? []);
}

async function bytesOf(holder: TableHolder): Promise<number> {
  const { url, entry } = holder;
  const folder = folderOf(url);
  if (folder === undefined) return await holder.read(async (table) => (await table.stats()).totalBytes);
  const files = await readdir(join(folder, `${entry.table}.lance`), { recursive: true, withFileTypes: true }).catch(() => []);
  // a file that an optimization has just removed counts nothing
  const sizes = await Promise.all(
    files.map(async (file) => (file.isFile() ? ((await stat(join(file.parentPath, file.name)).catch(() => undefined))?.size ?? 0) : 0)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Candidates of the vector index that are compared exactly, as a multiple of the limit: 2 already finds all that are in the parts looked into. */
const REFINED = 3;
/**
 * Parts of the vector index that are looked into; a part holds about 4,000 rows, so up to half a million rows that is all. Vectors of texts spread over
 * many parts: of the best 100 of 7,000 passages in 64 parts, 20 probes found .917, 40 found .986.
 */
const PROBES = 128;
/** The same with a filter: what it leaves lies farther from the query, and apart. */
const FILTERED_PROBES = 1_024;
/** Searches that other writers may come between before one reads its hits' rows in the same step. */
const SHARED_ATTEMPTS = 2;

/**
 * Finds the nearest chunks by cosine, or the best by BM25, with their vectors: fusion needs them. The filter narrows before the search. Over 100,000 rows
 * the index then finds the same ten as a comparison of all, in a third of its processor time.
 */
async function searchTable(holder: TableHolder, { vector, text = '', filter, limit }: SearchRequest): Promise<Hit[]> {
  const query = searchedTerms(text).join(' ');
  if (limit < 1 || (!vector && !query)) return [];
  const condition = filterSql(filter);
  const hits = await hitsOf(holder, vector ? nearest(holder, vector, { condition, limit }) : await best(query, { condition, limit }));
  return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));
}

interface Narrowing {
  condition: string | undefined;
  limit: number;
}

interface Ranking {
  rank: (table: Table) => Query | VectorQuery;
  /** LanceDB's column of what it ranks by, and the score that this makes. */
  column: '_distance' | '_score';
  score: (value: number) => number;
}

const nearest = (holder: TableHolder, vector: Float32Array, { condition, limit }: Narrowing): Ranking => ({
  rank: (table) => {
    assertQueryVector(vector, holder.entry);
    const query = table.query().nearestTo(vector).distanceType('cosine').refineFactor(REFINED).limit(limit);
    return condition === undefined ? query.nprobes(PROBES) : query.nprobes(FILTERED_PROBES).where(condition);
  },
  column: '_distance',
  score: (distance) => (Number.isFinite(distance) ? Math.max(-1, Math.min(1, 1 - distance)) : 0), // a vector of zeros has no direction
});

async function best(query: string, { condition, limit }: Narrowing): Promise<Ranking> {
  const { MatchQuery } = await lanceDb();
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
async function hitsOf(holder: TableHolder, ranking: Ranking): Promise<Hit[]> {
  for (let attempt = 0; attempt < SHARED_ATTEMPTS; attempt++) {
    const hits = await holder.read((table) => hitsFromCache(table, holder, ranking));
    if (hits) return hits;
  }
  const rows = await holder.read((table) => ranking.rank(table).select(columnsOf(holder, ranking.column)).toArrow());
  const value = reader(rows, ranking.column) as (at: number) => number;
  return toChunks(rows).map((chunk, at) => ({ chunk, score: ranking.score(value(at)) }));
}

/** Ranks rows by their numbers alone, and reads only those that no search has read before; undefined where another version came between. */
async function hitsFromCache(table: Table, holder: TableHolder, { rank, column, score }: Ranking): Promise<Hit[] | undefined> {
  const { table: name } = holder.entry; // before anything is waited for: another table may take the place of this one
  const version = await table.version();
  const key = (row: bigint) => `${name} ${version} ${row}`;
  const ranking = await rank(table).select([column]).withRowId().toArrow();
  const [row, value] = [reader(ranking, '_rowid'), reader(ranking, column)] as [Read<bigint>, Read<number>];
  const rows = Array.from({ length: ranking.numRows }, (_, at) => row(at));
  const found = rows.map((number) => holder.chunks.get(key(number)));
  const unread = rows.filter((_, at) => !found[at]);
  const read = unread.length > 0 ? await readRows(table, unread, columnsOf(holder)) : undefined;
  if ((await table.version()) !== version) return undefined;
  for (const [number, chunk] of read ?? []) holder.chunks.add(key(number), chunk);
  return rows.map((number, at) => ({ chunk: found[at] ?? read!.get(number)!, score: score(value(at)) }));
}

type Read<Value> = (at: number) => Value;

const columnsOf = ({ entry }: TableHolder, ...further: string[]): string[] => [...columnsRead(entry, true), ...further];

async function readRows(table: Table, numbers: readonly bigint[], columns: string[]): Promise<Map<bigint, StoredChunk>> {
  const rows = await table.takeRowIds(numbers).select(columns).withRowId().toArrow();
  const number = reader(rows, '_rowid') as Read<bigint>;
  return new Map(toChunks(rows).map((chunk, at) => [number(at), chunk]));
}
