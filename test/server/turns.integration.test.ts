import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { folder } from '../support/folder.ts';
import { scriptedEngine } from '../support/scripted-engine.ts';
import { serveIn, type Served } from '../support/server.ts';

const onStop = () => new KbError('aborted', 'stopped');
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((done) => setTimeout(done, 10));
};

/** A server with one turn of each kind, whose work the test leads. */
async function oneTurn(server: Record<string, unknown> = {}) {
  const { engine, runs } = scriptedEngine({ onStop });
  const served = await serveIn(folder(), { run: engine.run, settings: { server: { max_concurrent: 1, ...server } } });
  return { served, runs };
}

/** A connection on which a request is sent, and nothing is read. */
function unread({ url }: Served, path: string, method = 'POST'): Socket {
  const { host, port } = new URL(url);
  const body = method === 'POST' ? '{"query":"x","markdown":"x"}' : '';
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  socket.pause();
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  onTestFinished(() => void socket.destroy());
  return socket;
}

it('a turn ends with the response, and when the work fails', async () => {
  const { served, runs } = await oneTurn();
  const answers = [1, 2, 3].map(() => served.post('/v1/retrieve', { query: 'x' }));
  await until(() => runs.length === 1);
  runs[0]!.finish({ retrieved: 1 });
  await until(() => runs.length === 2);
  runs[1]!.fail(new KbError('not_found', 'No.'));
  await until(() => runs.length === 3);
  runs[2]!.finish({});
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404, 200]);
});

it('a waiting request is answered at its deadline, and when the server stops', async () => {
  const { served, runs } = await oneTurn();
  const { engine, runs: deaf } = scriptedEngine({ isDeaf: true });
  const stubborn = await serveIn(folder(), { run: engine.run, settings: { server: { max_concurrent: 1, request_timeout: 1 } } });
  const [first, second] = [stubborn.post('/v1/retrieve', { query: 'x' }), stubborn.post('/v1/retrieve', { query: 'y' })];
  expect([(await first).status, (await second).status, deaf.length]).toEqual([503, 503, 1]);
  const [held, waiting] = [served.post('/v1/retrieve', { query: 'x' }), served.post('/v1/retrieve', { query: 'y' })];
  await until(() => runs.length === 1 && served.app.inFlight() === 2);
  served.app.stopAll();
  expect([(await held).json.error.message, (await waiting).json.error.message]).toEqual([
    expect.stringContaining('stopping'),
    expect.stringContaining('stopping'),
  ]);
});

it('a request that arrives after all work was stopped is stopped, too', async () => {
  const { served } = await oneTurn();
  served.app.stopAll();
  expect((await served.post('/v1/retrieve', { query: 'x' })).json.error.message).toContain('stopping');
});

it('a turn ends when a client leaves a stream before its first event, in the middle, or in the queue', async () => {
  const { served, runs } = await oneTurn();
  const silent = unread(served, '/v1/chat/stream');
  await until(() => runs.length === 1);
  const queued = unread(served, '/v1/chat/stream');
  await until(() => served.app.inFlight() === 2);
  queued.destroy();
  silent.destroy();
  await until(() => runs[0]!.isOver);
  const spoken = unread(served, '/v1/chat/stream');
  await until(() => runs.length === 2);
  runs[1]!.say({});
  spoken.destroy();
  await until(() => runs[1]!.isOver);
  const answer = served.post('/v1/retrieve', { query: 'x' });
  await until(() => runs.length === 3);
  runs[2]!.finish({ retrieved: 0 });
  expect((await answer).status).toBe(200);
});

it('a turn ends if the first event comes after the client has left', async () => {
  const { engine, runs } = scriptedEngine({ isDeaf: true });
  const served = await serveIn(folder(), { run: engine.run, settings: { server: { max_concurrent: 1 } } });
  const silent = unread(served, '/v1/pipelines/ingest/stream');
  await until(() => runs.length === 1);
  silent.destroy();
  await until(() => served.app.inFlight() === 0);
  await new Promise((done) => setTimeout(done, 2500)); // longer than the first word is waited for
  runs[0]!.say({});
  await until(() => runs[0]!.isOver);
  const next = served.post('/v1/chunk', { markdown: 'x' });
  await until(() => runs.length === 2);
  runs[1]!.finish({ chunks: 0 });
  expect((await next).status).toBe(200);
});

it('a client that reads nothing is disconnected some seconds after its deadline, and its turn ends', async () => {
  const { served, runs } = await oneTurn({ request_timeout: 1 });
  unread(served, '/v1/pipelines/ingest/stream');
  await until(() => runs.length === 1);
  const text = 'x'.repeat(100_000);
  for (let i = 0; i < 100; i++) runs[0]!.say({ data: { text } }); // more than the sockets' buffers hold
  await until(() => served.app.inFlight() === 0);
  const next = served.post('/v1/chunk', { markdown: 'x' });
  await until(() => runs.length === 2);
  runs[1]!.finish({ chunks: 0 });
  expect((await next).status).toBe(200);
}, 30_000);

it('a run is read no faster than its client reads', async () => {
  const { served, runs } = await oneTurn();
  const socket = unread(served, '/v1/pipelines/ingest/stream');
  await until(() => runs.length === 1);
  const text = 'x'.repeat(100_000);
  for (let i = 0; i < 200; i++) runs[0]!.say({ data: { text } });
  runs[0]!.finish({});
  await new Promise((done) => setTimeout(done, 500));
  expect(runs[0]!.isOver).toBe(false); // 20 MB wait for a reader
  let read = 0;
  socket.on('data', (part: Buffer) => (read += part.length)).resume();
  await until(() => runs[0]!.isOver);
  expect(read).toBeGreaterThan(10_000_000);
});

it('a stream of a quiet job ends when its reader leaves', async () => {
  const { served, runs } = await oneTurn();
  const { json } = await served.post('/v1/pipelines/ingest', { markdown: 'x', background: true });
  const path = `/v1/jobs/${json.id}/events`;
  const readers = [unread(served, path, 'GET'), unread(served, path, 'GET')];
  await until(() => served.app.inFlight() === 2);
  for (const reader of readers) reader.destroy();
  await until(() => served.app.inFlight() === 0);
  expect((await fetch(served.url + path, { method: 'HEAD' })).status).toBe(405);
  runs[0]!.finish({ sources: 1 });
  await until(() => runs[0]!.isOver);
  const events = await (await fetch(served.url + path)).text();
  expect(events).toMatch(/event: final\ndata: .*"sources":1/);
});

it('a stream of a job ends when the server stops', async () => {
  const { served } = await oneTurn();
  const { json } = await served.post('/v1/pipelines/ingest', { markdown: 'x', background: true });
  const stream = await fetch(`${served.url}/v1/jobs/${json.id}/events`);
  served.app.stopAll();
  expect(await stream.text()).toMatch(/^: kb/);
  await until(() => served.app.inFlight() === 0);
});

it('a connection that does not send its request in time gets an error and is closed', async () => {
  const { served } = await oneTurn({ request_timeout: 1 });
  const { host, port } = new URL(served.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  let said = '';
  socket.on('data', (part: Buffer) => (said += part.toString()));
  const closed = new Promise((done) => socket.on('close', done));
  socket.write(`POST /v1/retrieve HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  const drip = setInterval(() => socket.write(' '), 200);
  await closed;
  clearInterval(drip);
  expect(said).toMatch(/^HTTP\/1\.1 408 [^]*did not arrive in time/);
}, 60_000);
