import { advice, call } from '../../core/advice/advice.ts';
import type { z } from 'zod';
import { mayUse } from '../../core/access-rights.ts';
import { KbError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { Run } from '../../core/run.ts';
import type { Collection } from '../../ports/stores.ts';
import type {
  CollectionsRequest,
  CreateSnapshotRequest,
  CreateSnapshotResult,
  DeleteSnapshotResult,
  RestoreSnapshotResult,
  CollectionSnapshot,
  SnapshotRequest,
  SnapshotsResult,
  VerifySnapshotResult,
} from '../../schema/collection-operations.ts';
import { existingCollection, withLock, parseSnapshotName, type SnapshotName, snapshotCollectionName } from '../collections.ts';
import { type Context, inCollection } from '../context.ts';
import { UNKNOWN_SUMMARY, summaryOf } from '../manage.ts';
import { dropOrigins } from '../collection-memory.ts';
import { sumContents, copyAs, copyConsistently, CHECKSUMS_IN_FILES } from './copy-collection.ts';

/** Takes a snapshot of the configured collection. With `keep`, the oldest ones beyond that number are then removed. */
export async function* takeSnapshot({ name: given, keep }: CreateSnapshotRequest, context: Context): Run<CreateSnapshotResult> {
  return yield* withLock(context, async function* () {
    const { collection } = context.settings;
    const from = await existingCollection(context, collection);
    const existing = await snapshotsOfCollection(context);
    const created = Date.now();
    const name = given ?? chooseFreeName(created, existing);
    if (existing.some((other) => other.name === name))
      throw new KbError('conflict', `There is a snapshot "${name}" of "${collection}" already.`, {
        hint: advice`Choose another name, or remove it with "${call('delete_snapshot', { name })}".`,
      });
    const contextFor = (sum: string) => inCollection(context, snapshotCollectionName({ collection, created, name, sum }));
    const { to } = yield* copyConsistently(from, { contextFor, isSealed: true }, context);
    const removed = keep === undefined ? [] : existing.slice(0, Math.max(0, existing.length + 1 - keep));
    for (const old of removed) await removeSnapshot(old, context);
    return { ...(await summarize(parseSnapshotName(to)!, context)), removed: removed.map((old) => old.name) };
  });
}

/** Lists all snapshots of the store, grouped by collection, oldest first. */
export async function* listSnapshots(_request: z.infer<typeof CollectionsRequest>, context: Context): Run<SnapshotsResult> {
  const snapshots: CollectionSnapshot[] = [];
  for (const one of await allSnapshots(context))
    snapshots.push(await summarize(one, context).catch((error: unknown) => summarizeUnreadable(one, error)));
  return { snapshots };
}

/** Replaces the collection by the snapshot in one step. Throws a KbError (`invalid`) if the snapshot is damaged; then nothing changes. */
export async function* restoreSnapshot({ name }: SnapshotRequest, context: Context): Run<RestoreSnapshotResult> {
  return yield* withLock(context, async function* () {
    const { collection } = context.settings;
    const snapshot = await findSnapshot(context, name);
    const stored = await openIntact(snapshot, context);
    const restored = yield* copyAs(stored, { into: context, expected: { sum: snapshot.sum, mismatch: damageError(snapshot) } }, context);
    return { name, collection, restored };
  });
}

/** Compares a snapshot with its checksums. Throws a KbError (`invalid`) if it is damaged. */
export async function* verifySnapshot({ name }: SnapshotRequest, context: Context): Run<VerifySnapshotResult> {
  const { collection } = context.settings;
  const snapshot = await findSnapshot(context, name);
  const stored = await openIntact(snapshot, context);
  if (snapshot.sum !== CHECKSUMS_IN_FILES && (yield* sumContents(stored, context.signal)) !== snapshot.sum) throw damageError(snapshot);
  return { name, collection, chunks: await stored.count() };
}

/** Opens a snapshot after a check of its files. If the store has no checksums of files, its chunks are compared when they are read. */
async function openIntact(snapshot: SnapshotName, context: Context): Promise<Collection> {
  const stored = snapshotCollectionName(snapshot);
  const store = await context.resources.store(context.settings.storage);
  if (snapshot.sum === CHECKSUMS_IN_FILES)
    await store.verify?.(stored).catch((error: unknown) => {
      throw error instanceof KbError && error.code === 'invalid' ? damageError(snapshot, error) : error;
    });
  return await existingCollection(context, stored);
}

function damageError({ name, collection }: SnapshotName, cause?: KbError): KbError {
  const what = cause?.message ?? 'its chunks do not match its checksum';
  return new KbError('invalid', `The snapshot "${name}" of "${collection}" is damaged: ${what}.`, {
    hint: ['Nothing was changed.', advice`"${call('list_snapshots')}" lists the others, "${call('delete_snapshot')}" removes this one.`],
    cause,
  });
}

/** Removes a snapshot, but not the collection. */
export async function* deleteSnapshot({ name }: SnapshotRequest, context: Context): Run<DeleteSnapshotResult> {
  return yield* withLock(context, async function* () {
    await removeSnapshot(await findSnapshot(context, name), context);
    return { name, collection: context.settings.collection };
  });
}

async function removeSnapshot(snapshot: SnapshotName, context: Context): Promise<void> {
  const { settings, resources } = context;
  const collection = snapshotCollectionName(snapshot);
  await (await resources.store(settings.storage)).drop(collection);
  await dropOrigins(inCollection(context, collection));
}

async function allSnapshots({ settings, resources, access }: Context): Promise<SnapshotName[]> {
  const stored = await (await resources.store(settings.storage)).collections();
  const order = ({ collection, created }: SnapshotName) => `${collection} ${String(created).padStart(15, '0')}`;
  return stored
    .flatMap(({ name }) => parseSnapshotName(name) ?? [])
    .filter(({ collection }) => mayUse(access, collection))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

const snapshotsOfCollection = async (context: Context): Promise<SnapshotName[]> =>
  (await allSnapshots(context)).filter(({ collection }) => collection === context.settings.collection);

async function findSnapshot(context: Context, name: string): Promise<SnapshotName> {
  const existing = await snapshotsOfCollection(context);
  const found = existing.find((snapshot) => snapshot.name === name);
  if (found) return found;
  const names = existing.map((snapshot) => snapshot.name);
  throw new KbError('not_found', `There is no snapshot "${name}" of "${context.settings.collection}".`, {
    hint: [didYouMean(name, names) ?? '', advice`"${call('list_snapshots')}" lists all snapshots.`],
  });
}

async function summarize(snapshot: SnapshotName, context: Context): Promise<CollectionSnapshot> {
  const { name, collection, created } = snapshot;
  const stored = await existingCollection(context, snapshotCollectionName(snapshot));
  return { ...(await summaryOf(stored)), name, collection, created: new Date(created).toISOString() };
}

function summarizeUnreadable({ name, collection, created }: SnapshotName, error: unknown): CollectionSnapshot {
  if (!(error instanceof KbError) || error.isRetryable) throw error;
  return { ...UNKNOWN_SUMMARY, name, collection, created: new Date(created).toISOString(), error: error.message };
}

/** Chooses a free name: date and time (UTC), such as 20261122-233012, with a number if that is taken. */
function chooseFreeName(created: number, existing: readonly SnapshotName[]): string {
  const time = new Date(created).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const isTaken = (name: string) => existing.some((snapshot) => snapshot.name === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? time : `${time}-${number}`;
    if (!isTaken(name)) return name;
  }
}
