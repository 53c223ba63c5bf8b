import { KbError, hasCode } from '../../../core/errors.ts';
import type { CollectionInfo, Replacement, StoredChunk, Where } from '../../../ports/stores.ts';
import { assertVectors } from '../vectors.ts';
import { type ChangeState, type CollectionHolder, conditionsFrom, sameIds, type StoredPoint, storedPoints } from './collection-holder.ts';
import { newWrite, pendingPoints, pointsOfWrites, retiredPoints, type State, unnamedSegments, withWrite } from './collection-state.ts';
import { countedChunk, type CountedChunk, safe, toPoints, writtenAt } from './points.ts';
import type { Condition, Point, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import type { WordCounts } from './word-statistics.ts';

/** Ids of one request, chunks of one upsert. */
const AT_ONCE = 1_000;
/** Writes in a state from which their points get a generation. */
const WRITES = 32;
/** Milliseconds after which points of a write in no state are abandoned: more than the clocks of two machines differ. */
const ABANDONED_AFTER = 24 * 3_600_000;

/** A collection to write to, and the embedder that it had when it was opened, of which the vectors are. */
interface Writer {
  holder: CollectionHolder;
  embedder: CollectionInfo;
}

/** The last of those that share an id. */
const onePerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [...new Map(chunks.map((chunk) => [safe(chunk.id), chunk])).values()];

/**
 * Replaces the chunks of all given sources in one step: a reader sees all old or all new ones, also after a crash at any point. Of several writers of a
 * source, on any machines, the chunks of the last one stay, and no others.
 */
export async function replacePoints(writer: Writer, replacements: readonly Replacement[]): Promise<void> {
  const chunks = onePerId(replacements.flatMap((replacement) => replacement.chunks));
  if (chunks.length === 0 && replacements.every(({ isNew }) => isNew)) return;
  assertVectors(chunks, writer.embedder);
  await change(writer, chunks, async (isOurs) => {
    // another machine may have stored a new source since the run began
    const changed = isOurs ? replacements.filter(({ isNew }) => !isNew) : replacements;
    const sources = changed.map(({ source }) => source);
    const old = sources.length > 0 ? await storedPoints(writer.holder, [{ key: 'source', match: { any: sources.map(safe) } }]) : [];
    const moved = changed.flatMap((replacement) => replacement.chunks); // they may have come from another source
    const elsewhere = await sameIds(writer.holder, moved, sources);
    return { sources, ids: elsewhere.map(({ id }) => id), removed: [...old, ...elsewhere].map(({ words }) => words) };
  });
}

/** Writes chunks over those with their ids, up to 1,000 in one step. Throws a KbError (`conflict`) if an `edited` one has been replaced since it was read. */
export async function upsertPoints(writer: Writer, given: readonly StoredChunk[], { edited = false } = {}): Promise<void> {
  const chunks = onePerId(given);
  assertVectors(chunks, writer.embedder); // all or nothing
  for (let at = 0; at < chunks.length; at += AT_ONCE) {
    const slice = chunks.slice(at, at + AT_ONCE);
    await change(writer, slice, async () => {
      const stored = await sameIds(writer.holder, slice, []);
      if (edited) assertUnchanged(slice, stored);
      return retiring(stored);
    });
  }
}

function assertUnchanged(edited: readonly StoredChunk[], stored: readonly StoredPoint[]): void {
  const versions = new Map(stored.map(({ id, version }) => [id, version]));
  const isStored = ({ id, version }: StoredChunk) => versions.has(safe(id)) && versions.get(safe(id)) === version;
  const changed = edited.find((chunk) => !isStored(chunk));
  if (!changed) return;
  throw new KbError('conflict', `Another run has replaced «${changed.source}» while its chunks were edited.`, {
    hint: 'Run it again, on what is stored now.',
    isRetryable: true,
  });
}

/** Chunks that are not visible from the next state on. */
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

/** Writes the chunks and makes them visible in place of what `retire` names. If another writer is quicker, they stay written and become visible a moment later. */
async function change(
  { holder, embedder }: Writer,
  chunks: readonly StoredChunk[],
  retire: (isOurs: boolean) => Promise<Retiring>,
): Promise<void> {
  const counted = chunks.map(countedChunk);
  await holder.write(async (changeState) => {
    let written: { table: string; write: number } | undefined;
    const { added } = await advance(holder, changeState, async (state, isOurs) => {
      assertSameEmbedder(state, embedder);
      await removeRetired(holder, state);
      if (written?.table !== state.table) written = { table: state.table, write: await writePoints(holder, state.table, counted) };
      return { write: written.write, added: counted.map(({ words }) => words), ...(await retire(isOurs)) };
    });
    if (added.length >= WRITES) await settle(holder, changeState);
  });
}

/** A change of the visible chunks: those that appear, and those that disappear. */
interface Step extends Retiring {
  write?: number;
  added: WordCounts[];
}

/** Changes the state and the word statistics with it. */
async function advance(
  holder: CollectionHolder,
  changeState: ChangeState,
  step: (state: State, isOurs: boolean) => Promise<Step | undefined>,
): Promise<State> {
  const segments: string[] = [];
  const saved = await changeState(async (state, isOurs) => {
    const wanted = await step(state, isOurs);
    if (!wanted) return undefined;
    const words = await holder.words.next(state, wanted);
    await writeAll(holder, state.table, { points: words.points });
    segments.push(...words.merged, ...words.points.map(({ id }) => String(id)));
    return { ...withWrite(state, wanted.write, wanted), segments: words.segments };
  });
  const unnamed = segments.filter((segment) => !saved.segments?.some(({ id }) => id === segment));
  if (unnamed.length > 0) await removeByIds(holder, saved.table, unnamed).catch(() => {}); // tidied away later
  return saved;
}

function assertSameEmbedder({ name, provider, model, dimensions }: State, embedder: CollectionInfo): void {
  if (provider === embedder.provider && model === embedder.model && dimensions === embedder.dimensions) return;
  throw new KbError(
    'conflict',
    `Another run has embedded «${name}» with another model meanwhile (${[provider, model].join(' ').trim()}).`,
    {
      hint: 'Run it again: it then uses that model, unless the configuration names another.',
    },
  );
}

/** Writes the chunks as points that are not visible yet. Returns the number of the write. */
async function writePoints(holder: CollectionHolder, collection_name: string, chunks: readonly CountedChunk[]): Promise<number> {
  const write = newWrite();
  // a request that arrives late, after it was sent again, must not undo later changes of its points
  const update_filter = pointsOfWrites([write]);
  try {
    await writeAll(holder, collection_name, { points: toPoints(chunks, write), update_filter });
  } catch (error) {
    if (hasCode(error, 'invalid')) await removePoints(holder, collection_name, pointsOfWrites([write]));
    throw error;
  }
  return write;
}

/** Writes points in bounded requests; existing points only if they match the filter. */
async function writeAll(
  holder: CollectionHolder,
  collection_name: string,
  { points: all, ...condition }: { points: readonly Point[]; update_filter?: QdrantFilter },
): Promise<void> {
  for (const points of boundedRequests(all))
    await holder.ask((api, init) => api.upsertPoints({ collection_name, wait: true, points, ...condition }, init), 'write');
}

/** Maximum points and bytes (estimated; Qdrant takes 32 MiB) of one request. */
const POINTS = 256;
const BYTES = 8 * 2 ** 20;

/** Divides points into lists that fit into one request. */
function* boundedRequests(points: readonly Point[]): Generator<Point[], void, void> {
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

/** Estimates the maximum bytes of a point as JSON: three a letter, 22 a number. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 3 * value.length;
  if (Array.isArray(value) && typeof value[0] === 'number') return 22 * value.length;
  if (typeof value !== 'object' || value === null) return 22;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 6 + sizeOf(item), 0);
}

const removePoints = (holder: CollectionHolder, collection_name: string, filter: QdrantFilter): Promise<unknown> =>
  holder.ask((api, init) => api.deletePoints({ collection_name, wait: true, filter }, init), 'write');

/** Removes what is no longer visible, because the next state will not name it. */
async function removeRetired(holder: CollectionHolder, state: State): Promise<void> {
  const retired = retiredPoints(state);
  if (retired) await removePoints(holder, state.table, retired);
}

/**
 * Gives the points of the writes in the state a generation, so that the state no longer lists these writes. The generation is visible before they have it.
 * It is a new one, so that a late removal of earlier points finds none of them.
 */
async function settle(holder: CollectionHolder, changeState: ChangeState): Promise<void> {
  const { added, generation, table } = await changeState(async (state) => {
    if (state.added.length === 0 && !state.retired) return undefined;
    await removeRetired(holder, state);
    return { ...state, generation: state.generation + 1, retired: undefined };
  });
  if (added.length === 0) return;
  const request = { collection_name: table, wait: true, payload: { generation }, filter: pointsOfWrites(added) };
  await holder.ask((api, init) => api.setPayload(request, init), 'write');
  await changeState(async (state) =>
    state.table === table ? { ...state, added: state.added.filter((write) => !added.includes(write)) } : undefined,
  );
}

/** Removes points that are not visible, and what writers that died have left. */
export async function tidyPoints(holder: CollectionHolder): Promise<void> {
  await holder.write(async (changeState) => {
    await settle(holder, changeState);
    const state = await changeState(async () => undefined);
    const { table } = state;
    const before = Date.now() - ABANDONED_AFTER;
    await removePoints(holder, table, unnamedSegments(state, before));
    const filter = pendingPoints(state);
    let offset: PointRecord['id'] | undefined;
    do {
      const scroll = { collection_name: table, filter, limit: AT_ONCE, with_payload: false, offset };
      const found = await holder.ask((api, init) => api.scrollPoints(scroll, init));
      const old = found.points.filter(({ id }) => writtenAt(id) < before).map(({ id }) => id);
      if (old.length > 0) await removeByIds(holder, table, old);
      offset = (found.next_page_offset ?? undefined) as PointRecord['id'] | undefined;
    } while (offset !== undefined);
  });
}

const removeByIds = (holder: CollectionHolder, collection_name: string, points: PointRecord['id'][]): Promise<unknown> =>
  holder.ask((api, init) => api.deletePoints({ collection_name, wait: true, points }, init), 'write');

/** Removes chunks, up to 1,000 in one step, and returns them. */
export async function deletePoints(holder: CollectionHolder, where: Where): Promise<{ id: string; source: string }[]> {
  if ('filter' in where && Object.keys(where.filter).length === 0) return [];
  return await holder.write(async (changeState) => {
    const removed: { id: string; source: string }[] = [];
    for (const conditions of await conditionsFor(holder, where)) {
      let found: StoredPoint[];
      do {
        found = [];
        await advance(holder, changeState, async (state) => {
          found = await storedPoints(holder, conditions, AT_ONCE);
          if (found.length === 0) return undefined;
          await removeRetired(holder, state);
          return { added: [], ...retiring(found) };
        });
        removed.push(...found.map(({ id, source }) => ({ id, source })));
      } while (found.length === AT_ONCE);
    }
    if (removed.length > 0) await settle(holder, changeState);
    return removed;
  });
}

/** Makes the conditions of each request that finds the selected chunks. */
async function conditionsFor(holder: CollectionHolder, where: Where): Promise<Condition[][]> {
  if ('source' in where) return [[{ key: 'source', match: { value: safe(where.source) } }]];
  if ('filter' in where) return [await conditionsFrom(holder, where.filter)];
  const ids = [...new Set(where.ids.map(safe))];
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => [
    { key: 'id', match: { any: ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE) } },
  ]);
}
