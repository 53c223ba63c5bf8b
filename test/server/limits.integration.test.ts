import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { ChatResult } from '../../src/schema/answers.ts';
import { modelServer } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';

const markdown = [{ text: '# Doors\n\nDoors are locked at ten in the evening.', source: 'doors.md' }];
const question = { query: 'When are doors locked?' };
const form = (...files: [string, string][]): FormData => {
  const data = new FormData();
  for (const [text, name] of files) data.append('files', new Blob([text]), name);
  return data;
};
const uploads = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`kb-upload-${process.pid}-`));

it('a body over body_limit is rejected', async () => {
  const { post } = await serveIn(folder(), { settings: { server: { body_limit: 1000 } } });
  const { status, json } = await post('/v1/chunk', { markdown: 'x'.repeat(2000) });
  expect([status, json.error]).toEqual([
    413,
    {
      type: 'PayloadTooLargeError',
      message:
        'The body is too large: it has 2.0 kB, and the limit is 1.0 kB (server.body_limit). Send less at once; the operator can raise the limit.',
    },
  ]);
  expect((await post('/v1/chunk', { markdown: 'x' })).status).toBe(200);
});

it('a request over request_timeout is stopped with a 503', async () => {
  const { server: model } = await modelServer({ reply: () => ({ pieces: ['a '], end: 'hang' }) });
  const llm = { provider: 'openai_compatible', model: 'test-model', options: { base_url: model.url } };
  const settings = { chat: { llm }, embedding: { provider: 'none' }, server: { request_timeout: 3 } } as const;
  const { post, stream } = await serveIn(folder(), { settings });
  // what is loaded for the first of each is not what takes too long
  await expect.poll(async () => (await post('/v1/pipelines/ingest', { markdown })).json, { timeout: 60_000 }).toMatchObject({ failed: 0 });
  await expect.poll(async () => (await post('/v1/retrieve', question)).json, { timeout: 60_000 }).toMatchObject({ retrieved: 1 });
  const { status, json } = await post('/v1/chat', question);
  expect([status, json.error]).toEqual([503, { type: 'RuntimeError', message: expect.stringContaining('3 seconds') }]);
  const events = await stream('/v1/chat/stream', question);
  expect(ChatResult.parse(events.at(-1)!.data)).toMatchObject({
    answer: '',
    retrieval: { retrieved: 1 },
    errors: [{ error: expect.stringContaining('3 seconds') }],
    answer_confidence: { level: 'none', reason: 'errors' },
  });
});

it('the requests of a client are counted if a rate is configured', async () => {
  const { get } = await serveIn(folder(), { settings: { server: { rate_limit: 3 } } });
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await get('/v1/collections'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[3]!.json).toEqual({ error: { type: 'RateLimitError', message: expect.stringContaining('3 a minute') } });
  expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('wrong tokens and unknown paths are counted, too', async () => {
  const { get } = await serveIn(folder(), { token: 'correct-horse-battery', settings: { server: { rate_limit: 3 } } });
  const statuses = [];
  for (const path of ['/v1/collections', '/v1/nothing', '/nothing', '/v1/collections']) statuses.push((await get(path)).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
});

it('a form field that is too long is rejected instead of cut', async () => {
  const { post } = await serveIn(folder());
  const data = form(['Doors are locked.', 'doors.md']);
  data.append('title', 'x'.repeat(70_000));
  expect((await post('/v1/ingest/docs/upload', data)).json.error).toEqual({
    type: 'PayloadTooLargeError',
    message: expect.stringContaining('title'),
  });
});

it('only listed origins get CORS headers', async () => {
  const { url } = await serveIn(folder(), { settings: { server: { cors_origins: ['https://app.example'] } } });
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type, authorization' };
    return (await fetch(`${url}/v1/retrieve`, { method: 'OPTIONS', headers })).headers.get('access-control-allow-origin');
  };
  expect(await preflight('https://app.example')).toBe('https://app.example');
  for (const origin of ['https://evil.example', 'http://app.example', 'null']) expect(await preflight(origin)).toBeNull();
});

it('uploads are read, too large and too many ones rejected, and nothing is left behind', async () => {
  const { post, get } = await serveIn(folder(), { settings: { server: { upload_limit: 10_000, max_files: 2 } } });
  const path = '/v1/ingest/docs/upload';
  const good = await post(path, form(['Doors are locked.', 'a/../doors.md'], ['MZ', 'setup.exe']));
  expect(good.json).toMatchObject({ documents: 1, failed: 1, outputs: [{ source: 'doors.md', metadata: { source_kind: 'bytes' } }] });
  const large = await post(path, form(['x '.repeat(6000), 'large.md']));
  expect([large.status, large.json.error]).toEqual([
    413,
    {
      type: 'PayloadTooLargeError',
      message: expect.stringMatching(
        /^large\.md is too large: the limit of a file is 10\.0 kB \(server\.upload_limit\); the form has 12\.\d kB\. Split it; the operator can raise/,
      ),
    },
  ]);
  const many = await post(path, form(['1', '1.md'], ['2', '2.md'], ['3', '3.md']));
  expect([many.status, many.json.error.message]).toEqual([413, expect.stringMatching(/the limit is 2 \(server\.max_files\)/)]);
  const cut = await post(path, '--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nhalf', {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  expect(cut.status).toBe(400);
  expect((await get('/v1/health')).status).toBe(200);
  expect(uploads()).toEqual([]);
});

it('booleans in a form may be written in several ways', async () => {
  const { post } = await serveIn(folder());
  for (const [word, begins] of Object.entries({
    True: true,
    '1': true,
    yes: true,
    ON: true,
    FALSE: false,
    '0': false,
    No: false,
    off: false,
  })) {
    const data = form(['Doors are locked.', 'doors.md']);
    data.append('frontmatter', word);
    const { json } = await post('/v1/ingest/docs/upload', data);
    expect([word, json.outputs[0].text.startsWith('---\n')]).toEqual([word, begins]);
  }
});

it('a form without a file, with a file under another name, or with unknown values is rejected', async () => {
  const { post } = await serveIn(folder());
  const path = '/v1/ingest/docs/upload';
  const odd = new FormData();
  odd.append('document', new Blob(['x']), 'x.md');
  const unknown = form(['x', 'x.md']);
  unknown.append('colour', 'red');
  const unclear = form(['x', 'x.md']);
  unclear.append('frontmatter', 'perhaps');
  for (const [data, word] of [
    [new FormData(), 'files'],
    [odd, 'document'],
    [unknown, 'colour'],
    [unclear, 'frontmatter'],
  ] as const) {
    const { status, json } = await post(path, data);
    expect([status, json.error]).toEqual([400, { type: 'ValueError', message: expect.stringContaining(word) }]);
  }
  expect((await post(path, { files: 'x.md' })).status).toBe(415);
});
