import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import type { Collection, CollectionInfo, Replacement, SearchRequest, StoredChunk, Where, Hit } from '../../../ports/stores.ts';
import { assertVectors, assertQueryVector } from '../vectors.ts';
import { columnsRead, selectColumns, reader, toArrow, toChunks } from './columns.ts';
import { lanceDb } from './lancedb-connection.ts';
import { hasLabels } from './filters/labels.ts';
import { folderOf } from './lancedb-settings.ts';
import type { TableHolder } from './table-holder.ts';
import { scanChunks, sourceContents, storedSources, readSourcePage } from './scan.ts';
import { bringUpToDate } from './upkeep.ts';
import { whereSql, filterSql } from './filters/lancedb-filter.ts';
import { inList } from './filters/sql-texts.ts';
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
    await holder.write(async (table) => table.add(await selectColumns(data, table)));
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
    return await (isLeft ? merge.whenNotMatchedBySourceDelete({ where: ofSources }) : merge).execute(await selectColumns(data, table));
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
    const rows = await selectColumns(data, table);
    await (isNew ? table.add(rows) : table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows));
  });
}

async function remove(holder: TableHolder, where: Where): Promise<{ id: string; source: string }[]> {
  return await holder.write(async (table) => {
    const condition = whereSql(where, await hasLabels(table));
    if (condition === undefined) return [];
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
 * Nearest by cosine or best by BM25. Hits of both kinds bring their vector along, since who fuses the two needs it.
 * The filter narrows before the search. Over 100,000 rows the index then finds the same ten as a comparison of all, in a third of its processor time.
 */
async function searchTable(holder: TableHolder, { vector, text, filter, limit }: SearchRequest): Promise<Hit[]> {
  if (limit < 1) return [];
  if (vector) return await nearest(holder, vector, { filter, limit });
  const query = searchedTerms(text ?? '').join(' ');
  return query ? await best(holder, query, { filter, limit }) : [];
}

type Narrowing = Pick<SearchRequest, 'filter' | 'limit'>;

/** The filter as SQL over the columns of the table. */
const conditionOn = async (table: Table, filter: SearchRequest['filter']): Promise<string | undefined> =>
  filter && filterSql(filter, await hasLabels(table));

async function nearest(holder: TableHolder, vector: Float32Array, { filter, limit }: Narrowing): Promise<Hit[]> {
  const ranked = async (table: Table): Promise<VectorQuery> => {
    assertQueryVector(vector, holder.entry);
    const condition = await conditionOn(table, filter);
    const query = table.query().nearestTo(vector).distanceType('cosine').refineFactor(REFINED).limit(limit);
    return condition === undefined ? query.nprobes(PROBES) : query.nprobes(FILTERED_PROBES).where(condition);
  };
  return inOrder(await hitsOf(holder, { ranked, column: '_distance', score: cosine }));
}

/** A vector of zeros has no direction, and no distance. */
const cosine = (distance: number): number => (Number.isFinite(distance) ? Math.max(-1, Math.min(1, 1 - distance)) : 0);

async function best(holder: TableHolder, query: string, { filter, limit }: Narrowing): Promise<Hit[]> {
  const { MatchQuery } = await lanceDb();
  const ranked = async (table: Table): Promise<Query> => {
    const condition = await conditionOn(table, filter);
    const matching = table.query().fullTextSearch(new MatchQuery(query, 'terms')).limit(limit);
    return condition === undefined ? matching : matching.where(condition);
  };
  return inOrder(await hitsOf(holder, { ranked, column: '_score', score: (score) => score }));
}

const inOrder = (hits: Hit[]): Hit[] => hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));

interface Ranking {
  ranked: (table: Table) => Promise<Query | VectorQuery>;
  /** LanceDB's column of what it ranks by, and the score that this makes. */
  column: '_distance' | '_score';
  score: (value: number) => number;
}

/** The hits of a ranking with their chunks, all of one version of the table. */
async function hitsOf(holder: TableHolder, ranking: Ranking): Promise<Hit[]> {
  for (let attempt = 0; attempt < SHARED_ATTEMPTS; attempt++) {
    const hits = await holder.read((table) => hitsFromCache(table, holder, ranking));
    if (hits) return hits;
  }
  const rows = await holder.read(async (table) => (await ranking.ranked(table)).select(columnsOf(holder, ranking.column)).toArrow());
  const value = reader(rows, ranking.column) as (at: number) => number;
  return toChunks(rows).map((chunk, at) => ({ chunk, score: ranking.score(value(at)) }));
}

/** Ranks rows by their numbers alone, and reads only those that no search has read before; undefined where another version came between. */
async function hitsFromCache(table: Table, holder: TableHolder, { ranked, column, score }: Ranking): Promise<Hit[] | undefined> {
  const { table: name } = holder.entry; // before anything is waited for: another table may take the place of this one
  const version = await table.version();
  const key = (row: bigint) => `${name} ${version} ${row}`;
  const ranking = await (await ranked(table)).select([column]).withRowId().toArrow();
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
