import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonSchema } from '../../src/server/openapi/components.ts';
import { openApiDocument } from '../../src/server/openapi/openapi.ts';
import { routes } from '../../src/server/routes.ts';
import { openResult } from '../../src/stages/chat/turn-record.ts';
import { answerJudge } from '../support/answers.ts';
import { type AtEnd, copied, folder, prepared } from '../support/folder.ts';
import { fitting, type Texts } from '../support/from-schema.ts';
import { listed, type Listed } from '../support/openapi.ts';
import { type Served, serveIn } from '../support/server.ts';
import { spoiled } from '../support/spoiled.ts';

// Requests that are made of the OpenAPI document itself: whatever comes in, the answer is one that the document describes. FUZZ_RUNS and FUZZ_SEED ask for more.

const RUNS = Number(process.env.FUZZ_RUNS ?? 25);
const SEED = Number(process.env.FUZZ_SEED ?? 4711);
/** Milliseconds after which a request hangs. */
const HANGS = 50_000;
const SETTINGS = { server: { request_timeout: 30, body_limit: 200_000, upload_limit: 50_000, max_files: 4 }, network: { timeout: 1 } };
const FILES = {
  'manual.md': '# Doors\n\nThe front door is locked at ten.\n',
  'notes/trains.txt': 'Trains are booked in second class.',
  'bad.pdf': 'This is no PDF.',
};

const document = openApiDocument({ version: '1.2.3', routes });
const problemOf = answerJudge(document);
const operations = listed(document);
const withBody = operations.filter(({ operation }) => operation.requestBody?.content['application/json']);
const withParameters = operations.filter(({ path }) => path.includes('{'));

interface Shot {
  path: string;
  payload?: string | Buffer;
  type?: string;
}

/** Sends a request; throws where the answer is none that the document describes. */
async function shoot({ app }: Served, one: Listed, { path, payload, type = 'application/json' }: Shot): Promise<number> {
  const asked = app.server.inject({
    method: one.method as 'POST',
    url: path,
    ...(payload === undefined ? {} : { payload, headers: { 'content-type': type } }),
  });
  const response = await Promise.race([asked, wait(HANGS, undefined, { ref: false })]);
  if (response === undefined) throw new Error(`${one.name} has not answered for ${HANGS / 1000} seconds.`);
  const problem = problemOf(one, response);
  if (problem !== undefined) throw new Error(`${one.name} answered ${response.statusCode}: ${problem}\n${response.body.slice(0, 2000)}`);
  return response.statusCode;
}

/** A folder in which something is stored, and the identifiers of a chunk, a document and a job that is done. */
let stored: { folder: string; chunk: string; source: string; job: string };

async function store(atEnd: AtEnd): Promise<void> {
  const path = folder(FILES, atEnd);
  const closing: Parameters<AtEnd>[0][] = [];
  const served = await serveIn(path, { settings: SETTINGS, atEnd: (close) => closing.push(close) });
  const { json: ingested } = await served.post('/v1/pipelines/ingest', {
    docs: '.',
    markdown: [{ text: 'Bicycles are kept in the yard.', source: 'bicycles', metadata: { floor: 0 } }],
  });
  expect(ingested).toMatchObject({ sources: 3, stored: 3, failed: 1 });
  const { json: found } = await served.post('/v1/retrieve', { query: 'bicycles door trains' });
  const { json: job } = await served.post('/v1/pipelines/ingest', { markdown: 'Keys hang in the office.', background: true });
  await vi.waitFor(async () => expect((await served.get(`/v1/jobs/${job.id}`)).json.state).toBe('done'), { timeout: 20_000 });
  const { json: sources } = await served.get('/v1/collections/default/sources');
  stored = { folder: path, chunk: found.items[0].id, source: sources.sources[0].id, job: job.id };
  for (const close of closing) await close();
}

/** A server with something to find, and texts for requests that find it. */
async function filled(
  { path }: Pick<Listed, 'path'> = { path: '' },
): Promise<{ served: Served; texts: Texts; values: Record<string, string> }> {
  const isEmbedding = path === '/v1/embeddings';
  const settings = { ...SETTINGS, ...(isEmbedding ? { embedding: { provider: 'local' } } : {}) };
  const served = await serveIn(copied(stored.folder), { settings });
  const { chunk } = stored;
  const texts = {
    vector_db: fc.constant('lancedb'), // another would be a database of whoever runs the tests
    query: fc.constantFrom('bicycles', 'Where are bicycles kept?', 'Thanks!', 'front door'),
    collection: fc.constantFrom('default', 'other', 'missing'),
    source: fc.constantFrom('bicycles', 'manual.md', 'new.md'),
    ids: fc.constantFrom(chunk, 'no-such-chunk'),
    id: fc.constantFrom(chunk, 'new-chunk'),
    url: fc.oneof(
      fc.constant('.kb/lancedb'),
      fc.constantFrom(
        'http://127.0.0.1:9/',
        'http://169.254.169.254/latest',
        'http://[::1]:9/a',
        'ftp://127.0.0.1/',
        '.kb/lancedb',
        'another/store',
        '../outside',
        '/etc',
      ),
    ),
    docs: fc.constantFrom('manual.md', 'notes', '**/*.md', 'bad.pdf', '..', '/etc/passwd', '~', 'no-such.pdf', 'http://127.0.0.1:9/a.pdf'),
    files: fc.constantFrom('manual.md', 'notes', '*.txt', 'bad.pdf', '../../x.md'),
    ...(isEmbedding
      ? { model: fc.constant('all-minilm-l6-v2') }
      : path.startsWith('/v1/chat/completions')
        ? { model: fc.constant('kb'), role: fc.constantFrom('user', 'assistant') }
        : {}),
    path: fc.constantFrom('manual.md', 'notes/trains.txt', 'no-such.md'),
    folder: fc.constantFrom('notes', '.', 'manual.md', '..'),
  };
  return { served, texts, values: { name: 'default', id: path.includes('/sources/') ? stored.source : stored.job, model: 'kb' } };
}

const bodyOf = ({ operation }: Listed): JsonSchema => operation.requestBody!.content['application/json']!.schema;
const filledIn = (path: string, value: (name: string) => string) => path.replace(/\{(\w+)\}/g, (_, name: string) => value(name));

beforeAll(() => {
  for (const name of Object.keys(process.env)) if (/_API_KEY$|_BASE_URL$|^KB_/.test(name)) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});
beforeAll(() => prepared(store));

describe('the response is as documented for random input', () => {
  it.each(withBody)('$name: valid bodies', async (one) => {
    const { served, texts } = await filled(one);
    const statuses: number[] = [];
    const property = fc.asyncProperty(fitting(document, bodyOf(one), { texts }), async (body) => {
      statuses.push(await shoot(served, one, { path: one.path, payload: JSON.stringify(body) }));
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    expect(statuses.filter((status) => status < 300).length, `statuses: ${statuses}`).toBeGreaterThan(0);
  });

  it.each(withBody)('$name: invalid bodies', async (one) => {
    const { served, texts } = await filled(one);
    const statuses: number[] = [];
    const bodies = fitting(document, bodyOf(one), { texts }).chain(spoiled);
    const property = fc.asyncProperty(bodies, async (payload) => {
      statuses.push(await shoot(served, one, { path: one.path, payload }));
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    expect(statuses.filter((status) => status >= 400).length, `statuses: ${statuses}`).toBeGreaterThan(0);
  });

  it.each(withParameters)('$name: random parameters', async (one) => {
    const { served, values } = await filled(one);
    expect(await shoot(served, one, { path: filledIn(one.path, (name) => values[name]!) })).toBe(200);
    const odd = fc.oneof(
      fc.constantFrom(
        '%',
        '%zz',
        '%00',
        '..',
        '%2e%2e%2fetc',
        '%2F',
        '.',
        '*',
        '__proto__',
        'constructor',
        '💥',
        '%F0%9F%92%A5',
        'a%20b',
        'a?b=c',
        ';',
        'x'.repeat(400),
        'x'.repeat(8000),
        '-1',
        '0',
      ),
      fc.string({ minLength: 1, unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.string({ minLength: 1 }),
    );
    const property = fc.asyncProperty(odd, async (value) => {
      fc.pre(!one.operation.tags.includes('OpenAI') || !/^\.{1,2}$/.test(value)); // another path, with errors of another shape
      await shoot(served, one, { path: filledIn(one.path, () => value) });
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });

  it('bodies of another content type, of another encoding, and missing ones are rejected', async () => {
    const { served } = await filled();
    const types = [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'nonsense',
      ';',
    ];
    for (const one of withBody) {
      for (const type of types)
        expect([one.name, type, await shoot(served, one, { path: one.path, payload: '{"query":"a"}', type })]).toEqual([
          one.name,
          type,
          415,
        ]);
      expect([/^\/v1\/chat(?:\/stream)?$/.test(one.path) ? 200 : 400, 415], one.name).toContain(
        await shoot(served, one, { path: one.path }),
      );
      expect(await shoot(served, one, { path: one.path, payload: Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]) }), one.name).toBe(400);
      expect(await shoot(served, one, { path: one.path, payload: `{"query":"${'x'.repeat(300_000)}"}` }), one.name).toBe(413);
    }
  });

  it('POST /v1/ingest/docs/upload: random forms', async () => {
    const { served } = await filled();
    const one = operations.find(({ operation }) => operation.operationId === 'upload')!;
    const name = fc.constantFrom(
      'a.md',
      'b.txt',
      'c.csv',
      'd.pdf',
      'e.docx',
      'f.html',
      'no-extension',
      '../../evil.md',
      '\u0000.md',
      '',
      '💥.md',
      'x'.repeat(300),
      'CON.md',
      'a.md/',
    );
    const content = fc.oneof(
      fc.string().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(Buffer.from('PK\u0003\u0004'), Buffer.from('%PDF-1.7\n'), Buffer.alloc(60_000, 'x')),
    );
    const file = fc.record({
      key: fc.oneof({ weight: 9, arbitrary: fc.constant('files') }, fc.constantFrom('file', '__proto__', '')),
      name,
      content,
    });
    const field = fc.record({
      key: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('frontmatter', 'title', 'description') },
        fc.constantFrom('extra', '__proto__', 'files'),
      ),
      value: fc.oneof(fc.constantFrom('true', 'false', 'maybe', ''), fc.string()),
    });
    const cut = fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat({ max: 400 }) });
    const statuses: number[] = [];
    const property = fc.asyncProperty(
      fc.array(file, { maxLength: 5 }),
      fc.array(field, { maxLength: 3 }),
      cut,
      async (files, fields, end) => {
        const form = new FormData();
        for (const { key, value } of fields) form.append(key, value);
        for (const part of files) form.append(part.key, new File([part.content], part.name));
        const encoded = new Response(form);
        const bytes = Buffer.from(await encoded.arrayBuffer());
        statuses.push(
          await shoot(served, one, {
            path: one.path,
            payload: end === undefined ? bytes : bytes.subarray(0, end),
            type: encoded.headers.get('content-type')!,
          }),
        );
      },
    );
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    expect(new Set(statuses.map((status) => status < 300)), `statuses: ${statuses}`).toEqual(new Set([true, false]));
    for (const type of ['application/json', 'multipart/form-data', 'text/plain'])
      expect(await shoot(served, one, { path: one.path, payload: '{}', type })).toBeGreaterThanOrEqual(400);
  });

  it('every path answers without a body and parameters', async () => {
    const { served } = await filled();
    const plain = operations.filter(({ operation, path }) => !operation.requestBody && !path.includes('{'));
    expect(plain.length).toBeGreaterThan(3);
    for (const one of plain) expect([one.name, await shoot(served, one, { path: one.path })]).toEqual([one.name, 200]);
    const health = operations.find(({ path }) => path === '/v1/health')!;
    for (const deep of ['true', 'false', '', '1', '%00', 'a&deep=b', 'true&deep=true'])
      expect([200, 400], deep).toContain(await shoot(served, health, { path: `/v1/health?deep=${deep}` }));
  });

  it('a server survives all of it at once', async () => {
    const { served, texts } = await filled();
    const shots = withBody.flatMap((one) => {
      const bodies = fc.sample(fitting(document, bodyOf(one), { texts }).chain(spoiled), { numRuns: 6, seed: SEED });
      return bodies.map((payload) => ({ one, payload }));
    });
    await Promise.all(shots.map(({ one, payload }) => shoot(served, one, { path: one.path, payload })));
    await served.post('/v1/pipelines/ingest', {
      markdown: [{ text: 'Skis hang in the cellar.', source: 'skis' }],
      storage: { collection: 'after' },
    });
    const { json } = await served.post('/v1/retrieve', { query: 'skis', collection: 'after' });
    expect(json.items.map(({ metadata }: { metadata: unknown }) => metadata)).toMatchObject([{ source: 'skis' }]);
  });
});

describe('the checker of responses', () => {
  const chat = operations.find(({ path }) => path === '/v1/chat/stream')!;
  const drop = operations.find(({ operation }) => operation.operationId === 'drop_collection')!;
  const judged = (one: Listed, statusCode: number, body: unknown, type = 'application/json') =>
    problemOf(one, { statusCode, headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const event = (type: string, sequence: number) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, stage: 'chat', message: '', data: openResult('Why?', []), sequence })}\n\n`;

  it('finds missing and extra fields, and wrong statuses', () => {
    expect(judged(drop, 200, { name: 'default', dropped: true })).toBeUndefined();
    expect(judged(drop, 200, { name: 'default' })).toMatch(/dropped/);
    expect(judged(drop, 200, { name: 'default', dropped: true, secret: 1 })).toMatch(/additional/);
    expect(judged(drop, 404, { error: { type: 'NotFoundError', message: 'No.' } })).toBeUndefined();
    expect(judged(drop, 404, { message: 'No.' })).toMatch(/error/);
    expect(judged(drop, 418, { error: { type: 'Teapot', message: 'No.' } })).toMatch(/status/);
    expect(judged(drop, 500, { error: { type: 'RuntimeError', message: 'No.' } })).toMatch(/foresaw/);
    expect(judged(drop, 200, '<html>', 'text/html')).toMatch(/text\/html/);
  });

  it('finds streams that do not end with their only final event', () => {
    const stream = (text: string) => judged(chat, 200, text, 'text/event-stream; charset=utf-8');
    expect(stream(`: kb\n\n${event('progress', 0)}${event('final', 1)}`)).toBeUndefined();
    expect(stream(event('progress', 0))).toMatch(/0 final/);
    expect(stream(event('final', 0) + event('final', 1))).toMatch(/2 final/);
    expect(stream(event('final', 0).replace('"answer":""', '"answer":7'))).toMatch(/no result/);
    expect(stream(event('token', 0).replace('event: token', 'event: page') + event('final', 1))).toMatch(/not as documented/);
    expect(() => stream('data: {}\n\n')).toThrow(/no server-sent event/);
  });
});
