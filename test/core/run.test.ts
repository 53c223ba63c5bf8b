import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { retry } from '../../src/core/retry.ts';
import { collect, currentSignal, progress, type Run, untilAborted, withSignal } from '../../src/core/run.ts';

const never = (): Promise<never> => new Promise(() => {});

it('untilAborted throws at once when the signal is aborted, before or during the work', async () => {
  const stop = new AbortController();
  const waiting = untilAborted(never(), stop.signal);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  await expect(untilAborted(never(), stop.signal)).rejects.toMatchObject({ code: 'aborted' });
});

it('untilAborted passes on the end of work that is not stopped', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  expect(await untilAborted(Promise.resolve(2), undefined)).toBe(2);
  await expect(untilAborted(Promise.reject(new Error('odd')), signal)).rejects.toThrow('odd');
});

it('currentSignal returns the signal of its own run, also far below it', async () => {
  const signals = [new AbortController().signal, new AbortController().signal, undefined];
  const run = async function* (): Run<(AbortSignal | undefined)[]> {
    const found = [currentSignal()];
    yield progress('store');
    await wait(1);
    return [...found, currentSignal()];
  };
  const results = await Promise.all(signals.map(async (signal) => (await collect(withSignal(run(), signal))).result));
  expect(results).toEqual(signals.map((signal) => [signal, signal]));
});

it('a pause before another attempt ends when the run is stopped', async () => {
  const stop = new AbortController();
  const failing = async () => {
    setImmediate(() => stop.abort());
    throw new KbError('unavailable', 'busy', { isRetryable: true, retryAfter: 50 });
  };
  const run = async function* (): Run<void> {
    yield progress('store');
    await retry(failing);
  };
  await expect(collect(withSignal(run(), stop.signal))).rejects.toMatchObject({ code: 'aborted' });
});
