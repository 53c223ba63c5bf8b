import { expect, it, describe } from 'vitest';
import { createQueues, Slots } from '../../src/server/queues.ts';
import fc from 'fast-check';

const { signal } = new AbortController();
const anyone = { signal, client: '127.0.0.1' };
const soon = () => new Promise((done) => setTimeout(done, 5));

it('a queue runs a limited number of requests at once, and the others in order', async () => {
  const { enter } = createQueues(2);
  const [first, second] = await Promise.all([enter('search', anyone), enter('search', anyone)]);
  const order: number[] = [];
  const waiting = [3, 4].map((number) => enter('search', anyone).then((leave) => (order.push(number), leave)));
  await soon();
  expect(order).toEqual([]);
  first();
  await waiting[0];
  expect(order).toEqual([3]);
  second();
  for (const leave of await Promise.all(waiting)) leave();
  expect(order).toEqual([3, 4]);
});

it('searches run while ingests fill their own queue', async () => {
  const { enter } = createQueues(1);
  await enter('work', anyone);
  expect(await enter('search', anyone)).toBeTypeOf('function');
});

it('a waiting client that leaves is released at once', async () => {
  const { enter } = createQueues(1);
  const leave = await enter('work', anyone);
  const client = new AbortController();
  const waiting = enter('work', { ...anyone, signal: client.signal });
  client.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  const next = enter('work', anyone);
  leave();
  expect(await next).toBeTypeOf('function');
});

it('a turn ends once, however often it is released', async () => {
  const { enter } = createQueues(1);
  const leave = await enter('work', anyone);
  leave();
  leave();
  await enter('work', anyone);
  const second = enter('work', anyone).then(() => 'entered');
  expect(await Promise.race([second, soon().then(() => 'waits')])).toBe('waits');
});

it('a request beyond a thousand that wait is rejected', async () => {
  const { enter } = createQueues(1);
  await enter('work', anyone);
  for (let i = 0; i < 1000; i++) void enter('work', anyone);
  await expect(enter('work', anyone)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
});

it('other clients keep a turn for uploads', async () => {
  const { enter } = createQueues(1);
  const slow = { signal, client: '10.0.0.1' };
  const turns = await Promise.all([1, 2, 3].map(() => enter('upload', slow)));
  const fourth = enter('upload', slow).then(() => 'entered');
  expect(await Promise.race([fourth, soon().then(() => 'waits')])).toBe('waits');
  const leave = await enter('upload', { signal, client: '10.0.0.2' });
  leave();
  expect(await Promise.race([fourth, soon().then(() => 'waits')])).toBe('waits');
  turns[0]!();
  expect(await fourth).toBe('entered');
});

it('the waiting uploads of one client are limited', async () => {
  const { enter } = createQueues(1);
  const slow = { signal, client: '10.0.0.1' };
  for (let i = 0; i < 103; i++) void enter('upload', slow);
  await expect(enter('upload', slow)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  expect(await enter('upload', anyone)).toBeTypeOf('function');
});

const forever = new AbortController().signal;
const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are given in the order of requests', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const ask = (name: string) => slots.enter(forever, () => order.push(`${name} waits`)).then(() => order.push(name));
    await ask('a');
    const others = [ask('b'), ask('c')];
    slots.leave();
    slots.leave();
    await Promise.all(others);
    expect(order).toEqual(['a', 'b waits', 'c waits', 'b', 'c']);
  });

  it('are not given to a stopped request', async () => {
    const slots = new Slots(1);
    await expect(slots.enter(AbortSignal.abort(), () => {})).rejects.toMatchObject({ code: 'aborted' });
    await slots.enter(forever, () => expect.unreachable());
  });

  it('are never exceeded nor lost, whoever leaves or gives up', async () => {
    const steps = fc.array(fc.constantFrom('enter', 'leave', 'give up', 'give up and leave', 'leave and give up', 'pause'), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (size, script) => {
        const slots = new Slots(size);
        const held: object[] = [];
        const waiting = new Map<object, AbortController>();
        const leave = () => held.pop() && slots.leave();
        const giveUp = () => waiting.values().next().value?.abort();
        const enter = () => {
          const self = {};
          const stop = new AbortController();
          waiting.set(self, stop);
          const settled = slots
            .enter(stop.signal, () => {})
            .then(
              () => held.push(self),
              () => {},
            );
          void settled.then(() => waiting.delete(self));
        };
        for (const step of script) {
          if (step === 'enter') enter();
          if (step.startsWith('give up')) giveUp();
          if (step.includes('leave')) leave();
          if (step === 'leave and give up') giveUp();
          if (step === 'pause') await turns();
          if (step === 'pause') expect(held.length === size || waiting.size === 0).toBe(true);
          expect(held.length).toBeLessThanOrEqual(size);
        }
        await turns();
        while (held.length > 0 || waiting.size > 0) {
          expect(held.length === size || waiting.size === 0).toBe(true);
          leave();
          await turns();
        }
      }),
      { numRuns: 200 },
    );
  });
});
