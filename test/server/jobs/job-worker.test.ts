import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { THIS_PROCESS } from '../../../src/core/process-owner.ts';
import { KbError } from '../../../src/core/errors.ts';
import type { Event } from '../../../src/schema/results.ts';
import { JobFiles, makeJobId, type JobRecord } from '../../../src/server/jobs/job-files.ts';
import { Slots } from '../../../src/server/queues.ts';
import { JobWorker } from '../../../src/server/jobs/job-worker.ts';
import { folder } from '../../support/folder.ts';

it('the end of a job is written even if its beginning takes longer to write', async () => {
  const files = new JobFiles(folder(), () => expect.unreachable());
  const { write } = files;
  const disk = Promise.withResolvers<void>();
  files.write = async (record) => {
    if (record.state === 'running') await disk.promise;
    return await write(record);
  };
  async function* run(): AsyncGenerator<Event, object, void> {
    throw new KbError('usage', 'It does not fit.');
  }
  const started = new Date();
  const id = makeJobId(started.getTime());
  const record: JobRecord = {
    id,
    operation: 'ingest',
    sources: [],
    state: 'running',
    progress: {},
    started: started.toISOString(),
    ended: null,
    owner: { ...THIS_PROCESS },
  };
  const work = new JobWorker(record, { run, slots: new Slots(1), files, onProblem: () => expect.unreachable() });
  const begun = work.begin();
  await wait(20);
  disk.resolve();
  await begun;
  await work.ended;
  await wait(20);
  expect(await files.read(id)).toMatchObject({ state: 'failed', error: { message: 'It does not fit.' } });
});
