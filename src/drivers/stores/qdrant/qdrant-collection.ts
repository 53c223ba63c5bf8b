import { compareCodePoints } from '../../../core/code-points.ts';
import type { Collection, SourceContent, SourcePage, SourcePageRequest, StoredChunk, StoredSource } from '../../../ports/stores.ts';
import type { Condition } from './qdrant-connection.ts';
import { search, searchAll, withVectors } from './qdrant-search.ts';
import { type CollectionHolder, resolveFilter, POINTS_PER_PAGE, readPages } from './collection-holder.ts';
import { visiblePoints } from './collection-state.ts';
import { CHUNK_KEYS, DENSE, type Payload, toWellFormed, toChunk } from './points.ts';
import { deletePoints, replacePoints, cleanUpPoints, upsertPoints } from './qdrant-writes.ts';
import { countChunkContent, countChunk, DistinctCounter } from '../count-sources.ts';

/** Sources of one request. */
const SOURCES_PER_REQUEST = 1_000;
/** Points of a page with vectors (each may take 60 kB as JSON), and of one with names only. */
const PAGE_WITH_VECTORS = 256;
const PAGE_OF_NAMES = 5_000;

/** Makes the collection of a holder. */
export function qdrantCollection(holder: CollectionHolder): Collection {
  const writer = { holder, embedder: holder.info };
  return {
    get info() {
      return holder.info;
    },
    replace: (replacements) => replacePoints(writer, replacements),
    upsert: (chunks, options) => upsertPoints(writer, chunks, options),
    delete: (where) => deletePoints(holder, where),
    get: (ids) => getChunks(holder, ids),
    all: (options) => readChunks(holder, options),
    sources: () => readSources(holder),
    sourcePage: (request) => readSourceNames(holder, request),
    contents: (sources) => readContents(holder, sources),
    search: (request) => search(holder, request),
    searchAll: (searches) => searchAll(holder, searches),
    withVectors: (chunks) => withVectors(holder, chunks),
    count: () =>
      holder.read(async (state) => {
        const request = { collection_name: holder.address, filter: visiblePoints(state), exact: true };
        return (await holder.send((api, init) => api.countPoints(request, init))).count;
      }),
    bytes: async () => null, // Qdrant does not report it
    optimize: () => cleanUpPoints(holder), // Qdrant itself keeps indexes up to date
  };
}

const vectorNames = ({ info }: CollectionHolder): string[] => (info.dimensions > 0 ? [DENSE] : []);

async function getChunks(holder: CollectionHolder, ids: readonly string[]): Promise<StoredChunk[]> {
  const wanted = [...new Set(ids.map(toWellFormed))];
  const found = new Map<string, StoredChunk>();
  for (let at = 0; at < wanted.length; at += PAGE_WITH_VECTORS) {
    const conditions: Condition[] = [{ key: 'id', match: { any: wanted.slice(at, at + PAGE_WITH_VECTORS) } }];
    for await (const page of readPages(holder, { conditions, payload: CHUNK_KEYS, vectors: vectorNames(holder), size: PAGE_WITH_VECTORS }))
      for (const chunk of page.map(toChunk)) found.set(chunk.id, chunk);
  }
  return wanted.flatMap((id) => found.get(id) ?? []);
}

async function* readChunks(
  holder: CollectionHolder,
  { source, vectors = false }: { source?: string; vectors?: boolean } = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const conditions: Condition[] = source === undefined ? [] : [{ key: 'source', match: { value: toWellFormed(source) } }];
  const request = {
    conditions,
    payload: CHUNK_KEYS,
    vectors: vectors ? vectorNames(holder) : [],
    size: vectors ? PAGE_WITH_VECTORS : POINTS_PER_PAGE,
  };
  for await (const page of readPages(holder, request)) yield page.map(toChunk);
}

async function readSources(holder: CollectionHolder): Promise<Map<string, StoredSource>> {
  const found = new Map<string, StoredSource>();
  for await (const page of readPages(holder, {
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

/** Lists a page of the names of sources. Qdrant does not sort texts: so all names are read, and only those of the page are kept. */
async function readSourceNames(holder: CollectionHolder, { filter, after, limit }: SourcePageRequest): Promise<SourcePage> {
  const names = new DistinctCounter();
  let kept: string[] = [];
  const trimToPage = (): string[] => [...new Set(kept)].toSorted(compareCodePoints).slice(0, limit);
  for await (const page of readPages(holder, {
    conditions: await resolveFilter(holder, filter),
    payload: ['source'],
    size: PAGE_OF_NAMES,
  })) {
    for (const { payload } of page) {
      const { source } = payload as unknown as Payload;
      names.add(Buffer.from(source));
      if (after === undefined || compareCodePoints(source, after) > 0) kept.push(source);
    }
    kept = trimToPage();
  }
  return { sources: kept, total: names.size };
}

async function readContents(holder: CollectionHolder, sources: readonly string[]): Promise<Map<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  for (let at = 0; at < sources.length; at += SOURCES_PER_REQUEST) {
    const conditions: Condition[] = [{ key: 'source', match: { any: sources.slice(at, at + SOURCES_PER_REQUEST).map(toWellFormed) } }];
    for await (const page of readPages(holder, { conditions, payload: ['source', 'metadata', 'text'], size: POINTS_PER_PAGE }))
      for (const { payload } of page) {
        const { source, metadata, text } = payload as unknown as Payload;
        countChunkContent(found, source, { metadata, characters: text.length });
      }
  }
  return found;
}
