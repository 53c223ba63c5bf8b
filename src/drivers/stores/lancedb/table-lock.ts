import { randomUUID } from 'node:crypto';
import type { Connection, Table } from '@lancedb/lancedb';
import { isAlive, mayStillRun, THIS_PROCESS, type Owner } from '../../../core/process-owner.ts';
import { throwIfAborted, waitFor } from '../../../core/run.ts';
import { type LockOptions, lockLostError, type WriterLock } from '../writer-lock.ts';
import { retryConflicts } from './lancedb-connection.ts';
import { addRows, findTable, keyedTable } from './keyed-table.ts';
import { quoted } from './lancedb-filter.ts';

// Machines that share no folder share a table with a row for each held lock. LanceDB commits a change only directly behind the version that it was made
// from, so of two processes that take a lock, one sees the row of the other.

const TABLE = '_kb_locks';
/** Milliseconds between two signs of life, each of which is a new version of the table. */
const SIGN_EVERY = 15_000;
/** Milliseconds between two checks whether the lock is free. */
const LOOK_EVERY = 500;
/** Number of versions after which old ones are removed, and milliseconds that others have to read them. */
const CLEANED_EVERY = 50;
const KEPT_FOR = 600_000;

interface LockRow extends Owner {
  name: string;
  /** Tells this lock from all others. */
  lock: string;
  /** Number of signs of life. */
  signs: number;
}

/** Waits for the lock `name` of a store that has no folder. Tables of `connection` stay at a version. Throws a KbError (`aborted`) on the signal. */
export async function lockInTable(connection: Connection, name: string, { signal, onWait }: LockOptions = {}): Promise<WriterLock> {
  const table = await keyedTable(connection, TABLE, { texts: ['name', 'lock', 'host', 'process'], numbers: ['pid', 'signs'] });
  const row: LockRow = { ...THIS_PROCESS, name, lock: randomUUID(), signs: 0 };
  const taken = await take(table, row, { signal, onWait });
  const isOurs = `lock = '${row.lock}'`;
  const giveSign = () => retryConflicts(() => table.update({ where: isOurs, valuesSql: { signs: 'signs + 1' } }));
  const signs = setInterval(() => void giveSign().catch(() => {}), SIGN_EVERY).unref();
  return {
    overtook: taken.overtook,
    release: async () => {
      clearInterval(signs);
      const { version } = await retryConflicts(() => table.delete(isOurs)).catch(() => ({ version: 1 })); // a row that stays is taken over
      if (version % CLEANED_EVERY === 0) await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_FOR) }).catch(() => {});
    },
    assertHeld: async () => {
      if ((await rowOf(table, name))?.lock !== row.lock) throw lockLostError(name);
    },
  };
}

/** Lists the locks that killed processes of this machine have left. */
export async function abandonedRows(connection: Connection): Promise<string[]> {
  const table = await findTable(connection, TABLE);
  const rows = ((await table?.query().toArray()) ?? []) as LockRow[];
  return rows.filter((row) => !isAlive(row, Date.now())).map(({ name }) => name);
}

/** Takes the lock as soon as it is free. An owner on another machine counts as dead when its row has not changed for a while: no clocks are compared. */
async function take(table: Table, row: LockRow, { signal, onWait }: LockOptions): Promise<Pick<WriterLock, 'overtook'>> {
  let seen: { held: LockRow; since: number } | undefined;
  for (;;) {
    throwIfAborted(signal);
    const held = await rowOf(table, row.name);
    if (!held) {
      if (await isAdded(table, row, signal)) return { overtook: false };
      continue; // another process was quicker
    }
    const isFirst = !seen;
    if (seen?.held.lock !== held.lock || seen.held.signs !== held.signs) seen = { held, since: Date.now() };
    if (!isAlive(held, seen.since)) {
      if (await isTakenOver(table, { held, row, signal })) return { overtook: mayStillRun(held) };
      continue;
    }
    if (isFirst) onWait?.();
    await waitFor(LOOK_EVERY, signal);
  }
}

async function rowOf(table: Table, name: string): Promise<LockRow | undefined> {
  await table.checkoutLatest();
  return (
    (await table
      .query()
      .where(`name = ${quoted(name)}`)
      .toArray()) as LockRow[]
  )[0];
}

async function isAdded(table: Table, row: LockRow, signal: AbortSignal | undefined): Promise<boolean> {
  const { numInsertedRows } = await retryConflicts(() => addRows(table, [{ ...row }]), signal);
  return numInsertedRows > 0;
}

interface TakeOver {
  held: LockRow;
  row: LockRow;
  signal: AbortSignal | undefined;
}

/** Replaces the row of a dead owner, unless it has changed meanwhile. */
async function isTakenOver(table: Table, { held: { lock, signs }, row: { name: _name, ...values }, signal }: TakeOver): Promise<boolean> {
  const { rowsUpdated } = await retryConflicts(
    () => table.update({ where: `lock = ${quoted(lock)} AND signs = ${signs}`, values }),
    signal,
  );
  return rowsUpdated > 0;
}
