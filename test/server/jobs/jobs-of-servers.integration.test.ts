import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEAD_AFTER, THIS_PROCESS } from '../../../src/core/process-owner.ts';
import { packageRoot } from '../../../src/core/project.ts';
import type { Event } from '../../../src/schema/results.ts';
import { Job } from '../../../src/schema/http-bodies.ts';
import { type Jobs, MAX_RUNNING, MAX_UNWRITTEN } from '../../../src/server/jobs/jobs.ts';
import { KEEP_TIME, MAX_ENDED_JOBS, type JobRecord, makeJobId } from '../../../src/server/jobs/job-files.ts';
import { folder, write } from '../../support/folder.ts';
import { start } from '../../support/program.ts';
import { all, ended, expectFailure, fileOf, nothingUp, opened } from '../../support/jobs.ts';

const put = (path: string, record: JobRecord) => write(path, { [`${record.id}.json`]: JSON.stringify(record) });

describe('the jobs of a server that stops', () => {
  it('are interrupted, and say what to do', async () => {
    const { jobs, runs, path } = await opened();
    const begun: Job[] = [];
    for (let i = 0; i <= MAX_RUNNING; i++) begun.push(await jobs.start('ingest', {}));
    const events = all(jobs.events(begun[0]!.id));
    await jobs.close({ seconds: 10 });
    expect(runs.every(({ isOver }) => isOver)).toBe(true);
    expectFailure(await events, /interrupted.*Run it again/);
    await expect(jobs.start('ingest', {})).rejects.toMatchObject({ code: 'unavailable' });
    const after = await opened(path);
    expect((await after.jobs.list()).map(({ state }) => state)).toEqual(begun.map(() => 'interrupted'));
  });

  it('are interrupted even if their work does not stop in time, and its result is ignored', async () => {
    const { jobs, runs, path } = await opened(folder(), { isDeaf: true });
    const { id } = await jobs.start('ingest', {});
    await jobs.close({ seconds: 0.01 });
    const { jobs: after } = await opened(path);
    expect((await after.get(id)).state).toBe('interrupted');
    runs[0]!.finish({ stored: 1 });
    await vi.waitFor(() => expect(runs[0]!.isOver).toBe(true));
    await wait(50);
    expect((await after.get(id)).state).toBe('interrupted');
  });

  it('are interrupted when it is killed', async () => {
    const path = folder();
    const server = start([process.execPath, join(packageRoot, 'test/support/jobs-process.ts'), path], { cwd: path });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    await server.until(/\n/);
    const id = server.said.out.trim();
    const { jobs } = await opened(path);
    await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state: 'running', progress: { stored: 7 } }), {
      timeout: 10_000,
    });
    await expect(jobs.cancel(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(`${server.child.pid} on`) });
    const events = all(jobs.events(id));
    server.child.kill('SIGKILL');
    await server.done;
    expectFailure(await events, /interrupted.*Run it again: what was stored stays/);
    const { jobs: after } = await opened(path);
    const [job] = await after.list();
    expect(Job.parse(job)).toMatchObject({ id, state: 'interrupted', progress: { stored: 7 }, error: { type: 'RuntimeError' } });
    expect(job!.ended).not.toBeNull();
  });
});

describe('the jobs of other servers', () => {
  it('can be followed to their end', async () => {
    const one = await opened();
    const { jobs: other } = await opened(one.path);
    const { id } = await one.jobs.start('ingest', {});
    expect(await other.list()).toEqual(await one.jobs.list());
    const events = other.events(id);
    one.runs[0]!.say({ data: { stored: 5 } });
    expect((await events.next()).value).toMatchObject({ type: 'progress', stage: 'ingest', data: { stored: 5 } });
    one.runs[0]!.finish({ stored: 6 });
    expect(await all(events)).toEqual([{ type: 'final', stage: 'complete', message: '', data: { stored: 6 }, sequence: 1 }]);
    expect(await other.get(id)).toEqual(await one.jobs.get(id));
  });

  it('release a reader at once', async () => {
    const one = await opened();
    const { id } = await one.jobs.start('ingest', {});
    const events = (await opened(one.path)).jobs.events(id);
    const pending = events.next();
    await events.return();
    expect((await pending).done).toBe(true);
  });

  it('run as long as they send heartbeats from another host, whatever its clock says', async () => {
    const path = folder();
    const time = Date.now() - 120_000;
    const record: JobRecord = {
      ...nothingUp(time),
      state: 'running',
      ended: null,
      owner: { pid: 1, host: 'elsewhere.example', process: 'a' },
    };
    put(path, record);
    const { jobs } = await opened(path);
    let skipped = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + skipped);
    onTestFinished(() => clock.mockRestore());
    const sendHeartbeat = (at: Date) => utimesSync(fileOf(path, record.id), at, at);
    for (const hours of [0, -5, 3, -0.1]) {
      const heartbeat = new Date(Date.now() + hours * 3_600_000);
      sendHeartbeat(heartbeat);
      expect((await jobs.get(record.id)).state).toBe('running');
      skipped += DEAD_AFTER - 5_000;
      expect((await jobs.get(record.id)).state).toBe('running');
      skipped += DEAD_AFTER;
    }
    const heartbeat = statSync(fileOf(path, record.id)).mtime;
    expect(await jobs.get(record.id)).toMatchObject({ state: 'interrupted', ended: heartbeat.toISOString() });
    expect(JSON.parse(readFileSync(fileOf(path, record.id), 'utf8'))).toMatchObject({ state: 'interrupted' });
  });

  it('are interrupted if they belong to an earlier process with the same id', async () => {
    const path = folder();
    const record: JobRecord = {
      ...nothingUp(Date.now()),
      state: 'running',
      ended: null,
      owner: { ...THIS_PROCESS, process: 'an earlier one' },
    };
    put(path, record);
    expect((await (await opened(path)).jobs.list())[0]!.state).toBe('interrupted');
  });
});

describe('the folder of jobs', () => {
  it('is created with the first job', async () => {
    const path = join(folder(), 'store', '.jobs');
    const { jobs, problems } = await opened(path);
    expect(await jobs.list()).toEqual([]);
    expect(existsSync(path)).toBe(false);
    await jobs.start('ingest', {});
    expect(existsSync(path)).toBe(true);
    expect(problems).toEqual([]);
  });

  it('may contain broken files, which are ignored and reported once', async () => {
    const good = nothingUp(Date.now());
    const [half, empty, strange, renamed] = [0, 1, 2, 3].map(() => makeJobId(Date.now())) as [string, string, string, string];
    const path = folder({
      [`${half}.json`]: '{"id": "',
      [`${empty}.json`]: '',
      [`${strange}.json`]: JSON.stringify({ ...good, id: strange, state: 'sleeping' }),
      [`${renamed}.json`]: JSON.stringify(good),
      'notes.txt': 'not of a job',
    });
    put(path, good);
    const { jobs, problems } = await opened(path);
    for (let i = 0; i < 3; i++) expect((await jobs.list()).map(({ id }) => id)).toEqual([good.id]);
    await expect(jobs.get(half)).rejects.toMatchObject({ code: 'not_found' });
    const reported = problems.map(({ message }) => message).toSorted();
    expect(reported).toHaveLength(4);
    for (const id of [half, empty, strange, renamed]) expect(reported.some((message) => message.includes(id))).toBe(true);
    expect(existsSync(join(path, 'notes.txt'))).toBe(true);
  });

  it('removes old jobs, and keeps a limited number', async () => {
    const path = folder();
    const now = Date.now();
    const records = Array.from({ length: MAX_ENDED_JOBS + 5 }, (_, i) => nothingUp(now - i * 1_000));
    const old = nothingUp(now - KEEP_TIME - 1_000);
    const lost = makeJobId(now - KEEP_TIME - 1_000);
    const running: JobRecord = { ...nothingUp(now - KEEP_TIME - 1_000), state: 'running', ended: null };
    for (const record of [...records, old, running]) {
      put(path, record);
      write(path, { [`${record.id}.result.json`]: '{}' });
    }
    write(path, { [`${lost}.json`]: '{', [`${lost}.json.abc.new`]: '{' });
    const { jobs, runs } = await opened(path);
    const kept = [...records.slice(0, MAX_ENDED_JOBS), running].map(({ id }) => id).toSorted();
    expect((await jobs.list()).map(({ id }) => id).toSorted()).toEqual(kept);
    expect(readdirSync(path).toSorted()).toEqual(kept.flatMap((id) => [`${id}.json`, `${id}.result.json`]).toSorted());
    const { id } = await jobs.start('ingest', {});
    runs[0]!.finish({});
    await ended(jobs, id);
    await jobs.start('ingest', {});
    expect(existsSync(fileOf(path, records[MAX_ENDED_JOBS - 1]!.id))).toBe(false);
    expect(existsSync(fileOf(path, records[MAX_ENDED_JOBS - 2]!.id))).toBe(true);
  });

  it('removes old jobs even if there are few', async () => {
    const [last, old] = [nothingUp(Date.now() - KEEP_TIME + 60_000), nothingUp(Date.now() - KEEP_TIME - 1_000)];
    const path = folder();
    put(path, last);
    put(path, old);
    expect((await (await opened(path)).jobs.list()).map(({ id }) => id)).toEqual([last.id]);
    expect(readdirSync(path)).toEqual([`${last.id}.json`]);
  });

  it('may be unwritable: jobs continue in memory, and are written when that is possible', async () => {
    const path = folder({ store: 'a file where a folder should be' });
    const { jobs, runs, problems } = await opened(join(path, 'store', '.jobs'));
    const { id } = await jobs.start('ingest', {});
    const { id: other } = await jobs.start('ingest', {});
    expect(await all(runsToEnd(jobs, other, () => runs[1]!.finish({ stored: 2 })))).toMatchObject([{ type: 'final', data: { stored: 2 } }]);
    runs[0]!.finish({ stored: 1 });
    expect(await ended(jobs, id)).toMatchObject({ state: 'done', result: { stored: 1 } });
    expect((await jobs.list()).map((job) => [job.id, job.state])).toEqual([
      [other, 'done'],
      [id, 'done'],
    ]);
    expect(problems.filter(({ message }) => message.includes("can't be kept"))).toHaveLength(1);
    rmSync(join(path, 'store'));
    await jobs.start('ingest', {});
    expect((await (await opened(join(path, 'store', '.jobs'))).jobs.get(id)).result).toEqual({ stored: 1 });
  });

  it('may be unwritable for long: memory keeps the last jobs', async () => {
    const path = folder({ store: 'a file where a folder should be' });
    const { jobs, runs } = await opened(join(path, 'store', '.jobs'));
    const ids: string[] = [];
    for (let i = 0; i < MAX_UNWRITTEN + 3; i++) {
      ids.push((await jobs.start('ingest', {})).id);
      runs[i]!.finish({ i });
      await vi.waitFor(async () => expect(await all(jobs.events(ids[i]!))).toHaveLength(1));
    }
    await vi.waitFor(async () => expect((await jobs.list()).map(({ id }) => id)).toEqual(ids.slice(-MAX_UNWRITTEN).toReversed()));
  });

  it('may lose a result, which is reported', async () => {
    const { jobs, runs, path } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.finish({ stored: 1 });
    await ended(jobs, id);
    await vi.waitFor(() => expect(readdirSync(path)).toHaveLength(2));
    writeFileSync(join(path, `${id}.result.json`), '{"stored":');
    const job = Job.parse(await jobs.get(id));
    expect(job).toMatchObject({ state: 'done', error: { message: expect.stringMatching(/could not be saved/) } });
    expect(job).not.toHaveProperty('result');
    expectFailure(await all(jobs.events(id)), /could not be saved/);
  });
});

/** The events of a job that is ended once they are read. */
async function* runsToEnd(jobs: Jobs, id: string, end: () => void): AsyncGenerator<Event, void, void> {
  const events = jobs.events(id);
  end();
  yield* events;
}
