import { setImmediate as breath } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';

const HERE = 'https://here.example';
const THERE = 'https://there.example';

/** Work that goes on until it is told to end, and how much of it goes on. */
function works() {
  const ends: (() => void)[] = [];
  let [open, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++open);
    await new Promise<void>((end) => ends.push(end));
    open--;
  };
  return { work, ends, open: () => open, most: () => most };
}

/** Lets everything go on that can. */
const settled = async () => {
  for (let i = 0; i < 20; i++) await breath();
};

test('runs with a shared limiter do eight tasks at once for an origin, and further ones for another', async () => {
  const limiter = new HostLimiter();
  const [here, there] = [works(), works()];
  const all = [limiter.limiterFor(HERE), limiter.limiterFor(HERE)].flatMap((inTurn) => Array.from({ length: 8 }, () => inTurn(here.work)));
  all.push(limiter.limiterFor(THERE)(there.work));
  await settled();
  expect([here.open(), there.open()]).toEqual([8, 1]);
  while (here.ends.length + there.ends.length > 0) {
    for (const { ends } of [here, there]) ends.splice(0).forEach((end) => end());
    await settled();
  }
  await Promise.all(all);
  expect(here.most()).toBe(8);
});

test('runs with a delay do one task after another, beside seven others', async () => {
  const limiter = new HostLimiter();
  const [slow, fast] = [works(), works()];
  const all = [limiter.limiterFor(HERE, { delay: 0.001 }), limiter.limiterFor(HERE, { delay: 0.001 })].map((inTurn) => inTurn(slow.work));
  await settled();
  all.push(...Array.from({ length: 8 }, () => limiter.limiterFor(HERE)(fast.work)));
  await settled();
  expect([slow.open(), fast.open()]).toEqual([1, 7]);
  for (let ended = 0; ended < all.length; await settled())
    for (const { ends } of [slow, fast]) ended += ends.splice(0).map((end) => end()).length;
  await Promise.all(all);
  expect(slow.most()).toBe(1);
});

test('a stopped run does not wait for other runs, and does not start its work', async () => {
  const limiter = new HostLimiter();
  const { work, ends } = works();
  const others = Array.from({ length: 8 }, () => limiter.limiterFor(HERE)(work));
  others.push(limiter.limiterFor(HERE, { delay: 0.001 })(work));
  await settled();
  for (const delay of [0, 0.001]) {
    const stop = new AbortController();
    let wasDone = false;
    const waiting = limiter.limiterFor(HERE, { delay })(async () => void (wasDone = true), stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(wasDone).toBe(false);
    await expect(limiter.limiterFor(HERE, { delay })(work, stop.signal)).rejects.toMatchObject({ code: 'aborted' });
  }
  for (let ended = 0; ended < others.length; await settled()) ended += ends.splice(0).map((end) => end()).length;
  await Promise.all(others);
  expect(await limiter.limiterFor(HERE)(async () => 'done')).toBe('done');
});

test('work that has begun ends by itself when it is stopped, and its error is thrown', async () => {
  const stop = new AbortController();
  const inTurn = new HostLimiter().limiterFor(HERE);
  const begun = inTurn(async () => {
    stop.abort();
    await settled();
    return 'kept';
  }, stop.signal);
  expect(await begun).toBe('kept');
  await expect(inTurn(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
