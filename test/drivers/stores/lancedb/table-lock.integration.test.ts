import { connect } from '@lancedb/lancedb';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DEAD_AFTER, THIS_PROCESS } from '../../../../src/core/process-owner.ts';
import { listAbandonedRows, lockInTable } from '../../../../src/drivers/stores/lancedb/table-lock.ts';
import { folder } from '../../../support/folder.ts';

/** A table with the lock that an owner holds, which sends a heartbeat when `sendHeartbeat` is called. */
async function lockedTable(owner: { host: string; process: string }) {
  const connection = await connect(folder());
  const { release } = await lockInTable(connection, 'other');
  await release();
  const table = await connection.openTable('_kb_locks');
  await table.add([{ ...THIS_PROCESS, ...owner, name: 'manuals', lock: 'a', signs: 0 }]);
  return { connection, sendHeartbeat: () => table.update({ where: "lock = 'a'", valuesSql: { signs: 'signs + 1' } }) };
}

it('is not taken from another host as long as heartbeats come, and is taken when they stay away', async () => {
  const { connection, sendHeartbeat } = await lockedTable({ host: 'elsewhere.example', process: 'a' });
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  const setClock = vi.spyOn(Date, 'now');
  onTestFinished(() => [clock, setClock].forEach((mock) => mock.mockRestore()));
  let [isTaken, waits] = [false, 0];
  const taking = lockInTable(connection, 'manuals', { onWait: () => waits++ }).then((lock) => {
    isTaken = true;
    return lock;
  });
  for (let i = 0; i < 3; i++) {
    await wait(1_200); // the lock is looked at every 500 ms
    expect(isTaken).toBe(false);
    passed += DEAD_AFTER - 5_000;
    setClock.mockReturnValue(Date.now() + 3_600_000);
    await sendHeartbeat();
  }
  await wait(1_200);
  expect([isTaken, waits, await listAbandonedRows(connection)]).toEqual([false, 1, []]);
  passed += DEAD_AFTER;
  const lock = await taking;
  expect(lock.needsFencing).toBe(true);
  await lock.release();
});

it('is taken at once from a process of this host that was killed', async () => {
  const { connection } = await lockedTable({ host: THIS_PROCESS.host, process: 'an earlier one' });
  expect(await listAbandonedRows(connection)).toEqual(['manuals']);
  const lock = await lockInTable(connection, 'manuals', { onWait: () => expect.fail('nobody holds it') });
  await lock.release();
  expect(await listAbandonedRows(connection)).toEqual([]);
});
