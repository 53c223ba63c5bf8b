import { expect, it } from 'vitest';
import { createQueues } from '../../src/server/queues.ts';

const { signal } = new AbortController();
const anyone = { signal, client: '127.0.0.1' };
const soon = () => new Promise((done) => setTimeout(done, 5));

it('lets so many have their turn at once, and the others in their order', async () => {
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

it('lets a search in while ingests fill their own queue', async () => {
  const { enter } = createQueues(1);
  await enter('work', anyone);
  expect(await enter('search', anyone)).toBeTypeOf('function');
});

it('lets who leaves go at once, without a turn, while all turns are taken', async () => {
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

it('takes a turn back once, however often it is given back', async () => {
  const { enter } = createQueues(1);
  const leave = await enter('work', anyone);
  leave();
  leave();
  await enter('work', anyone);
  const second = enter('work', anyone).then(() => 'entered');
  expect(await Promise.race([second, soon().then(() => 'waits')])).toBe('waits');
});

it('tells one more than a thousand that wait to come back later', async () => {
  const { enter } = createQueues(1);
  await enter('work', anyone);
  for (let i = 0; i < 1000; i++) void enter('work', anyone);
  await expect(enter('work', anyone)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
});

it('leaves other clients a turn to upload, whatever one does', async () => {
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

it('lets one client fill no more than a part of those that wait to upload', async () => {
  const { enter } = createQueues(1);
  const slow = { signal, client: '10.0.0.1' };
  for (let i = 0; i < 103; i++) void enter('upload', slow);
  await expect(enter('upload', slow)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  expect(await enter('upload', anyone)).toBeTypeOf('function');
});
