import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

const MIB = 2 ** 20;
const large = { settings: { server: { body_limit: 100 * MIB } } };

interface Told {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

/** A request whose body is sent by the test. */
function open({ url }: Served, path: string, headers: Record<string, string | number> = {}): { asked: ClientRequest; told: Promise<Told> } {
  const asked = plainRequest(url + path, { method: 'POST', agent: false, headers: { 'content-type': 'application/json', ...headers } });
  onTestFinished(() => void asked.destroy());
  const told = new Promise<Told>((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', async (response: IncomingMessage) => {
      let text = '';
      for await (const part of response) text += String(part);
      resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'], text });
    });
  });
  told.catch(() => {});
  return { asked, told };
}

/** Sends so many bytes, and waits until they are on their way. */
const send = (asked: ClientRequest, bytes: number): Promise<void> =>
  new Promise((resolve, reject) => void asked.write(Buffer.alloc(bytes, 32), (error) => (error ? reject(error) : resolve())));

const raw = (served: Served): Socket => {
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
};

it('a body that is too large gets its response even if it is sent completely first', async () => {
  const served = await serveIn(folder(), { settings: { server: { body_limit: 1000 } } });
  const framings: Record<string, string | number>[] = [{ 'content-length': 20 * MIB }, { 'transfer-encoding': 'chunked' }];
  for (const headers of framings) {
    const { asked, told } = open(served, '/v1/chunk', headers);
    for (let sent = 0; sent < 20; sent++) await send(asked, MIB);
    asked.end();
    expect(await told).toMatchObject({ status: 413, text: expect.stringContaining('PayloadTooLargeError') });
  }
});

it('a body that is too large gets its response even if it never ends', async () => {
  const served = await serveIn(folder(), { settings: { server: { body_limit: 1000 } } });
  const { asked, told } = open(served, '/v1/chunk');
  await send(asked, MIB);
  expect(await told).toMatchObject({ status: 413 });
});

it('a form with a file that is too large gets its response, too', async () => {
  const served = await serveIn(folder(), { settings: { server: { upload_limit: 1000 } } });
  const { asked, told } = open(served, '/v1/ingest/docs/upload', { 'content-type': 'multipart/form-data; boundary=x' });
  asked.write('--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n');
  for (let sent = 0; sent < 20; sent++) await send(asked, MIB);
  asked.end('\r\n--x--\r\n');
  expect(await told).toMatchObject({ status: 413, text: expect.stringContaining('upload_limit') });
});

it('the bodies of one client have a limit, beyond which it is asked to retry', async () => {
  const served = await serveIn(folder(), large);
  const { asked: first } = open(served, '/v1/chunk');
  await send(first, 40 * MIB);
  const { asked: second, told } = open(served, '/v1/chunk');
  for (let sent = 0; sent < 40; sent++) await send(second, MIB);
  second.end();
  expect(await told).toMatchObject({ status: 503, retryAfter: '5', text: expect.stringContaining('too large already') });
  expect((await served.post('/v1/chunk', { markdown: 'small' })).status).toBe(200);
  first.destroy();
  await vi.waitFor(async () => {
    expect((await served.post('/v1/chunk', `${JSON.stringify({ markdown: 'x' })}${' '.repeat(40 * MIB)}`, json)).status).toBe(200);
  }, 20_000);
});

const json = { headers: { 'content-type': 'application/json' } };

it('a single body is accepted up to body_limit', async () => {
  const served = await serveIn(folder(), large);
  expect((await served.post('/v1/chunk', `${JSON.stringify({ markdown: 'x' })}${' '.repeat(90 * MIB)}`, json)).status).toBe(200);
});

const form = (file: string) =>
  `POST /v1/ingest/docs/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n` +
  `--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n${file}`;

it('an upload slot is freed when its client leaves, at once or during the form', async () => {
  const served = await serveIn(folder());
  for (let i = 0; i < 30; i++) {
    const socket = raw(served);
    await once(socket, 'connect');
    socket.write(form('# abc'), () => socket.destroy());
    await once(socket, 'close');
  }
  const waiting = Array.from({ length: 6 }, () => raw(served));
  for (const socket of waiting) socket.write(form('# abc'));
  await vi.waitFor(() => expect(served.app.inFlight()).toBe(6));
  for (const socket of waiting) socket.destroy();
  const data = new FormData();
  data.append('files', new Blob(['# Doors']), 'doors.md');
  expect((await served.post('/v1/ingest/docs/upload', data)).status).toBe(200);
  await vi.waitFor(() => expect(served.app.inFlight()).toBe(0));
});

it('a form is no longer waited for after request_timeout', async () => {
  const served = await serveIn(folder(), { settings: { server: { request_timeout: 0.5 } } });
  const { asked, told } = open(served, '/v1/ingest/docs/upload', { 'content-type': 'multipart/form-data; boundary=x' });
  asked.write('--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n# a');
  expect([408, 503]).toContain((await told).status);
});

/** Files of uploads that this process holds open, removed ones among them. */
const openUploads = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.includes('kb-upload-') ? [path] : [];
    } catch {
      return []; // it was closed meanwhile
    }
  });

it.skipIf(process.platform !== 'linux')('the files of an aborted form are closed', async () => {
  const served = await serveIn(folder());
  const socket = raw(served);
  socket.write(form('# abc'));
  await vi.waitFor(() => expect(openUploads()).toHaveLength(1), { timeout: 10_000 });
  served.app.stopAll();
  await once(socket.resume(), 'close');
  await vi.waitFor(() => expect(openUploads()).toEqual([]), { timeout: 10_000 });
});
