import { expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { retry, withRetryProgress, reportPause } from '../../src/core/retry.ts';
import { collect, progress, type Run } from '../../src/core/run.ts';

const failing = (times: number, error: () => unknown) => {
  let tried = 0;
  return {
    tried: () => tried,
    work: async () => {
      if (++tried <= times) throw error();
      return 'done';
    },
  };
};
const busy = (retryAfter?: number) => () =>
  new KbError('unavailable', 'busy', { isRetryable: true, ...(retryAfter === undefined ? {} : { retryAfter }) });

it('repeats work that may succeed', async () => {
  const { work, tried } = failing(2, busy());
  expect(await retry(work, { firstWait: 0.001 })).toBe('done');
  expect(tried()).toBe(3);
});

it('gives up after the maximum of attempts, and counts them in the error', async () => {
  const { work } = failing(9, busy());
  await expect(retry(work, { firstWait: 0.001, attempts: 3 })).rejects.toMatchObject({ message: 'busy', attempts: 3 });
});

it('does not repeat what cannot succeed, or fails in an unknown way', async () => {
  for (const error of [() => new KbError('unauthorized', 'no'), () => new Error('odd')]) {
    const { work, tried } = failing(9, error);
    await expect(retry(work, { firstWait: 0.001 })).rejects.toThrow();
    expect(tried()).toBe(1);
  }
});

it('does not wait longer than allowed for Retry-After', async () => {
  const { work, tried } = failing(9, busy(3600));
  await expect(retry(work, { maxWait: 60 })).rejects.toThrow('busy');
  expect(tried()).toBe(1);
});

it('stops waiting when the work is stopped', async () => {
  const { work } = failing(9, busy(30));
  await expect(retry(work, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'aborted' });
});

const busyTimes = (failures: number) => {
  let tried = 0;
  return async () => {
    if (++tried <= failures) throw new KbError('unavailable', 'It answered 429: busy.', { isRetryable: true, retryAfter: 0.001 });
    return 'done';
  };
};

/** Work with a stage, in which something is tried until it succeeds. */
async function* asking(failures: number): Run<string> {
  yield progress('generation', { query: 'How?' }, 'Asking.');
  const answer = await retry(busyTimes(failures));
  yield progress('complete');
  return answer;
}

/** What a pause is told with before there is a stage. */
const first = { stage: 'retrieval', data: { retrieved: 0 } };

it('reports each pause before another attempt, with the current stage', async () => {
  const { events, result } = await collect(withRetryProgress(asking(2), first));
  expect(result).toBe('done');
  expect(events).toEqual([
    progress('generation', { query: 'How?' }, 'Asking.'),
    ...[2, 3].map((attempt) =>
      progress(
        'generation',
        { query: 'How?', wait: 0.001, attempt, attempts: 4 },
        `Waiting 1 s, then trying again (${attempt} of 4): It answered 429: busy.`,
      ),
    ),
    progress('complete'),
  ]);
});

it('reports a pause while it lasts', async () => {
  const stop = new AbortController();
  // oxlint-disable-next-line require-yield -- the pause is what is heard
  const run = withRetryProgress(
    (async function* (): Run<void> {
      await retry(
        async () => {
          throw new KbError('unavailable', 'busy', { isRetryable: true, retryAfter: 50 });
        },
        { signal: stop.signal },
      );
    })(),
    first,
  );
  expect((await run.next()).value).toMatchObject({ stage: 'retrieval', data: { retrieved: 0, wait: 50, attempt: 2, attempts: 4 } });
  stop.abort();
  await expect(run.next()).rejects.toMatchObject({ code: 'aborted' });
});

it('separates the pauses of two concurrent runs, and reports nothing without a listener', async () => {
  const [one, other] = await Promise.all([collect(withRetryProgress(asking(3), first)), collect(withRetryProgress(asking(0), first))]);
  expect([one.events.length, other.events.length]).toEqual([5, 2]);
  expect((await collect(asking(2))).events).toHaveLength(2);
});

it('closes an abandoned run, and passes on what closing throws', async () => {
  let isClosed = false;
  async function* endless(): Run<void> {
    try {
      for (;;) yield progress('chat');
    } finally {
      isClosed = true;
    }
  }
  const run = withRetryProgress(endless(), first);
  await run.next();
  await run.return();
  expect(isClosed).toBe(true);
  // oxlint-disable-next-line require-yield -- it fails before
  async function* failingRun(): Run<void> {
    throw new Error('odd');
  }
  await expect(withRetryProgress(failingRun(), first).next()).rejects.toThrow('odd');
});

it('does not wait for the pause of an abandoned run', async () => {
  // oxlint-disable-next-line require-yield -- the pause is what is heard
  async function* stuck(): Run<void> {
    reportPause({ seconds: 60, attempt: 2, attempts: 4, reason: 'busy' });
    await new Promise(() => {});
  }
  const run = withRetryProgress(stuck(), first);
  await run.next();
  expect(await run.return()).toEqual({ done: true, value: undefined });
});
