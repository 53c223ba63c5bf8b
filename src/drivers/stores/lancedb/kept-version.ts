import { randomUUID } from 'node:crypto';
import type { Table } from '@lancedb/lancedb';
import { isGone } from './connect.ts';

// A tag keeps LanceDB from removing the version that it names. Its name says when it was made, and who reads makes it anew every minute: so a tag that a
// dead reader has left is known by its age, on whatever machine that was.

const RENEWED_EVERY = 60_000;
const STALE_AFTER = 300_000;

const tagName = (): string => `kb-read.${Date.now().toString(36)}.${randomUUID()}`;

/** When a tag of a reader was made, in milliseconds; undefined for a tag that is not of ours. */
function madeAt(tag: string): number | undefined {
  const time = /^kb-read\.([0-9a-z]+)\./.exec(tag)?.[1];
  return time === undefined ? undefined : Number.parseInt(time, 36);
}

/**
 * Keeps the version that the table is at until the function given back is called. Where tags can't be written (in a store that may only be read), it is
 * kept as long as any other. Throws what LanceDB throws where the version is gone already.
 */
export async function keepVersion(table: Table): Promise<() => Promise<void>> {
  const [version, tags] = await Promise.all([table.version(), table.tags()]);
  let kept: string | undefined;
  const renew = async (): Promise<void> => {
    const name = tagName();
    await tags.create(name, version);
    const before = kept;
    kept = name;
    if (before !== undefined) await tags.delete(before);
  };
  await renew().catch((error: unknown) => {
    if (isGone(error)) throw error;
  });
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch(() => {}); // a tag that is removed too early ends the reading with an error, which says so
  }, RENEWED_EVERY).unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    if (kept !== undefined) await tags.delete(kept).catch(() => {});
  };
}

/** The versions that are being read. Tags that dead readers have left are removed. */
export async function versionsRead(table: Table): Promise<Set<number>> {
  const tags = await table.tags();
  const read = new Set<number>();
  for (const [name, { version }] of Object.entries(await tags.list())) {
    const made = madeAt(name);
    if (made === undefined || Date.now() - made <= STALE_AFTER) read.add(version);
    else await tags.delete(name).catch(() => {}); // another process was quicker
  }
  return read;
}

/** Removes the tags of all readers. */
export async function letGo(table: Table): Promise<void> {
  const tags = await table.tags();
  for (const name of Object.keys(await tags.list())) if (madeAt(name) !== undefined) await tags.delete(name).catch(() => {});
}
