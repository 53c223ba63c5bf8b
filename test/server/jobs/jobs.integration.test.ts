import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { attachPartialResult, KbError } from '../../../src/core/errors.ts';
import { Job } from '../../../src/schema/http-bodies.ts';
import { IngestResult, PagesResult } from '../../../src/schema/results.ts';
import { MAX_RUNNING, MAX_WAITING_JOBS, openJobs } from '../../../src/server/jobs/jobs.ts';
import { MAX_EVENTS } from '../../../src/server/jobs/job-worker.ts';
import { type JobRecord, makeJobId } from '../../../src/server/jobs/job-files.ts';
import { engineIn, result } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { all, ended, expectFailure, fileOf, nothingUp, opened } from '../../support/jobs.ts';

describe('a job', () => {
  it('continues by itself, and keeps its result', async () => {
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

  it('writes its progress to its file', async () => {
    const { jobs, runs, path } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.say({ data: { stored: 1 } });
    const kept = () => JSON.parse(readFileSync(fileOf(path, id), 'utf8')) as JobRecord;
    expect(kept()).toMatchObject({ id, state: 'running', owner: { pid: process.pid, host: hostname() } });
    await vi.waitFor(() => expect(kept().progress).toEqual({ stored: 1 }), { timeout: 10_000 });
  });

  it('keeps its counts if a later event has none', async () => {
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

  it('is not found under an invalid id, and no other file is read', async () => {
    const path = folder({ 'x.json': JSON.stringify({ ...nothingUp(Date.now()), id: '../x' }), 'jobs/a': '' });
    const { jobs, problems } = await opened(join(path, 'jobs'));
    for (const id of ['../x', '', 'a', `${makeJobId(Date.now())}/../../x`, makeJobId(Date.now())]) {
      await expect(jobs.get(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(jobs.cancel(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(jobs.events(id).next()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(problems).toEqual([]);
  });

  it('is listed before older ones, also within one millisecond', async () => {
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

describe('a cancelled job', () => {
  it('has stopped when the request is answered', async () => {
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

  it('is closed even if its run ignores the signal', async () => {
    const { jobs, runs } = await opened(folder(), { isDeaf: true });
    const { id } = await jobs.start('ingest', {});
    const cancelled = jobs.cancel(id);
    runs[0]!.say({ data: { stored: 1 } });
    expect((await cancelled).state).toBe('cancelled');
    expect(runs[0]!.isOver).toBe(true);
  });

  it('does not change after its end', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    runs[0]!.finish({ stored: 1 });
    const job = await ended(jobs, id);
    expect(await jobs.cancel(id)).toEqual(job);
    expect(job).toMatchObject({ state: 'done', result: { stored: 1 } });
  });
});

describe('many jobs', () => {
  it('run a few at a time, and the others report that they wait', async () => {
    const { jobs, runs } = await opened();
    const begun: Job[] = [];
    for (let i = 0; i < MAX_RUNNING + 2; i++) begun.push(await jobs.start('ingest', { i }));
    const [fifth, sixth] = begun.slice(MAX_RUNNING) as [Job, Job];
    expect(runs).toHaveLength(MAX_RUNNING);
    expect(await jobs.get(fifth.id)).toMatchObject({ state: 'running', progress: { waiting: true } });
    const events = jobs.events(fifth.id);
    expect((await events.next()).value).toMatchObject({ type: 'progress', message: expect.stringMatching(/^Waiting/) });
    expect((await jobs.cancel(fifth.id)).state).toBe('cancelled');
    expectFailure(await all(events), /was cancelled/);
    expect(runs).toHaveLength(MAX_RUNNING);
    runs[1]!.finish({});
    await ended(jobs, begun[1]!.id);
    await vi.waitFor(() => expect(runs).toHaveLength(MAX_RUNNING + 1));
    expect(runs.at(-1)!.request).toEqual({ i: MAX_RUNNING + 1 });
    expect((await jobs.get(sixth.id)).progress).toEqual({});
    runs.at(-1)!.finish({ late: true });
    expect((await ended(jobs, sixth.id)).result).toEqual({ late: true });
  });

  it('wait in a limited queue', async () => {
    const { jobs } = await opened();
    for (let i = 0; i < MAX_RUNNING + MAX_WAITING_JOBS; i++) await jobs.start('ingest', {});
    await expect(jobs.start('ingest', {})).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
  });

  it('hold at most 128 MiB of requests, but a single one of any size', async () => {
    const { jobs, runs } = await opened();
    const start = async (mebibytes: number) => await jobs.start('ingest', {}, { bytes: mebibytes * 2 ** 20 });
    const { id } = await start(200);
    await expect(start(1)).rejects.toMatchObject({ code: 'unavailable', isRetryable: true, message: expect.stringContaining('hold') });
    runs[0]!.finish({});
    await ended(jobs, id);
    await start(100);
    await expect(start(29)).rejects.toMatchObject({ code: 'unavailable' });
    await start(28);
  });

  it('are visible to a token that may use all of their collections', async () => {
    const { jobs } = await opened();
    const { id } = await jobs.start('ingest', {}, { bytes: 0, collections: ['manuals', 'staff'] });
    const token = (...collections: string[]) => ({ name: 'token', scopes: ['read' as const], collections });
    expect(await jobs.list(token('manuals'))).toEqual([]);
    await expect(jobs.get(id, token('manuals'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await jobs.list(token('staff', 'manuals'))).toMatchObject([{ id }]);
  });
});

describe('the events of a job', () => {
  it('are the past and future events, for each reader', async () => {
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

  it('release a reader at once, also while nothing happens', async () => {
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

  it('are not delayed by a slow reader, and stay few', async () => {
    const { jobs, runs } = await opened();
    const { id } = await jobs.start('ingest', {});
    const slow = jobs.events(id);
    const errors = 20;
    runs[0]!.say({ data: { done: -1 } });
    await slow.next();
    for (let i = 0; i < errors; i++) runs[0]!.say({ type: 'error', data: { i } });
    for (let done = 0; done < 3 * MAX_EVENTS; done++) runs[0]!.say({ data: { done } });
    runs[0]!.finish({ stored: 1 });
    expect((await ended(jobs, id)).state).toBe('done');
    const missed = await all(slow);
    expect(missed.length).toBeLessThanOrEqual(MAX_EVENTS + 1);
    expect(missed.filter(({ type }) => type === 'error')).toHaveLength(errors);
    expect(missed.at(-2)!.data).toEqual({ done: 3 * MAX_EVENTS - 1 });
    expect(missed.at(-1)!.type).toBe('final');
  });
});

describe('the text of a document', () => {
  const text = '# Zwackelhorn\n\nThe word of the month is Zwackelhorn.';
  const filesIn = (path: string) => readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'));

  it('reaches the clients of a running ingest, and is not kept in its job', async () => {
    const home = folder({ 'docs/list.csv': 'name,word\nhall,Zwackelhorn\n' });
    const path = join(home, 'jobs');
    const jobs = await openJobs({ engine: engineIn(home), folder: path });
    onTestFinished(() => jobs.close({ seconds: 10 }));
    const document = { source: 'wages.md', text, title: 'Zwackelhorn', metadata: { owner: 'Zwackelhorn' } };
    const { id } = await jobs.start('ingest', { docs: join(home, 'docs/list.csv'), markdown: [document] });
    const [final] = (await all(jobs.events(id))).slice(-1);
    expect(JSON.stringify(final)).toContain('The word of the month is Zwackelhorn.');
    const { result: kept } = await ended(jobs, id);
    const { chunk_result, source_results, stored } = IngestResult.parse(kept);
    expect([stored, chunk_result.items.map(({ source, text: left }) => [source, left])]).toEqual([
      2,
      [
        ['docs/list.csv', ''],
        ['wages.md', ''],
      ],
    ]);
    expect(chunk_result.items.every(({ id: chunk }) => chunk !== '')).toBe(true);
    expect(source_results.markdown).toMatchObject([{ source: 'wages.md', title: '', text: '', metadata: {} }]);
    expect(source_results.docs!.outputs).toEqual([{ source: 'docs/list.csv', status: 'new' }]);
    expect(JSON.stringify([...filesIn(path), await jobs.list(), await all(jobs.events(id))])).not.toContain('Zwackelhorn');
  });

  it('is not kept in the job of a scrape, and of one that failed', async () => {
    const { jobs, runs, path } = await opened();
    const outputs = [
      { id: 'a1', source: 'https://a.example/', title: 'Zwackelhorn', text, metadata: { words: ['Zwackelhorn'] }, marks: [] },
    ];
    const pages = { pages: 1, outputs, notices: [], dlq: null, failed: 0, errors: [] };
    const ids = [await jobs.start('scrape', {}), await jobs.start('scrape', {})].map(({ id }) => id) as [string, string];
    runs[0]!.finish(pages);
    runs[1]!.fail(attachPartialResult(new KbError('unavailable', 'The site is down.'), pages));
    const { result: kept } = await ended(jobs, ids[0]);
    expect(PagesResult.parse(kept).outputs).toEqual([{ id: 'a1', source: 'https://a.example/', title: '', text: '', metadata: {} }]);
    expect(await ended(jobs, ids[1])).toMatchObject({ state: 'failed' });
    expect(filesIn(path)).toHaveLength(4);
    expect(JSON.stringify([...filesIn(path), await all(jobs.events(ids[1]))])).not.toContain('Zwackelhorn');
  });
});

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

  it('fails for an invalid request, and can be cancelled between documents', async () => {
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
