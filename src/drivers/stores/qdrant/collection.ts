import type { Collection, Hit, SearchRequest, StoredChunk, StoredSource } from '../../../ports/stores.ts';
import { countIn } from '../sources.ts';
import { assertQueryVector } from '../vectors.ts';
import type { Condition } from './connect.ts';
import { conditionsOf } from './filter.ts';
import { pages, type Holder } from './holder.ts';
import { CHUNK, DENSE, safe, TEXT, toChunk } from './points.ts';
import { visible, type State } from './state.ts';
import { queryVector, type SparseVector } from './text-vector.ts';
import { remove, replace, tidy, upsert } from './write.ts';

/** Points of a page: without vectors, with them (each may take 60 kB as JSON), and where only names are read. */
const PAGE = 1_000;
const PAGE_WITH_VECTORS = 256;
const PAGE_OF_NAMES = 5_000;

/** The collection that `holder` holds. */
export function collectionIn(holder: Holder): Collection {
  return {
    get info() {
      return holder.info;
    },
    replace: (replacements) => replace(holder, replacements),
    upsert: (chunks) => upsert(holder, chunks),
    delete: (where) => remove(holder, where),
    get: (ids) => get(holder, ids),
    all: (options) => all(holder, options),
    sources: () => storedSources(holder),
    search: (request) => search(holder, request),
    count: () =>
      holder.read(async (state) => {
        const request = { collection_name: holder.address, filter: visible(state), exact: true };
        return (await holder.ask((api, init) => api.countPoints(request, init))).count;
      }),
    bytes: async () => 0, // Qdrant does not tell
    optimize: () => tidy(holder), // indexes are kept up to date by Qdrant itself
  };
}

const vectorsOf = ({ info }: Holder): string[] => (info.dimensions > 0 ? [DENSE] : []);

async function get(holder: Holder, ids: readonly string[]): Promise<StoredChunk[]> {
  const wanted = [...new Set(ids.map(safe))];
  const found = new Map<string, StoredChunk>();
  for (let at = 0; at < wanted.length; at += PAGE_WITH_VECTORS) {
    const conditions: Condition[] = [{ key: 'id', match: { any: wanted.slice(at, at + PAGE_WITH_VECTORS) } }];
    for await (const page of pages(holder, { conditions, payload: CHUNK, vectors: vectorsOf(holder), size: PAGE_WITH_VECTORS }))
      for (const chunk of page.map(toChunk)) found.set(chunk.id, chunk);
  }
  return wanted.flatMap((id) => found.get(id) ?? []);
}

async function* all(
  holder: Holder,
  { source, vectors = false }: { source?: string; vectors?: boolean } = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const conditions: Condition[] = source === undefined ? [] : [{ key: 'source', match: { value: safe(source) } }];
  const walk = { conditions, payload: CHUNK, vectors: vectors ? vectorsOf(holder) : [], size: vectors ? PAGE_WITH_VECTORS : PAGE };
  for await (const page of pages(holder, walk)) yield page.map(toChunk);
}

async function storedSources(holder: Holder): Promise<Map<string, StoredSource>> {
  const found = new Map<string, StoredSource>();
  for await (const page of pages(holder, { payload: ['source', 'source_kind', 'version', 'siblings'], size: PAGE_OF_NAMES })) {
    for (const { payload } of page) {
      const { source, source_kind, version = '', siblings = 0 } = payload as unknown as StoredSource;
      countIn(found, { source, source_kind, version, siblings });
    }
  }
  return found;
}

/** Nearest by cosine, or best by BM25; hits bring their vectors along. The filter narrows before the search. */
async function search(holder: Holder, { vector, text, filter, limit }: SearchRequest): Promise<Hit[]> {
  const words = vector ? undefined : queryVector(text ?? '');
  if (limit < 1 || !(vector ?? words)) return [];
  return await holder.read(async (state) => {
    if (vector) assertQueryVector(vector, state);
    const conditions = await conditionsOf(filter, (part, others) => pages(holder, { conditions: others, payload: [part], size: PAGE }));
    return await nearest(holder, { state, conditions, query: vector ? Array.from(vector) : words!, limit });
  });
}

interface Query {
  state: State;
  conditions: Condition[];
  query: number[] | SparseVector;
  limit: number;
}

async function nearest({ ask, address }: Holder, { state, conditions, query, limit }: Query): Promise<Hit[]> {
  const { points } = await ask((api, init) =>
    api.queryPoints(
      {
        collection_name: address,
        query,
        using: Array.isArray(query) ? DENSE : TEXT,
        filter: visible(state, conditions),
        limit,
        with_payload: CHUNK,
        with_vector: state.dimensions > 0 ? [DENSE] : false,
      },
      init,
    ),
  );
  const hits = points.map((point) => ({ chunk: toChunk(point), score: Array.isArray(query) ? cosine(point.score) : point.score }));
  return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1)); // the same search gives the same order
}

/** In single precision it may come out a little larger. */
const cosine = (score: number): number => Math.max(-1, Math.min(1, score));
