import { queryTerms } from '../../../base/terms.ts';
import type { Hit, SearchRequest } from '../../../ports/stores.ts';
import { assertQueryVector } from '../vectors.ts';
import { READ } from './columns.ts';
import { lanceDb } from './connect.ts';
import type { Holder } from './holder.ts';
import { reader, toChunks } from './rows.ts';
import { filterSql } from './where.ts';

/** Candidates of the vector index that are compared exactly, as a multiple of the limit: 2 already finds all that are in the parts looked into. */
const REFINED = 3;
/**
 * Parts of the vector index that are looked into; a part holds about 4,000 rows, so up to half a million rows that is all. Vectors of texts spread over
 * many parts: of the best 100 of 7,000 passages in 64 parts, 20 probes found .917, 40 found .986.
 */
const PROBES = 128;

/**
 * Nearest by cosine or best by BM25. Hits of both kinds bring their vector along: for 100 hits that takes a millisecond, and who fuses the two needs it.
 * The filter narrows before the search. With one, vectors are compared exactly, index or not: the index would look into too few of its parts.
 */
export async function search(holder: Holder, { vector, text, filter, limit }: SearchRequest): Promise<Hit[]> {
  if (limit < 1) return [];
  if (vector) return await nearest(holder, vector, { condition: filterSql(filter), limit });
  const query = queryTerms(text ?? '').join(' ');
  return query ? await best(holder, query, { condition: filterSql(filter), limit }) : [];
}

interface Narrowing {
  condition: string | undefined;
  limit: number;
}

const columns = ({ entry }: Holder, score: string): string[] => [...READ, ...(entry.dimensions > 0 ? ['vector'] : []), score];

async function nearest(holder: Holder, vector: Float32Array, { condition, limit }: Narrowing): Promise<Hit[]> {
  const rows = await holder.read((table) => {
    assertQueryVector(vector, holder.entry);
    const query = table
      .query()
      .nearestTo(vector)
      .distanceType('cosine')
      .refineFactor(REFINED)
      .nprobes(PROBES)
      .select(columns(holder, '_distance'))
      .limit(limit);
    return (condition === undefined ? query : query.where(condition).bypassVectorIndex()).toArrow();
  });
  const distance = reader(rows, '_distance') as (at: number) => number;
  return inOrder(toChunks(rows).map((chunk, at) => ({ chunk, score: cosine(distance(at)) })));
}

/** A vector of zeros has no direction, and no distance. */
const cosine = (distance: number): number => (Number.isFinite(distance) ? Math.max(-1, Math.min(1, 1 - distance)) : 0);

async function best(holder: Holder, query: string, { condition, limit }: Narrowing): Promise<Hit[]> {
  const { MatchQuery } = await lanceDb();
  const rows = await holder.read((table) => {
    const matching = table.query().fullTextSearch(new MatchQuery(query, 'terms')).select(columns(holder, '_score')).limit(limit);
    return (condition === undefined ? matching : matching.where(condition)).toArrow();
  });
  const score = reader(rows, '_score') as (at: number) => number;
  return inOrder(toChunks(rows).map((chunk, at) => ({ chunk, score: score(at) })));
}

/** Best first; equal ones by id, so that the same search gives the same order. */
const inOrder = (hits: Hit[]): Hit[] => hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));
