import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { THIS_PROCESS } from '../../src/core/process-owner.ts';
import { ErrorItem } from '../../src/schema/items.ts';
import { Event, IngestResult, PagesResult } from '../../src/schema/results.ts';
import type { Job } from '../../src/schema/http-bodies.ts';
import { type JobRecord, makeJobId } from '../../src/server/jobs/job-files.ts';
import { type Jobs, openJobs } from '../../src/server/jobs/jobs.ts';
import { folder } from './folder.ts';
import { scriptedEngine } from './scripted-engine.ts';

interface Problem {
  message: string;
  cause: unknown;
}

/** Jobs of a scripted engine; stopped after the test. */
export async function opened(path = folder(), options: Parameters<typeof scriptedEngine>[0] = {}) {
  const problems: Problem[] = [];
  const { engine, runs } = scriptedEngine(options);
  const jobs = await openJobs({ engine, folder: path, onProblem: (message, cause) => problems.push({ message, cause }) });
  onTestFinished(() => jobs.close({ seconds: 0 }));
  return { jobs, runs, problems, path };
}

/** A job once it has ended. */
export const ended = async (jobs: Jobs, id: string): Promise<Job> =>
  await vi.waitFor(async () => {
    const job = await jobs.get(id);
    expect(job.state).not.toBe('running');
    return job;
  });

/** All events of a job. */
export async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const told: Event[] = [];
  for await (const event of events) told.push(Event.parse(event));
  return told;
}

/** The record of a job that has ended, begun at this time. */
export const nothingUp = (time: number): JobRecord => ({
  id: makeJobId(time),
  operation: 'ingest',
  sources: [],
  state: 'done',
  progress: {},
  started: new Date(time).toISOString(),
  ended: new Date(time).toISOString(),
  owner: { ...THIS_PROCESS },
});

/** The file of a job's record. */
export const fileOf = (path: string, id: string) => join(path, `${id}.json`);

/** That the stream of a job that was not done ends with an error and one `final`, which holds a whole result and says why. */
export function expectFailure(events: readonly Event[], message: RegExp) {
  const [error, final] = events.slice(-2);
  expect(events.filter(({ type }) => type === 'final')).toEqual([final]);
  expect(error).toMatchObject({ type: 'error', message: expect.stringMatching(message) });
  expect(ErrorItem.parse(error!.data).error).toMatch(message);
  expect(final).toMatchObject({ stage: 'complete', data: { errors: [{ error: expect.stringMatching(message) }] } });
  expect([IngestResult, PagesResult].some((schema) => schema.safeParse(final!.data).success)).toBe(true);
}
