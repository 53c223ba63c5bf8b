import { expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { retry } from '../../src/core/retry.ts';

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

it('tries again what may succeed', async () => {
  const { work, tried } = failing(2, busy());
  expect(await retry(work, { base: 0.001 })).toBe('done');
  expect(tried()).toBe(3);
});

it('gives up in the end, and the error knows how often it was tried', async () => {
  const { work } = failing(9, busy());
  await expect(retry(work, { base: 0.001, attempts: 3 })).rejects.toMatchObject({ message: 'busy', attempts: 3 });
});

it('does not try again what cannot succeed, or is not known', async () => {
  for (const error of [() => new KbError('unauthorized', 'no'), () => new Error('odd')]) {
    const { work, tried } = failing(9, error);
    await expect(retry(work, { base: 0.001 })).rejects.toThrow();
    expect(tried()).toBe(1);
  }
});

it('does not wait longer than it may for a Retry-After', async () => {
  const { work, tried } = failing(9, busy(3600));
  await expect(retry(work, { longest: 60 })).rejects.toThrow('busy');
  expect(tried()).toBe(1);
});

it('stops waiting when the work is stopped', async () => {
  const { work } = failing(9, busy(30));
  await expect(retry(work, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'aborted' });
});
