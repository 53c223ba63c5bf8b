import { randomUUID } from 'node:crypto';
import type { Connection, Table } from '@lancedb/lancedb';
import { hasEnded, HeartbeatWatch, mayStillRun, THIS_PROCESS, type Owner } from '../../../core/process-owner.ts';
import { throwIfAborted, waitFor } from '../../../core/run.ts';
import { type LockOptions, lockLostError, type WriterLock } from '../writer-lock.ts';
import { retryConflicts } from './lancedb-connection.ts';
import { addRows, findTable, openKeyedTable } from './keyed-table.ts';
import { quoteSql } from './lancedb-filter.ts';

// Machines that share no folder share a table with a row for each held lock. LanceDB commits a change only if the table is still at the version that the
// change was made from: so if two processes take a lock at once, one of them sees the row of the other.

const TABLE = '_kb_locks';
/** Milliseconds between two heartbeats, each of which is a new version of the table. */
const HEARTBEAT_INTERVAL = 15_000;
/** Milliseconds between two checks whether the lock is free. */
const CHECK_INTERVAL = 500;
/** Number of versions after which old ones are removed, and the age in milliseconds up to which they stay for readers. */
const CLEANUP_EVERY = 50;
const KEPT_FOR = 600_000;

interface LockRow extends Owner {
  name: string;
  /** Unique for each acquisition of a lock. */
  lock: string;
  /** Number of heartbeats. */
  signs: number;
}

/** Waits for the lock `name` of a store without a folder. `connection` opens tables at a pinned version. Throws a KbError (`aborted`) on the signal. */
export async function lockInTable(connection: Connection, name: string, { signal, onWait }: LockOptions = {}): Promise<WriterLock> {
  const table = await openKeyedTable(connection, TABLE, { texts: ['name', 'lock', 'host', 'process'], numbers: ['pid', 'signs'] });
  const row: LockRow = { ...THIS_PROCESS, name, lock: randomUUID(), signs: 0 };
  const taken = await waitAndTake(table, row, { signal, onWait });
  const thisLock = `lock = '${row.lock}'`;
  const sendHeartbeat = () => retryConflicts(() => table.update({ where: thisLock, valuesSql: { signs: 'signs + 1' } }));
  const signs = setInterval(() => void sendHeartbeat().catch(() => {}), HEARTBEAT_INTERVAL).unref();
  return {
    needsFencing: taken.needsFencing,
    release: async () => {
      clearInterval(signs);
      const { version } = await retryConflicts(() => table.delete(thisLock)).catch(() => ({ version: 1 })); // the next writer takes a remaining row over
      if (version % CLEANUP_EVERY === 0) await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_FOR) }).catch(() => {});
    },
    assertHeld: async () => {
      if ((await readRow(table, name))?.lock !== row.lock) throw lockLostError(name);
    },
  };
}

/** Lists the locks that dead processes of this machine have left. */
export async function listAbandonedRows(connection: Connection): Promise<string[]> {
  const table = await findTable(connection, TABLE);
  const rows = ((await table?.query().toArray()) ?? []) as LockRow[];
  return rows.filter(hasEnded).map(({ name }) => name);
}

/** Takes the lock as soon as it is free. An owner on another machine counts as dead if its row has not changed for a while; clocks are not compared. */
async function waitAndTake(table: Table, row: LockRow, { signal, onWait }: LockOptions): Promise<Pick<WriterLock, 'needsFencing'>> {
  const watch = new HeartbeatWatch();
  let isWaiting = false;
  for (;;) {
    throwIfAborted(signal);
    const held = await readRow(table, row.name);
    if (!held) {
      if (await tryAdd(table, row, signal)) return { needsFencing: false };
      continue; // another process has just taken it
    }
    if (watch.isDead(held, `${held.lock} ${held.signs}`)) {
      if (await tryTakeOver(table, { held, row, signal })) return { needsFencing: mayStillRun(held) };
      continue;
    }
    if (!isWaiting) onWait?.();
    isWaiting = true;
    await waitFor(CHECK_INTERVAL, signal);
  }
}

async function readRow(table: Table, name: string): Promise<LockRow | undefined> {
  await table.checkoutLatest();
  return (
    (await table
      .query()
      .where(`name = ${quoteSql(name)}`)
      .toArray()) as LockRow[]
  )[0];
}

async function tryAdd(table: Table, row: LockRow, signal: AbortSignal | undefined): Promise<boolean> {
  const { numInsertedRows } = await retryConflicts(() => addRows(table, [{ ...row }]), signal);
  return numInsertedRows > 0;
}

interface TakeOver {
  held: LockRow;
  row: LockRow;
  signal: AbortSignal | undefined;
}

/** Replaces the row of a dead owner, unless it has changed meanwhile. */
async function tryTakeOver(table: Table, { held: { lock, signs }, row: { name: _name, ...values }, signal }: TakeOver): Promise<boolean> {
  const { rowsUpdated } = await retryConflicts(
    () => table.update({ where: `lock = ${quoteSql(lock)} AND signs = ${signs}`, values }),
    signal,
  );
  return rowsUpdated > 0;
}
