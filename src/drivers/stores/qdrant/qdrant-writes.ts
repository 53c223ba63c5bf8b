import { KbError, hasCode } from '../../../core/errors.ts';
import { isEmptyFilter } from '../../../core/filters.ts';
import type { CollectionInfo, Replacement, StoredChunk, Where } from '../../../ports/stores.ts';
import { assertVectors } from '../vectors.ts';
import {
  type ChangeState,
  type CollectionHolder,
  resolveFilter,
  readSameIds,
  type StoredPoint,
  readStoredPoints,
} from './collection-holder.ts';
import {
  newWriteNumber,
  pendingPoints,
  pointsOfWrites,
  retiredPoints,
  type CollectionState,
  unlistedSegments,
  withWrite,
} from './collection-state.ts';
import { withWordCounts, type CountedChunk, toWellFormed, toPoints, readWriteTime } from './points.ts';
import type { Condition, Point, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import type { WordCounts } from './word-statistics.ts';

/** Maximum ids of one request, and chunks of one upsert. */
const MAX_AT_ONCE = 1_000;
/** Writes in a state from which on their points are assigned a generation. */
const MAX_LISTED_WRITES = 32;
/** Milliseconds after which the points of an unlisted write are abandoned: more than the clocks of two machines may differ. */
const ABANDONED_AFTER = 24 * 3_600_000;

/** A collection to write to, and its embedder when it was opened, which has made the vectors. */
interface Writer {
  holder: CollectionHolder;
  embedder: CollectionInfo;
}

/** Keeps the last of the chunks that share an id. */
const keepLastPerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [
  ...new Map(chunks.map((chunk) => [toWellFormed(chunk.id), chunk])).values(),
];

/**
 * Atomically replaces the chunks of all given sources: a reader sees either all old or all new ones, even after a crash at any point. If several machines
 * write a source, exactly the chunks of the last writer stay.
 */
export async function replacePoints(writer: Writer, replacements: readonly Replacement[]): Promise<void> {
  const chunks = keepLastPerId(replacements.flatMap((replacement) => replacement.chunks));
  if (chunks.length === 0 && replacements.every(({ isNew }) => isNew)) return;
  assertVectors(chunks, writer.embedder);
  await writeChunks(writer, chunks, async (isOurs) => {
    // another machine may have stored a source that was new when the run began
    const changed = isOurs ? replacements.filter(({ isNew }) => !isNew) : replacements;
    const sources = changed.map(({ source }) => source);
    const old =
      sources.length > 0 ? await readStoredPoints(writer.holder, [{ key: 'source', match: { any: sources.map(toWellFormed) } }]) : [];
    const changedChunks = changed.flatMap((replacement) => replacement.chunks); // other sources may have chunks with their ids
    const elsewhere = await readSameIds(writer.holder, changedChunks, sources);
    return { sources, ids: elsewhere.map(({ id }) => id), removed: [...old, ...elsewhere].map(({ words }) => words) };
  });
}

/** Replaces chunks by their ids, up to 1,000 atomically. Throws a KbError (`conflict`) if an `edited` one has been replaced since it was read. */
export async function upsertPoints(writer: Writer, given: readonly StoredChunk[], { edited = false } = {}): Promise<void> {
  const chunks = keepLastPerId(given);
  assertVectors(chunks, writer.embedder); // before anything is written
  for (let at = 0; at < chunks.length; at += MAX_AT_ONCE) {
    const slice = chunks.slice(at, at + MAX_AT_ONCE);
    await writeChunks(writer, slice, async () => {
      const stored = await readSameIds(writer.holder, slice, []);
      if (edited) assertUnchanged(slice, stored);
      return toRetired(stored);
    });
  }
}

function assertUnchanged(edited: readonly StoredChunk[], stored: readonly StoredPoint[]): void {
  const versions = new Map(stored.map(({ id, version }) => [id, version]));
  const isStored = ({ id, version }: StoredChunk) => versions.has(toWellFormed(id)) && versions.get(toWellFormed(id)) === version;
  const changed = edited.find((chunk) => !isStored(chunk));
  if (!changed) return;
  throw new KbError('conflict', `Another run has replaced "${changed.source}" while its chunks were edited.`, {
    hint: 'Run it again, on what is stored now.',
    isRetryable: true,
  });
}

/** Chunks that the next state makes invisible. */
interface RetiredChunks {
  sources: string[];
  ids: string[];
  /** The words of all its chunks. */
  removed: WordCounts[];
}

const toRetired = (stored: readonly StoredPoint[]): RetiredChunks => ({
  sources: [],
  ids: stored.map(({ id }) => id),
  removed: stored.map(({ words }) => words),
});

/** Writes the chunks, then atomically makes them visible and retires those that `retire` returns. If another writer is faster, only the second step is retried. */
async function writeChunks(
  { holder, embedder }: Writer,
  chunks: readonly StoredChunk[],
  retire: (isOurs: boolean) => Promise<RetiredChunks>,
): Promise<void> {
  const counted = chunks.map(withWordCounts);
  await holder.write(async (changeState) => {
    let written: { table: string; write: number } | undefined;
    const { added } = await advanceState(holder, changeState, async (state, isOurs) => {
      assertSameEmbedder(state, embedder);
      await removeRetired(holder, state);
      if (written?.table !== state.table) written = { table: state.table, write: await writePoints(holder, state.table, counted) };
      return { write: written.write, added: counted.map(({ words }) => words), ...(await retire(isOurs)) };
    });
    if (added.length >= MAX_LISTED_WRITES) await assignGeneration(holder, changeState);
  });
}

/** A change of the visible chunks: those that appear, and those that disappear. */
interface Step extends RetiredChunks {
  write?: number;
  added: WordCounts[];
}

/** Changes the state and the word statistics with it. */
async function advanceState(
  holder: CollectionHolder,
  changeState: ChangeState,
  step: (state: CollectionState, isOurs: boolean) => Promise<Step | undefined>,
): Promise<CollectionState> {
  const segments: string[] = [];
  const saved = await changeState(async (state, isOurs) => {
    const nextStep = await step(state, isOurs);
    if (!nextStep) return undefined;
    const words = await holder.words.prepareChange(state, nextStep);
    await writeAll(holder, state.table, { points: words.points });
    segments.push(...words.merged, ...words.points.map(({ id }) => String(id)));
    return { ...withWrite(state, nextStep.write, nextStep), segments: words.segments };
  });
  const unlisted = segments.filter((segment) => !saved.segments?.some(({ id }) => id === segment));
  if (unlisted.length > 0) await removeByIds(holder, saved.table, unlisted).catch(() => {}); // `cleanUpPoints` removes them later
  return saved;
}

function assertSameEmbedder({ name, provider, model, dimensions }: CollectionState, embedder: CollectionInfo): void {
  if (provider === embedder.provider && model === embedder.model && dimensions === embedder.dimensions) return;
  throw new KbError(
    'conflict',
    `Another run has embedded "${name}" with another model meanwhile (${[provider, model].join(' ').trim()}).`,
    {
      hint: 'Run it again: it then uses that model, unless the configuration names another.',
    },
  );
}

/** Writes the chunks as points that are not visible yet. Returns the number of the write. */
async function writePoints(holder: CollectionHolder, collection_name: string, chunks: readonly CountedChunk[]): Promise<number> {
  const write = newWriteNumber();
  // a late duplicate of this request must not undo later changes of its points
  const update_filter = pointsOfWrites([write]);
  try {
    await writeAll(holder, collection_name, { points: toPoints(chunks, write), update_filter });
  } catch (error) {
    if (hasCode(error, 'invalid')) await removePoints(holder, collection_name, pointsOfWrites([write]));
    throw error;
  }
  return write;
}

/** Writes points in bounded requests; overwrites existing points only if they match the filter. */
async function writeAll(
  holder: CollectionHolder,
  collection_name: string,
  { points: all, ...condition }: { points: readonly Point[]; update_filter?: QdrantFilter },
): Promise<void> {
  for (const points of splitIntoRequests(all))
    await holder.send((api, init) => api.upsertPoints({ collection_name, wait: true, points, ...condition }, init), 'write');
}

/** Maximum points and bytes (estimated; Qdrant takes 32 MiB) of one request. */
const MAX_POINTS = 256;
const MAX_BYTES = 8 * 2 ** 20;

/** Divides points into lists that fit into one request. */
function* splitIntoRequests(points: readonly Point[]): Generator<Point[], void, void> {
  let [request, bytes]: [Point[], number] = [[], 0];
  for (const point of points) {
    const size = estimateBytes(point);
    if (request.length === MAX_POINTS || (request.length > 0 && bytes + size > MAX_BYTES)) {
      yield request;
      [request, bytes] = [[], 0];
    }
    request.push(point);
    bytes += size;
  }
  if (request.length > 0) yield request;
}

/** Estimates the maximum bytes of a point as JSON: three a letter, 22 a number. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 3 * value.length;
  if (Array.isArray(value) && typeof value[0] === 'number') return 22 * value.length;
  if (typeof value !== 'object' || value === null) return 22;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 6 + estimateBytes(item), 0);
}

const removePoints = (holder: CollectionHolder, collection_name: string, filter: QdrantFilter): Promise<unknown> =>
  holder.send((api, init) => api.deletePoints({ collection_name, wait: true, filter }, init), 'write');

/** Removes the retired points before the next state, which no longer lists them. */
async function removeRetired(holder: CollectionHolder, state: CollectionState): Promise<void> {
  const retired = retiredPoints(state);
  if (retired) await removePoints(holder, state.table, retired);
}

/**
 * Assigns a generation to the points of the writes in the state, so that the state no longer needs to list them. The generation becomes visible before the
 * points get it. It is a new one, so that a delayed removal of earlier points does not match them.
 */
async function assignGeneration(holder: CollectionHolder, changeState: ChangeState): Promise<void> {
  const { added, generation, table } = await changeState(async (state) => {
    if (state.added.length === 0 && !state.retired) return undefined;
    await removeRetired(holder, state);
    return { ...state, generation: state.generation + 1, retired: undefined };
  });
  if (added.length === 0) return;
  const request = { collection_name: table, wait: true, payload: { generation }, filter: pointsOfWrites(added) };
  await holder.send((api, init) => api.setPayload(request, init), 'write');
  await changeState(async (state) =>
    state.table === table ? { ...state, added: state.added.filter((write) => !added.includes(write)) } : undefined,
  );
}

/** Removes points that are not visible, and leftovers of dead writers. */
export async function cleanUpPoints(holder: CollectionHolder): Promise<void> {
  await holder.write(async (changeState) => {
    await assignGeneration(holder, changeState);
    const state = await changeState(async () => undefined);
    const { table } = state;
    const before = Date.now() - ABANDONED_AFTER;
    await removePoints(holder, table, unlistedSegments(state, before));
    const filter = pendingPoints(state);
    let offset: PointRecord['id'] | undefined;
    do {
      const scroll = { collection_name: table, filter, limit: MAX_AT_ONCE, with_payload: false, offset };
      const found = await holder.send((api, init) => api.scrollPoints(scroll, init));
      const old = found.points.filter(({ id }) => readWriteTime(id) < before).map(({ id }) => id);
      if (old.length > 0) await removeByIds(holder, table, old);
      offset = (found.next_page_offset ?? undefined) as PointRecord['id'] | undefined;
    } while (offset !== undefined);
  });
}

const removeByIds = (holder: CollectionHolder, collection_name: string, points: PointRecord['id'][]): Promise<unknown> =>
  holder.send((api, init) => api.deletePoints({ collection_name, wait: true, points }, init), 'write');

/** Removes chunks, up to 1,000 atomically, and returns them. */
export async function deletePoints(holder: CollectionHolder, where: Where): Promise<{ id: string; source: string }[]> {
  if ('filter' in where && isEmptyFilter(where.filter)) return [];
  return await holder.write(async (changeState) => {
    const removed: { id: string; source: string }[] = [];
    for (const conditions of await conditionsFor(holder, where)) {
      let found: StoredPoint[];
      do {
        found = [];
        await advanceState(holder, changeState, async (state) => {
          found = await readStoredPoints(holder, conditions, MAX_AT_ONCE);
          if (found.length === 0) return undefined;
          await removeRetired(holder, state);
          return { added: [], ...toRetired(found) };
        });
        removed.push(...found.map(({ id, source }) => ({ id, source })));
      } while (found.length === MAX_AT_ONCE);
    }
    if (removed.length > 0) await assignGeneration(holder, changeState);
    return removed;
  });
}

/** Makes the conditions of each request that finds the selected chunks. */
async function conditionsFor(holder: CollectionHolder, where: Where): Promise<Condition[][]> {
  if ('source' in where) return [[{ key: 'source', match: { value: toWellFormed(where.source) } }]];
  if ('filter' in where) return [await resolveFilter(holder, where.filter)];
  const ids = [...new Set(where.ids.map(toWellFormed))];
  return Array.from({ length: Math.ceil(ids.length / MAX_AT_ONCE) }, (_, i) => [
    { key: 'id', match: { any: ids.slice(i * MAX_AT_ONCE, (i + 1) * MAX_AT_ONCE) } },
  ]);
}
