import { expect, it } from 'vitest';
import { createQueues } from '../../src/server/queues.ts';

const { signal } = new AbortController();
const soon = () => new Promise((done) => setTimeout(done, 5));

it('lets so many have their turn at once, and the others in their order', async () => {
  const enter = createQueues(2);
  const [first, second] = await Promise.all([enter('search', signal), enter('search', signal)]);
  const order: number[] = [];
  const waiting = [3, 4].map((number) => enter('search', signal).then((leave) => (order.push(number), leave)));
  await soon();
  expect(order).toEqual([]);
  first();
  await waiting[0];
  expect(order).toEqual([3]);
  second();
  for (const leave of await Promise.all(waiting)) leave();
  expect(order).toEqual([3, 4]);
});

it('lets a search in while ingests fill their own queue', async () => {
  const enter = createQueues(1);
  await enter('work', signal);
  expect(await enter('search', signal)).toBeTypeOf('function');
});

it('lets who leaves go at once, without a turn, while all turns are taken', async () => {
  const enter = createQueues(1);
  const leave = await enter('work', signal);
  const client = new AbortController();
  const waiting = enter('work', client.signal);
  client.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  const next = enter('work', signal);
  leave();
  expect(await next).toBeTypeOf('function');
});

it('takes a turn back once, however often it is given back', async () => {
  const enter = createQueues(1);
  const leave = await enter('work', signal);
  leave();
  leave();
  await enter('work', signal);
  const second = enter('work', signal).then(() => 'entered');
  expect(await Promise.race([second, soon().then(() => 'waits')])).toBe('waits');
});

it('tells one more than a thousand that wait to come back later', async () => {
  const enter = createQueues(1);
  await enter('work', signal);
  for (let i = 0; i < 1000; i++) void enter('work', signal);
  await expect(enter('work', signal)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
});
