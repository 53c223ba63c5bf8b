import type { Collection, SourceContent, SourcePage, SourcePageRequest, StoredChunk, StoredSource } from '../../../ports/stores.ts';
import type { Condition } from './qdrant-connection.ts';
import { search, searchAll, withVectors } from './qdrant-search.ts';
import { type CollectionHolder, conditionsFrom, POINTS_PER_PAGE, pages } from './collection-holder.ts';
import { visiblePoints } from './collection-state.ts';
import { CHUNK, DENSE, type Payload, safe, toChunk } from './points.ts';
import { deletePoints, replacePoints, tidyPoints, upsertPoints } from './qdrant-writes.ts';
import { countChunkContent, countChunk, DistinctCounter } from '../count-sources.ts';

/** Sources of one request. */
const AT_ONCE = 1_000;
/** Points of a page with vectors (each may take 60 kB as JSON), and of one with names only. */
const PAGE_WITH_VECTORS = 256;
const PAGE_OF_NAMES = 5_000;

/** The collection that `holder` holds. */
export function qdrantCollection(holder: CollectionHolder): Collection {
  const writer = { holder, embedder: holder.info };
  return {
    get info() {
      return holder.info;
    },
    replace: (replacements) => replacePoints(writer, replacements),
    upsert: (chunks, options) => upsertPoints(writer, chunks, options),
    delete: (where) => deletePoints(holder, where),
    get: (ids) => get(holder, ids),
    all: (options) => all(holder, options),
    sources: () => storedSources(holder),
    sourcePage: (request) => sourcePage(holder, request),
    contents: (sources) => sourceContents(holder, sources),
    search: (request) => search(holder, request),
    searchAll: (searches) => searchAll(holder, searches),
    withVectors: (chunks) => withVectors(holder, chunks),
    count: () =>
      holder.read(async (state) => {
        const request = { collection_name: holder.address, filter: visiblePoints(state), exact: true };
        return (await holder.ask((api, init) => api.countPoints(request, init))).count;
      }),
    bytes: async () => null, // Qdrant does not report it
    optimize: () => tidyPoints(holder), // Qdrant itself keeps indexes up to date
  };
}

const vectorsOf = ({ info }: CollectionHolder): string[] => (info.dimensions > 0 ? [DENSE] : []);

async function get(holder: CollectionHolder, ids: readonly string[]): Promise<StoredChunk[]> {
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
  holder: CollectionHolder,
  { source, vectors = false }: { source?: string; vectors?: boolean } = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const conditions: Condition[] = source === undefined ? [] : [{ key: 'source', match: { value: safe(source) } }];
  const walk = {
    conditions,
    payload: CHUNK,
    vectors: vectors ? vectorsOf(holder) : [],
    size: vectors ? PAGE_WITH_VECTORS : POINTS_PER_PAGE,
  };
  for await (const page of pages(holder, walk)) yield page.map(toChunk);
}

async function storedSources(holder: CollectionHolder): Promise<Map<string, StoredSource>> {
  const found = new Map<string, StoredSource>();
  for await (const page of pages(holder, {
    conditions: [],
    payload: ['source', 'source_kind', 'version', 'siblings'],
    size: PAGE_OF_NAMES,
  })) {
    for (const { payload } of page) {
      const { source, source_kind, version = '', siblings = 0 } = payload as unknown as Payload;
      countChunk(found, { source, source_kind, version, chunk_count: siblings });
    }
  }
  return found;
}

/** Qdrant does not sort texts: all names are read, and those of the page are kept. */
async function sourcePage(holder: CollectionHolder, { filter, after, limit }: SourcePageRequest): Promise<SourcePage> {
  const names = new DistinctCounter();
  let kept: string[] = [];
  const cut = (): string[] => [...new Set(kept)].toSorted(byCodePoint).slice(0, limit);
  for await (const page of pages(holder, { conditions: await conditionsFrom(holder, filter), payload: ['source'], size: PAGE_OF_NAMES })) {
    for (const { payload } of page) {
      const { source } = payload as unknown as Payload;
      names.add(Buffer.from(source));
      if (after === undefined || byCodePoint(source, after) > 0) kept.push(source);
    }
    kept = cut();
  }
  return { sources: kept, total: names.size };
}

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

async function sourceContents(holder: CollectionHolder, sources: readonly string[]): Promise<Map<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  for (let at = 0; at < sources.length; at += AT_ONCE) {
    const conditions: Condition[] = [{ key: 'source', match: { any: sources.slice(at, at + AT_ONCE).map(safe) } }];
    for await (const page of pages(holder, { conditions, payload: ['source', 'metadata', 'text'], size: POINTS_PER_PAGE }))
      for (const { payload } of page) {
        const { source, metadata, text } = payload as unknown as Payload;
        countChunkContent(found, source, { metadata, characters: text.length });
      }
  }
  return found;
}
