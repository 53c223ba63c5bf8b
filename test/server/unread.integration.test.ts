import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

/** Sends a request on a connection that reads nothing. */
function sendUnread({ url }: Served, path: string, request: object): Socket {
  const body = JSON.stringify(request);
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

/** A request whose result has a megabyte for every 500 texts. */
const texts = (count: number) => ({ markdown: Array(count).fill('The pump stops.') as string[], title: 't'.repeat(2_000) });

it('a client that reads nothing of its result is given up, and others are served', async () => {
  const served = await serveIn(folder());
  served.app.server.server.setTimeout(500);
  const socket = sendUnread(served, '/v1/chunk', texts(6_000));
  await vi.waitFor(() => expect(served.app.inFlight()).toBe(1));
  await vi.waitFor(() => expect(served.app.inFlight()).toBe(0), { timeout: 30_000, interval: 100 });
  let bytes = 0;
  socket.on('data', (part: Buffer) => (bytes += part.length));
  await once(socket, 'close');
  expect(bytes).toBeLessThan(10_000_000); // what the sockets themselves held; the result has more
  expect((await served.post('/v1/chunk', texts(3))).status).toBe(200);
});

it('a client with too many unread results gets no further ones until it reads', async () => {
  const served = await serveIn(folder());
  const unread = Array.from({ length: 5 }, () => sendUnread(served, '/v1/chunk', texts(6_000)));
  await vi.waitFor(async () => expect((await served.post('/v1/chunk', texts(1))).status).toBe(503), { timeout: 50_000, interval: 200 });
  for (const socket of unread) socket.destroy();
  await vi.waitFor(async () => expect((await served.post('/v1/chunk', texts(1))).status).toBe(200), { timeout: 50_000, interval: 200 });
});

it('what a client left behind is no longer counted, whenever it left', async () => {
  const served = await serveIn(folder());
  for (let i = 0; i < 10; i++) {
    // two results are less than what a client may leave unread
    const sockets = Array.from({ length: 2 }, () => sendUnread(served, '/v1/chunk', texts(6_000)));
    await vi.waitFor(() => expect(served.app.inFlight()).toBe(2), { timeout: 20_000 });
    await wait(i * 150); // while they are read, worked on, written or sent
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(served.app.inFlight()).toBe(0), { timeout: 20_000 });
  }
  await vi.waitFor(async () => expect((await served.post('/v1/chunk', texts(1))).status).toBe(200), { timeout: 20_000, interval: 200 });
});

it('a connection that sends thousands of requests ahead is closed, and others are served', async () => {
  const served = await serveIn(folder());
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2_000));
  socket.resume();
  await new Promise((done) => socket.once('close', done)); // the server resets the connection
  await vi.waitFor(() => expect(served.app.inFlight()).toBe(0));
  expect((await served.get('/v1/health')).status).toBe(200);
});

it('a few requests that are sent ahead are answered in order', async () => {
  const { url } = await serveIn(folder());
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const request = (more: string) => `GET /v1/health HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  socket.write(request('').repeat(9) + request('Connection: close\r\n'));
  let text = '';
  for await (const part of socket) text += String(part);
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(10);
});

it('a large result comes whole, with its length', async () => {
  const { post } = await serveIn(folder());
  const { status, headers, text, json } = await post('/v1/chunk', texts(5_000));
  expect([status, Number(headers.get('content-length')), json.items.length]).toEqual([200, Buffer.byteLength(text), 5_000]);
});

it('a result that is too large is rejected', async () => {
  const { post } = await serveIn(folder());
  const title = 'y'.repeat(10_000);
  const { status, json } = await post('/v1/chunk', { markdown: Array(7_000).fill('The pump stops.'), title });
  expect([status, json.error]).toEqual([413, { type: 'PayloadTooLargeError', message: expect.stringContaining('67.1 MB') }]);
});

it('the last event of a stream comes whole, however large it is', async () => {
  const { stream } = await serveIn(folder());
  const markdown = Array.from({ length: 2 }, (_, i) => ({ text: `${i}${' word'.repeat(40_000)}`, source: `${i}.md` }));
  const events = await stream('/v1/pipelines/ingest/stream', { markdown });
  expect(events.at(-1)).toMatchObject({ type: 'final', stage: 'complete', data: { sources: 2, failed: 0 } });
});

it('an overlap of more than half of a chunk is rejected if the request names it', async () => {
  const { post } = await serveIn(folder());
  expect((await post('/v1/chunk', { markdown: 'x', chunk_size: 150 })).status).toBe(200);
  const { status, json } = await post('/v1/chunk', { markdown: 'x', chunk_size: 150, chunk_overlap: 76 });
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('chunk_overlap (76) is more than half')]);
});
