import type { Query, Table, VectorQuery } from '@lancedb/lancedb';
import type { Table as Rows } from 'apache-arrow';
import { searchedTerms } from '../../../text/terms.ts';
import type { Hit, SearchRequest, StoredChunk } from '../../../ports/stores.ts';
import { assertQueryVector } from '../vectors.ts';
import { columnsRead, reader, toChunks } from './columns.ts';
import { lanceDb } from './lancedb-connection.ts';
import type { TableHolder } from './table-holder.ts';
import { filterSql } from './lancedb-filter.ts';

/** Candidates of the vector index that are compared exactly, as a multiple of the limit: 2 already finds all that are in the parts looked into. */
const REFINED = 3;
/**
 * Parts of the vector index that are looked into; a part holds about 4,000 rows, so up to half a million rows that is all. Vectors of texts spread over
 * many parts: of the best 100 of 7,000 passages in 64 parts, 20 probes found .917, 40 found .986.
 */
const PROBES = 128;
/** Searches that other writers may come between before one reads its hits' rows in the same step. */
const SHARED_ATTEMPTS = 2;

/**
 * Nearest by cosine or best by BM25. Hits of both kinds bring their vector along, since who fuses the two needs it.
 * The filter narrows before the search. With one, vectors are compared exactly, index or not: the index would look into too few of its parts.
 */
export async function searchTable(holder: TableHolder, { vector, text, filter, limit }: SearchRequest): Promise<Hit[]> {
  if (limit < 1) return [];
  if (vector) return await nearest(holder, vector, { condition: filterSql(filter), limit });
  const query = searchedTerms(text ?? '').join(' ');
  return query ? await best(holder, query, { condition: filterSql(filter), limit }) : [];
}

interface Narrowing {
  condition: string | undefined;
  limit: number;
}

async function nearest(holder: TableHolder, vector: Float32Array, { condition, limit }: Narrowing): Promise<Hit[]> {
  const ranked = (table: Table): VectorQuery => {
    assertQueryVector(vector, holder.entry);
    const query = table.query().nearestTo(vector).distanceType('cosine').refineFactor(REFINED).nprobes(PROBES).limit(limit);
    return condition === undefined ? query : query.where(condition).bypassVectorIndex();
  };
  return inOrder(await hitsOf(holder, { ranked, column: '_distance', score: cosine }));
}

/** A vector of zeros has no direction, and no distance. */
const cosine = (distance: number): number => (Number.isFinite(distance) ? Math.max(-1, Math.min(1, 1 - distance)) : 0);

async function best(holder: TableHolder, query: string, { condition, limit }: Narrowing): Promise<Hit[]> {
  const { MatchQuery } = await lanceDb();
  const ranked = (table: Table): Query => {
    const matching = table.query().fullTextSearch(new MatchQuery(query, 'terms')).limit(limit);
    return condition === undefined ? matching : matching.where(condition);
  };
  return inOrder(await hitsOf(holder, { ranked, column: '_score', score: (score) => score }));
}

/** Best first; equal ones by id, so that the same search gives the same order. */
const inOrder = (hits: Hit[]): Hit[] => hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));

interface Ranking {
  ranked: (table: Table) => Query | VectorQuery;
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
  const rows = await holder.read((table) => ranking.ranked(table).select(columnsOf(holder, ranking.column)).toArrow());
  const value = reader(rows, ranking.column) as (at: number) => number;
  return toChunks(rows).map((chunk, at) => ({ chunk, score: ranking.score(value(at)) }));
}

/** Ranks ids alone, and reads only those rows that no search has read before; undefined where another version came between. */
async function hitsFromCache(table: Table, holder: TableHolder, { ranked, column, score }: Ranking): Promise<Hit[] | undefined> {
  const { table: name } = holder.entry; // before anything is waited for: another table may take the place of this one
  const version = await table.version();
  const snapshot = `${name} ${version}`;
  const rows = await ranked(table).select(['id', column]).withRowId().toArrow();
  const [id, row, value] = [reader(rows, 'id'), reader(rows, '_rowid'), reader(rows, column)] as [Read<string>, Read<bigint>, Read<number>];
  const places = Array.from({ length: rows.numRows }, (_, at) => at);
  const found = new Map<string, StoredChunk>();
  const unread: bigint[] = [];
  for (const at of places) {
    const chunk = holder.chunks.get(snapshot, id(at));
    if (chunk) found.set(chunk.id, chunk);
    else unread.push(row(at));
  }
  const read = unread.length > 0 ? toChunks(await rowsOf(table, unread, columnsOf(holder))) : [];
  if ((await table.version()) !== version) return undefined;
  for (const chunk of read) {
    holder.chunks.add(snapshot, chunk);
    found.set(chunk.id, chunk);
  }
  return places.map((at) => ({ chunk: found.get(id(at))!, score: score(value(at)) }));
}

type Read<Value> = (at: number) => Value;

const columnsOf = ({ entry }: TableHolder, ...further: string[]): string[] => [...columnsRead(entry, true), ...further];

const rowsOf = (table: Table, ids: readonly bigint[], columns: string[]): Promise<Rows> => table.takeRowIds(ids).select(columns).toArrow();
