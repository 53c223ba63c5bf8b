import type {
  Collection,
  Replacement,
  SourceContent,
  SourcePage,
  SourcePageRequest,
  StoredChunk,
  StoredSource,
  Where,
} from '../../../ports/stores.ts';
import { assertVectors } from '../vectors.ts';
import type { Condition, Point } from './qdrant-connection.ts';
import { conditionsFrom, PAGE, search, searchAll, withVectors } from './qdrant-search.ts';
import { type CollectionHolder, pages, leftover, type State, unnamedSegments, visiblePoints } from './collection-holder.ts';
import { CHUNK, countedChunk, DENSE, type Payload, safe, toChunk, toPoints, wordCountsIn } from './points.ts';
import { EMPTY, type WordCounts } from './word-counts.ts';
import { countContent, countSources, NameCount } from '../count-sources.ts';

/** Ids of one question, points of one page, chunks of one upsert. */
const AT_ONCE = 1_000;
/** Points and bytes (by estimate; Qdrant takes 32 MiB) of one request. */
const POINTS = 256;
const BYTES = 8 * 2 ** 20;

/** The last of those that share an id. */
const onePerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [...new Map(chunks.map((chunk) => [safe(chunk.id), chunk])).values()];

/**
 * Puts the new chunks of each source in the place of its old ones, of all sources in one step: a reader sees all old or all new ones, and so does
 * everybody after a crash at any point. That holds for one writer at a time, and on one node or where reads are as consistent as on one.
 */
async function replacePoints(holder: CollectionHolder, replacements: readonly Replacement[]): Promise<void> {
  const changed = replacements.filter(({ isNew }) => !isNew);
  const sources = changed.map(({ source }) => source);
  const chunks = onePerId(replacements.flatMap((replacement) => replacement.chunks));
  if (chunks.length + sources.length === 0) return;
  await change(holder, chunks, async () => {
    const old = sources.length > 0 ? await storedPoints(holder, { key: 'source', match: { any: sources.map(safe) } }) : [];
    const elsewhere = await sameIds(
      holder,
      changed.flatMap((replacement) => replacement.chunks),
      sources,
    );
    return { sources, ids: elsewhere.map(({ id }) => id), removed: [...old, ...elsewhere].map(({ words }) => words) };
  });
}

/** Writes chunks over those of their ids: up to 1,000 in one step. */
export async function upsert(holder: CollectionHolder, given: readonly StoredChunk[]): Promise<void> {
  const chunks = onePerId(given);
  assertVectors(chunks, holder.info); // all or nothing
  for (let at = 0; at < chunks.length; at += AT_ONCE) {
    const slice = chunks.slice(at, at + AT_ONCE);
    await change(holder, slice, async () => retiring(await sameIds(holder, slice, [])));
  }
}

/** What a write needs to know of a stored chunk that it removes. */
interface StoredPoint {
  id: string;
  source: string;
  words: WordCounts;
}

async function storedPoints(holder: CollectionHolder, ...conditions: Condition[]): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for await (const page of pages(holder, { conditions, payload: ['id', 'source', 'words'], size: PAGE }))
    for (const point of page) {
      const { id, source } = point.payload as unknown as Payload;
      found.push({ id, source, words: wordCountsIn(point) ?? EMPTY });
    }
  return found;
}

/** The stored chunks that have the ids of these, but for those of the sources. */
async function sameIds(holder: CollectionHolder, chunks: readonly StoredChunk[], sources: readonly string[]): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for (let at = 0; at < chunks.length; at += AT_ONCE) {
    const wanted: Condition = { key: 'id', match: { any: chunks.slice(at, at + AT_ONCE).map(({ id }) => safe(id)) } };
    const elsewhere: Condition[] = sources.length > 0 ? [{ must_not: [{ key: 'source', match: { any: sources.map(safe) } }] }] : [];
    found.push(...(await storedPoints(holder, wanted, ...elsewhere)));
  }
  return found;
}

/** What no longer counts from the next generation on. */
interface Retiring {
  sources: string[];
  ids: string[];
  /** The words of all its chunks. */
  removed: WordCounts[];
}

const retiring = (stored: readonly StoredPoint[]): Retiring => ({
  sources: [],
  ids: stored.map(({ id }) => id),
  removed: stored.map(({ words }) => words),
});

/** Writes the chunks as the next generation and makes it count, in the place of what `retire` names. */
async function change(holder: CollectionHolder, chunks: readonly StoredChunk[], retire: () => Promise<Retiring>): Promise<void> {
  await holder.write(async (state, save) => {
    assertVectors(chunks, state);
    await sweep(holder, state);
    await advance(holder, { state, save }, { chunks, ...(await retire()) });
  });
}

interface Writing {
  state: State;
  save: (next: State) => Promise<State>;
}

async function advance(
  holder: CollectionHolder,
  { state, save }: Writing,
  { chunks, removed, ...retired }: Retiring & { chunks: readonly StoredChunk[] },
): Promise<State> {
  const { table: collection_name, generation: last } = state;
  const generation = last + 1;
  const counted = chunks.map(countedChunk);
  const { segments, points, merged } = await holder.words.next(state, { added: counted.map(({ words }) => words), removed });
  for (const request of requests([...toPoints(counted, generation), ...points]))
    await holder.ask((api, init) => api.upsertPoints({ collection_name, wait: true, points: request }, init));
  const saved = await save({ ...state, generation, retired, segments });
  if (merged.length > 0)
    await holder.ask((api, init) => api.deletePoints({ collection_name, wait: true, points: merged }, init)).catch(() => {}); // tidied away later
  return saved;
}

const sweep = (holder: CollectionHolder, state: State): Promise<unknown> =>
  holder.ask((api, init) => api.deletePoints({ collection_name: state.table, wait: true, filter: leftover(state) }, init));

async function tidy(holder: CollectionHolder): Promise<void> {
  await holder.write(async (state, save) => {
    const filter = unnamedSegments(state);
    await holder.ask((api, init) => api.deletePoints({ collection_name: state.table, wait: true, filter }, init));
    await forget(holder, { state, save });
  });
}

/** Removes what no longer counts. */
async function forget(holder: CollectionHolder, { state: { retired, ...state }, save }: Writing): Promise<void> {
  await sweep(holder, { ...state, retired });
  if (retired) await save(state);
}

function* requests(points: readonly Point[]): Generator<Point[], void, void> {
  let [request, bytes]: [Point[], number] = [[], 0];
  for (const point of points) {
    const size = sizeOf(point);
    if (request.length === POINTS || (request.length > 0 && bytes + size > BYTES)) {
      yield request;
      [request, bytes] = [[], 0];
    }
    request.push(point);
    bytes += size;
  }
  if (request.length > 0) yield request;
}

/** Bytes of a point as JSON, at most and roughly: three a letter, 22 a number. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 3 * value.length;
  if (Array.isArray(value) && typeof value[0] === 'number') return 22 * value.length;
  if (typeof value !== 'object' || value === null) return 22;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 6 + sizeOf(item), 0);
}

/** Removes chunks, up to 1,000 in one step, and tells which. */
async function deletePoints(holder: CollectionHolder, where: Where): Promise<{ id: string; source: string }[]> {
  if ('filter' in where && Object.keys(where.filter).length === 0) return [];
  return await holder.write(async (state, save) => {
    const found: StoredPoint[] = [];
    for (const conditions of await conditionsFor(holder, where)) found.push(...(await storedPoints(holder, ...conditions)));
    let writing: Writing = { state, save };
    if (found.length > 0) await sweep(holder, state); // what the state retires: the next one retires others
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const changed = await advance(holder, writing, { chunks: [], ...retiring(found.slice(at, at + AT_ONCE)) });
      writing = { state: changed, save };
      await sweep(holder, changed);
    }
    if (found.length > 0) await forget(holder, writing);
    return found.map(({ id, source }) => ({ id, source }));
  });
}

/** The conditions of each question that finds what is meant. */
async function conditionsFor(holder: CollectionHolder, where: Where): Promise<Condition[][]> {
  if ('source' in where) return [[{ key: 'source', match: { value: safe(where.source) } }]];
  if ('filter' in where) return [await conditionsFrom(holder, where.filter)];
  const ids = [...new Set(where.ids.map(safe))];
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => [
    { key: 'id', match: { any: ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE) } },
  ]);
}

/** Points of a page with vectors (each may take 60 kB as JSON), and where only names are read. */
const PAGE_WITH_VECTORS = 256;
const PAGE_OF_NAMES = 5_000;

/** The collection that `holder` holds. */
export function qdrantCollection(holder: CollectionHolder): Collection {
  return {
    get info() {
      return holder.info;
    },
    replace: (replacements) => replacePoints(holder, replacements),
    upsert: (chunks) => upsert(holder, chunks),
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
    bytes: async () => 0, // Qdrant does not tell
    optimize: () => tidy(holder), // indexes are kept up to date by Qdrant itself
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
  const walk = { conditions, payload: CHUNK, vectors: vectors ? vectorsOf(holder) : [], size: vectors ? PAGE_WITH_VECTORS : PAGE };
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
      countSources(found, { source, source_kind, version, chunk_count: siblings });
    }
  }
  return found;
}

/** Qdrant sorts no texts: all names come by, and those of the page are kept. */
async function sourcePage(holder: CollectionHolder, { filter, after, limit }: SourcePageRequest): Promise<SourcePage> {
  const names = new NameCount();
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
    for await (const page of pages(holder, { conditions, payload: ['source', 'metadata', 'text'], size: PAGE }))
      for (const { payload } of page) {
        const { source, metadata, text } = payload as unknown as Payload;
        countContent(found, source, { metadata, characters: text.length });
      }
  }
  return found;
}
