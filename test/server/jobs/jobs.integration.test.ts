import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { THIS_PROCESS } from '../../../src/core/process-owner.ts';
import { KbError } from '../../../src/core/errors.ts';
import { packageRoot } from '../../../src/core/project.ts';
import { Event, IngestResult, PagesResult } from '../../../src/schema/results.ts';
import { ErrorItem } from '../../../src/schema/items.ts';
import { Job } from '../../../src/schema/server-results.ts';
import { type Jobs, MOST_AT_ONCE, MOST_UNWRITTEN, MOST_WAITING, openJobs } from '../../../src/server/jobs/jobs.ts';
import { MOST_EVENTS } from '../../../src/server/jobs/job-worker.ts';
import { KEPT_FOR, MOST_KEPT } from '../../../src/server/jobs/job-files.ts';
import { type JobRecord, makeId } from '../../../src/server/jobs/job-record.ts';
import { engineIn, result } from '../../support/engine.ts';
import { folder, write } from '../../support/folder.ts';
import { start } from '../../support/program.ts';
import { scriptedEngine } from '../../support/scripted-engine.ts';

interface Problem {
  message: string;
  cause: unknown;
}

/** Jobs of a scripted engine; stopped after the test. */
async function opened(path = folder(), options: Parameters<typeof scriptedEngine>[0] = {}) {
  const problems: Problem[] = [];
  const { engine, runs } = scriptedEngine(options);
  const jobs = await openJobs({ engine, folder: path, onProblem: (message, cause) => problems.push({ message, cause }) });
  onTestFinished(() => jobs.close({ seconds: 0 }));
  return { jobs, runs, problems, path };
}

const ended = async (jobs: Jobs, id: string): Promise<Job> =>
  await vi.waitFor(async () => {
    const job = await jobs.get(id);
    expect(job.state).not.toBe('running');
    return job;
  });

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const told: Event[] = [];
  for await (const event of events) told.push(Event.parse(event));
  return told;
}

const nothingUp = (time: number): JobRecord => ({
  id: makeId(time),
  operation: 'ingest',
  sources: [],
  state: 'done',
  progress: {},
  started: new Date(time).toISOString(),
  ended: new Date(time).toISOString(),
  owner: { ...THIS_PROCESS },
});

const fileOf = (path: string, id: string) => join(path, `${id}.json`);
const put = (path: string, record: JobRecord) => write(path, { [`${record.id}.json`]: JSON.stringify(record) });

/** That the stream of a job that was not done ends with an error and one `final`, which holds a whole result and says why. */
function expectFailure(events: readonly Event[], message: RegExp) {
  const [error, final] = events.slice(-2);
  expect(events.filter(({ type }) => type === 'final')).toEqual([final]);
  expect(error).toMatchObject({ type: 'error', message: expect.stringMatching(message) });
  expect(ErrorItem.parse(error!.data).error).toMatch(message);
  expect(final).toMatchObject({ stage: 'complete', data: { errors: [{ error: expect.stringMatching(message) }] } });
  expect([IngestResult, PagesResult].some((schema) => schema.safeParse(final!.data).success)).toBe(true);
}

describe('a job', () => {
  it('goes on by itself, and keeps what came of it', async () => {
    const { jobs, runs, path } = await opened();
    const begun = Job.parse(await jobs.start('ingest', { markdown: 'Hello' }));
    expect(begun).toMatchObject({ operation: 'ingest', state: 'running', progress: {}, ended: null });
    expect(runs[0]).toMatchObject({ name: 'ingest', request: { markdown: 'Hello' } });
    runs[0]!.say({ data: { stored: 3 } });
    await vi.waitFor(async () => expect((await jobs.get(begun.id)).progress).toEqual({ stored: 3 }));
    runs[0]!.finish({ stored: 9, items: ['a'] });
    const job = Job.parse(await ended(jobs, begun.id));
    expect(job).toMatchObject({ state: 'done', progress: { stored: 3 }, result: { stored: 9, items: ['a'] } });
    expect(Date.parse(job.ended!)).toBeGreaterThanOrEqual(Date.parse(job.started));
    const { result: _result, ...listed } = job;
    expect(await jobs.list()).toEqual([listed]);
    const again = await opened(path);
    expect(await again.jobs.get(begun.id)).toEqual(job);
    expect(await again.jobs.list()).toEqual([listed]);
    expect(await all(again.jobs.events(begun.id))).toEqual([
      { type: 'final', stage: 'complete', message: '', data: { stored: 9, items: ['a'] }, sequence: 0 },
    ]);
  });

  it('shows in its file how far it is', async () => {
    const { jobs, runs, path } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.say({ data: { stored: 1 } });
    const kept = () => JSON.parse(readFileSync(fileOf(path, id), 'utf8')) as JobRecord;
    expect(kept()).toMatchObject({ id, state: 'running', owner: { pid: process.pid, host: hostname() } });
    await vi.waitFor(() => expect(kept().progress).toEqual({ stored: 1 }), { timeout: 10_000 });
  });

  it('keeps its counts where a later event has none', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.say({ data: { stored: 1 } });
    runs[0]!.say({ message: 'Bringing the index up to date.' });
    runs[0]!.finish({});
    expect((await ended(jobs, id)).progress).toEqual({ stored: 1 });
  });

  it('leaves nothing of its request behind', async () => {
    const { jobs, runs, path } = await opened();
    const { id } = await jobs.start('ingest', { api: { url: 'https://example.com', headers: { authorization: 'Bearer secret-word' } } });
    runs[0]!.finish({ stored: 1 });
    await ended(jobs, id);
    const names = readdirSync(path);
    expect(names.toSorted()).toEqual([`${id}.json`, `${id}.result.json`]);
    for (const name of names) expect(readFileSync(join(path, name), 'utf8')).not.toContain('secret-word');
  });

  it('says why it failed', async () => {
    const { jobs, runs, problems } = await opened();
    const { id } = await jobs.start('ingest', {});
    const events = all(jobs.events(id));
    runs[0]!.fail(new KbError('setup', 'OPENAI_API_KEY is missing.', { hint: 'Set it.' }));
    const job = await ended(jobs, id);
    expect(job).toMatchObject({ state: 'failed', error: { type: 'SetupError', message: 'OPENAI_API_KEY is missing. Set it.' } });
    expect(job).not.toHaveProperty('result');
    expectFailure(await events, /OPENAI_API_KEY is missing/);
    expectFailure(await all(jobs.events(id)), /OPENAI_API_KEY is missing/);
    expect(problems).toEqual([]);
  });

  it.each([new TypeError('x is not a function at /srv/kb/a.ts'), new KbError('internal', 'The store /srv/kb failed: lance')])(
    'tells the log alone of an error that was not foreseen: %s',
    async (error) => {
      const { jobs, runs, problems } = await opened();
      const { id } = await jobs.start('scrape', {});
      const events = all(jobs.events(id));
      runs[0]!.fail(error);
      const job = await ended(jobs, id);
      expect(job).toMatchObject({
        state: 'failed',
        error: { type: 'RuntimeError', message: expect.stringMatching(/failed unexpectedly/) },
      });
      expect(JSON.stringify([job, await events])).not.toMatch(/srv|lance|function/);
      expect(problems).toEqual([{ message: expect.stringContaining(id), cause: error }]);
    },
  );

  it('is found under no id that is none, and no other file is read', async () => {
    const path = folder({ 'x.json': JSON.stringify({ ...nothingUp(Date.now()), id: '../x' }), 'jobs/a': '' });
    const { jobs, problems } = await opened(join(path, 'jobs'));
    for (const id of ['../x', '', 'a', `${makeId(Date.now())}/../../x`, makeId(Date.now())]) {
      await expect(jobs.get(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(jobs.cancel(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(jobs.events(id).next()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(problems).toEqual([]);
  });

  it('comes before those that began earlier, also in the same millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { jobs, runs } = await opened();
    const begun: Job[] = [];
    for (let i = 0; i < 5; i++) begun.push(await jobs.start('ingest', {}));
    runs[1]!.finish({});
    runs[3]!.finish({});
    await ended(jobs, begun[1]!.id);
    await ended(jobs, begun[3]!.id);
    expect((await jobs.list()).map(({ id }) => id)).toEqual(begun.map(({ id }) => id).toReversed());
  });
});

describe('a job that is cancelled', () => {
  it('has stopped when that is answered', async () => {
    const hint = 'What was stored stays (1 document).';
    const { jobs, runs } = await opened(folder(), { onStop: () => new KbError('aborted', 'Stopped.', { hint }) });
    const { id } = await jobs.start('ingest', {});
    const events = all(jobs.events(id));
    const job = await jobs.cancel(id);
    expect(runs[0]!.isOver).toBe(true);
    expect(job).toMatchObject({ state: 'cancelled', error: { type: 'RuntimeError', message: `The job was cancelled. ${hint}` } });
    expect(await jobs.get(id)).toEqual(job);
    expectFailure(await events, /was cancelled/);
  });

  it('has its run closed where that goes on without hearing it', async () => {
    const { jobs, runs } = await opened(folder(), { isDeaf: true });
    const { id } = await jobs.start('ingest', {});
    const cancelled = jobs.cancel(id);
    runs[0]!.say({ data: { stored: 1 } });
    expect((await cancelled).state).toBe('cancelled');
    expect(runs[0]!.isOver).toBe(true);
  });

  it('stays as it is once it has ended', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.finish({ stored: 1 });
    const job = await ended(jobs, id);
    expect(await jobs.cancel(id)).toEqual(job);
    expect(job).toMatchObject({ state: 'done', result: { stored: 1 } });
  });
});

describe('many jobs', () => {
  it('run a few at once, and the others say that they wait', async () => {
    const { jobs, runs } = await opened();
    const begun: Job[] = [];
    for (let i = 0; i < MOST_AT_ONCE + 2; i++) begun.push(await jobs.start('ingest', { i }));
    const [fifth, sixth] = begun.slice(MOST_AT_ONCE) as [Job, Job];
    expect(runs).toHaveLength(MOST_AT_ONCE);
    expect(await jobs.get(fifth.id)).toMatchObject({ state: 'running', progress: { waiting: true } });
    const events = jobs.events(fifth.id);
    expect((await events.next()).value).toMatchObject({ type: 'progress', message: expect.stringMatching(/^Waiting/) });
    expect((await jobs.cancel(fifth.id)).state).toBe('cancelled');
    expectFailure(await all(events), /was cancelled/);
    expect(runs).toHaveLength(MOST_AT_ONCE);
    runs[1]!.finish({});
    await ended(jobs, begun[1]!.id);
    await vi.waitFor(() => expect(runs).toHaveLength(MOST_AT_ONCE + 1));
    expect(runs.at(-1)!.request).toEqual({ i: MOST_AT_ONCE + 1 });
    expect((await jobs.get(sixth.id)).progress).toEqual({});
    runs.at(-1)!.finish({ late: true });
    expect((await ended(jobs, sixth.id)).result).toEqual({ late: true });
  });

  it('wait in a line that has an end', async () => {
    const { jobs } = await opened();
    for (let i = 0; i < MOST_AT_ONCE + MOST_WAITING; i++) await jobs.start('ingest', {});
    await expect(jobs.start('ingest', {})).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
  });
});

describe('the events of a job', () => {
  it('are what happened so far and what happens then, for each of its readers', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('scrape', {});
    const early = all(jobs.events(id));
    runs[0]!.say({ type: 'page', stage: 'crawl', data: { url: 'https://example.com/' } });
    runs[0]!.say({ type: 'item', stage: 'parse', data: { text: 'a whole document' } });
    runs[0]!.say({ type: 'error', stage: 'fetch', data: { error: 'gone' } });
    await vi.waitFor(async () => expect((await jobs.events(id).next()).value).toMatchObject({ type: 'page' }));
    const late = all(jobs.events(id));
    runs[0]!.say({ data: { done: 2 } });
    runs[0]!.finish({ pages: 1 });
    const told = await early;
    expect(told.map(({ type }) => type)).toEqual(['page', 'error', 'progress', 'final']);
    expect(told.at(-1)).toMatchObject({ stage: 'complete', data: { pages: 1 } });
    const numbers = told.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(await late).toEqual(told);
  });

  it('are left by a reader at once, also while nothing happens', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    const events = jobs.events(id);
    const pending = events.next();
    await events.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    runs[0]!.finish({ stored: 1 });
    expect((await ended(jobs, id)).state).toBe('done');
  });

  it('hold neither the job nor other readers up where one does not read on, and stay few', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    const slow = jobs.events(id);
    const errors = 20;
    runs[0]!.say({ data: { done: -1 } });
    await slow.next();
    for (let i = 0; i < errors; i++) runs[0]!.say({ type: 'error', data: { i } });
    for (let done = 0; done < 3 * MOST_EVENTS; done++) runs[0]!.say({ data: { done } });
    runs[0]!.finish({ stored: 1 });
    expect((await ended(jobs, id)).state).toBe('done');
    const missed = await all(slow);
    expect(missed.length).toBeLessThanOrEqual(MOST_EVENTS + 1);
    expect(missed.filter(({ type }) => type === 'error')).toHaveLength(errors);
    expect(missed.at(-2)!.data).toEqual({ done: 3 * MOST_EVENTS - 1 });
    expect(missed.at(-1)!.type).toBe('final');
  });
});

describe('the jobs of a server that stops', () => {
  it('are interrupted, and say what to do', async () => {
    const { jobs, runs, path } = await opened();
    const begun: Job[] = [];
    for (let i = 0; i <= MOST_AT_ONCE; i++) begun.push(await jobs.start('ingest', {}));
    const events = all(jobs.events(begun[0]!.id));
    await jobs.close({ seconds: 10 });
    expect(runs.every(({ isOver }) => isOver)).toBe(true);
    expectFailure(await events, /interrupted.*Run it again/);
    await expect(jobs.start('ingest', {})).rejects.toMatchObject({ code: 'unavailable' });
    const after = await opened(path);
    expect((await after.jobs.list()).map(({ state }) => state)).toEqual(begun.map(() => 'interrupted'));
  });

  it('are interrupted also where their work does not stop in time, and what comes of it then is nothing', async () => {
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
  it('are seen to their end', async () => {
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

  it('are left at once by a reader', async () => {
    const one = await opened();
    const { id } = await one.jobs.start('ingest', {});
    const events = (await opened(one.path)).jobs.events(id);
    const pending = events.next();
    await events.return();
    expect((await pending).done).toBe(true);
  });

  it('run as long as they give signs of life, where they are on another host', async () => {
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
    expect((await jobs.get(record.id)).state).toBe('running');
    const lastSign = new Date(Date.now() - 61_000);
    utimesSync(fileOf(path, record.id), lastSign, lastSign);
    expect(await jobs.get(record.id)).toMatchObject({ state: 'interrupted', ended: lastSign.toISOString() });
    expect(JSON.parse(readFileSync(fileOf(path, record.id), 'utf8'))).toMatchObject({ state: 'interrupted' });
  });

  it('are interrupted where an earlier process had the number of this one', async () => {
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
  it('is made when there is a job', async () => {
    const path = join(folder(), 'store', '.jobs');
    const { jobs, problems } = await opened(path);
    expect(await jobs.list()).toEqual([]);
    expect(existsSync(path)).toBe(false);
    await jobs.start('ingest', {});
    expect(existsSync(path)).toBe(true);
    expect(problems).toEqual([]);
  });

  it('may hold broken files: they are passed over, and reported once', async () => {
    const good = nothingUp(Date.now());
    const [half, empty, strange, renamed] = [0, 1, 2, 3].map(() => makeId(Date.now())) as [string, string, string, string];
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

  it('forgets what ended long ago, and keeps a bounded number', async () => {
    const path = folder();
    const now = Date.now();
    const records = Array.from({ length: MOST_KEPT + 5 }, (_, i) => nothingUp(now - i * 1_000));
    const old = nothingUp(now - KEPT_FOR - 1_000);
    const lost = makeId(now - KEPT_FOR - 1_000);
    const running: JobRecord = { ...nothingUp(now - KEPT_FOR - 1_000), state: 'running', ended: null };
    for (const record of [...records, old, running]) {
      put(path, record);
      write(path, { [`${record.id}.result.json`]: '{}' });
    }
    write(path, { [`${lost}.json`]: '{', [`${lost}.json.abc.new`]: '{' });
    const { jobs, runs } = await opened(path);
    const kept = [...records.slice(0, MOST_KEPT), running].map(({ id }) => id).toSorted();
    expect((await jobs.list()).map(({ id }) => id).toSorted()).toEqual(kept);
    expect(readdirSync(path).toSorted()).toEqual(kept.flatMap((id) => [`${id}.json`, `${id}.result.json`]).toSorted());
    const { id } = await jobs.start('ingest', {});
    runs[0]!.finish({});
    await ended(jobs, id);
    await jobs.start('ingest', {});
    expect(existsSync(fileOf(path, records[MOST_KEPT - 1]!.id))).toBe(false);
    expect(existsSync(fileOf(path, records[MOST_KEPT - 2]!.id))).toBe(true);
  });

  it('forgets what ended long ago, also where that is little', async () => {
    const [last, old] = [nothingUp(Date.now() - KEPT_FOR + 60_000), nothingUp(Date.now() - KEPT_FOR - 1_000)];
    const path = folder();
    put(path, last);
    put(path, old);
    expect((await (await opened(path)).jobs.list()).map(({ id }) => id)).toEqual([last.id]);
    expect(readdirSync(path)).toEqual([`${last.id}.json`]);
  });

  it('may refuse to be written: jobs run on in memory, and are written when that is possible', async () => {
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

  it('may refuse to be written for long: memory holds the last of the jobs', async () => {
    const path = folder({ store: 'a file where a folder should be' });
    const { jobs, runs } = await opened(join(path, 'store', '.jobs'));
    const ids: string[] = [];
    for (let i = 0; i < MOST_UNWRITTEN + 3; i++) {
      ids.push((await jobs.start('ingest', {})).id);
      runs[i]!.finish({ i });
      await vi.waitFor(async () => expect(await all(jobs.events(ids[i]!))).toHaveLength(1));
    }
    await vi.waitFor(async () => expect((await jobs.list()).map(({ id }) => id)).toEqual(ids.slice(-MOST_UNWRITTEN).toReversed()));
  });

  it('may lose a result: that is said', async () => {
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

describe('a job of the engine', () => {
  it('ingests, and its collection can be searched', async () => {
    const home = folder();
    const engine = engineIn(home);
    const path = join(home, '.kb', 'lancedb', '.jobs');
    const jobs = await openJobs({ engine, folder: path });
    onTestFinished(() => jobs.close({ seconds: 10 }));
    const { id } = await jobs.start('ingest', { markdown: [{ text: '# Valve\n\nThe valve opens at 80 degrees.', source: 'valve.md' }] });
    const events = await all(jobs.events(id));
    expect(events.map(({ type }) => type)).toContain('progress');
    expect(events.at(-1)).toMatchObject({ type: 'final', stage: 'complete', data: { sources: 1, stored: 1, failed: 0 } });
    expect(await jobs.get(id)).toMatchObject({ state: 'done', progress: { stored: 1 }, result: { sources: 1, stored: 1 } });
    const { items } = await result(engine, 'retrieve', { query: 'At how many degrees does the valve open?' });
    expect(items[0]!.metadata.source).toBe('valve.md');
    const { collections } = await result(engine, 'list_collections', {});
    expect(collections.map(({ name }) => name)).toEqual(['default']);
  });

  it('fails where its request does not fit, and is cancelled between its documents', async () => {
    const home = folder();
    const jobs = await openJobs({ engine: engineIn(home), folder: join(home, '.jobs') });
    onTestFinished(() => jobs.close({ seconds: 10 }));
    const { id } = await jobs.start('ingest', {});
    expect(await ended(jobs, id)).toMatchObject({
      state: 'failed',
      error: { type: 'ValueError', message: expect.stringMatching(/At least one of docs/) },
    });
    const [error] = await all(jobs.events(id));
    expect(error!.data).toMatchObject({ stage: 'validate' });
    const markdown = Array.from({ length: 5_000 }, (_, i) => ({
      text: `# Part ${i}\n\n${'A sentence about it. '.repeat(40)}`,
      source: `part-${i}.md`,
    }));
    const long = await jobs.start('ingest', { markdown });
    await vi.waitFor(async () => expect((await jobs.get(long.id)).progress).not.toEqual({}), { timeout: 20_000, interval: 5 });
    const job = await jobs.cancel(long.id);
    expect(job).toMatchObject({ state: 'cancelled', error: { message: expect.stringMatching(/^The job was cancelled\. /) } });
  });
});
