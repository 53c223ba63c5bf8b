import type { z } from 'zod';
import { mayUse } from '../core/access-rights.ts';
import { KbError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import { type Run, progress, throwIfAborted } from '../core/run.ts';
import type {
  CollectionsRequest,
  CreateSnapshotRequest,
  CreateSnapshotResult,
  DeleteSnapshotResult,
  RestoreSnapshotResult,
  CollectionSnapshot,
  SnapshotRequest,
  SnapshotsResult,
  CollectionNameRequest,
  CopyRequest,
  CopyResult,
  OptimizeResult,
} from '../schema/collection-requests.ts';
import { existingCollection, withLock, readStoredName, type SnapshotName, storedName, withDraft } from './collections.ts';
import { type Context, inCollection } from './context.ts';
import { summaryOf } from './manage.ts';
import { dropOrigins, copyOrigins } from './origins.ts';
import type { Collection } from '../ports/stores.ts';

/** Takes a snapshot of the configured collection. With `keep`, the oldest ones beyond that number are then removed. */
export async function* takeSnapshot({ name: given, keep }: CreateSnapshotRequest, context: Context): Run<CreateSnapshotResult> {
  return yield* withLock(context, async function* () {
    const { collection } = context.settings;
    const from = await existingCollection(context, collection);
    const there = await snapshotsOf(context);
    const created = Date.now();
    const name = given ?? freeName(created, there);
    if (there.some((other) => other.name === name))
      throw new KbError('conflict', `There is a snapshot «${name}» of «${collection}» already.`, {
        hint: `Choose another name, or remove it with «kb snapshot delete ${name}».`,
      });
    const made: SnapshotName = { collection, created, name };
    yield* copyAs(from, storedName(made), context);
    const removed = keep === undefined ? [] : there.slice(0, Math.max(0, there.length + 1 - keep));
    for (const old of removed) await remove(old, context);
    return { ...(await described(made, context)), removed: removed.map((old) => old.name) };
  });
}

/** All snapshots of the store, grouped by collection, oldest first. */
export async function* listSnapshots(_request: z.infer<typeof CollectionsRequest>, context: Context): Run<SnapshotsResult> {
  const snapshots: CollectionSnapshot[] = [];
  for (const one of await allSnapshots(context)) snapshots.push(await described(one, context));
  return { snapshots };
}

/** Replaces the collection by the snapshot in one step. The snapshot stays. */
export async function* restoreSnapshot({ name }: SnapshotRequest, context: Context): Run<RestoreSnapshotResult> {
  return yield* withLock(context, async function* () {
    const { collection } = context.settings;
    const snapshot = await existingCollection(context, storedName(await findSnapshot(context, name)));
    return { name, collection, restored: yield* copyAs(snapshot, collection, context) };
  });
}

/** Removes a snapshot, but not the collection. */
export async function* deleteSnapshot({ name }: SnapshotRequest, context: Context): Run<DeleteSnapshotResult> {
  return yield* withLock(context, async function* () {
    await remove(await findSnapshot(context, name), context);
    return { name, collection: context.settings.collection };
  });
}

async function remove(snapshot: SnapshotName, context: Context): Promise<void> {
  const { settings, resources } = context;
  const collection = storedName(snapshot);
  await (await resources.store(settings.storage)).drop(collection);
  await dropOrigins(inCollection(context, collection));
}

async function allSnapshots({ settings, resources, access }: Context): Promise<SnapshotName[]> {
  const stored = await (await resources.store(settings.storage)).collections();
  const order = ({ collection, created }: SnapshotName) => `${collection} ${String(created).padStart(15, '0')}`;
  return stored
    .flatMap(({ name }) => readStoredName(name) ?? [])
    .filter(({ collection }) => mayUse(access, collection))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

const snapshotsOf = async (context: Context): Promise<SnapshotName[]> =>
  (await allSnapshots(context)).filter(({ collection }) => collection === context.settings.collection);

async function findSnapshot(context: Context, name: string): Promise<SnapshotName> {
  const there = await snapshotsOf(context);
  const found = there.find((snapshot) => snapshot.name === name);
  if (found) return found;
  const names = there.map((snapshot) => snapshot.name);
  throw new KbError('not_found', `There is no snapshot «${name}» of «${context.settings.collection}».`, {
    hint: [didYouMean(name, names), '«kb snapshot list» lists all snapshots.'].filter(Boolean).join(' '),
  });
}

async function described(snapshot: SnapshotName, context: Context): Promise<CollectionSnapshot> {
  const { name, collection, created } = snapshot;
  const held = await existingCollection(context, storedName(snapshot));
  return { ...(await summaryOf(held)), name, collection, created: new Date(created).toISOString() };
}

/** Date and time (UTC), such as 20261122-233012, with a number if the name is taken. */
function freeName(created: number, there: readonly SnapshotName[]): string {
  const time = new Date(created).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const isTaken = (name: string) => there.some((snapshot) => snapshot.name === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? time : `${time}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** Copies a collection without embedding, replacing `to` in one step. Returns the number of chunks. The caller holds the write locks of both. */
async function* copyAs(from: Collection, to: string, { settings, resources, signal, home }: Context): Run<number> {
  const store = await resources.store(settings.storage);
  const ready = await store.copy?.(from.info.name, to);
  const chunks = yield* withDraft(ready ?? (await store.draft({ ...from.info, name: to })), async function* (collection) {
    const expected = await from.count();
    if (ready) return expected;
    let done = 0;
    for await (const page of from.all({ vectors: true })) {
      throwIfAborted(signal);
      await collection.upsert(page);
      yield progress('copy', { done: (done += page.length), expected });
    }
    return done;
  });
  await copyOrigins({ settings, home }, { from: from.info.name, to });
  return chunks;
}

/** Copies a collection to a free name. */
export async function* copyCollection({ name, to }: CopyRequest, context: Context): Run<CopyResult> {
  const { settings, resources } = context;
  const from = await existingCollection(context, name);
  const taken = new KbError('conflict', `There is a collection «${to}» already.`, {
    hint: `Copy under another name, or remove it with «kb collections drop ${to}».`,
  });
  if (name === to) throw taken;
  const [first, second] = [name, to].toSorted(); // two who copy in opposite directions do not wait for each other
  return yield* withLock(inCollection(context, first!), () =>
    withLock(inCollection(context, second!), async function* () {
      if (await (await resources.store(settings.storage)).open(to)) throw taken;
      return { name, to, copied: yield* copyAs(from, to, context) };
    }),
  );
}

/** Optimizes the configured collection: updates indexes, merges files and removes old versions. */
export async function* optimizeCollection(_request: CollectionNameRequest, context: Context): Run<OptimizeResult> {
  const { collection: name } = context.settings;
  return yield* withLock(context, async function* () {
    const collection = await existingCollection(context, name);
    const before = await collection.bytes();
    await collection.optimize({ whole: true });
    return { name, chunks: await collection.count(), bytes_before: before, bytes: await collection.bytes() };
  });
}
