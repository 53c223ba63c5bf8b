import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelServer } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

const question = { query: 'When are doors locked?' };
const chunk = { id: 'a', text: 'Doors are locked.', source: 'd.md', metadata: {} };

/** Every request that names a store, with this one. */
const withStore = (store: object): [string, object][] => [
  ['/v1/retrieve', { ...question, ...store }],
  ['/v1/chat', { ...question, ...store }],
  ['/v1/chat/stream', { ...question, ...store }],
  ['/v1/pipelines/query', { ...question, retrieval: store }],
  ['/v1/pipelines/ingest', { markdown: 'x', storage: store }],
  ['/v1/pipelines/ingest/stream', { markdown: 'x', storage: store }],
  ['/v1/pipelines/ingest', { markdown: 'x', storage: store, background: true }],
  ['/v1/store', { embedded_chunks: [{ ...chunk, embedding: [1, 0] }], ...store }],
  ['/v1/edit', { chunks: [chunk], ...store }],
  ['/v1/delete', { ids: ['a'], ...store }],
];

async function expectForbidden({ post }: Served, requests: [string, object][]): Promise<void> {
  for (const [path, body] of requests) {
    const { status, json } = await post(path, body);
    expect([path, body, status, json.error?.type]).toEqual([path, body, 403, 'PermissionError']);
  }
}

it('no store outside the allowed folders is opened, also through links', async () => {
  const around = folder({ 'project/docs/a.md': 'x', 'private/b.md': 'x' });
  symlinkSync(join(around, 'private'), join(around, 'project/docs/linked'));
  const server = await serveIn(join(around, 'project'));
  for (const url of [
    '../elsewhere',
    join(around, 'elsewhere'),
    'docs/linked/store',
    'memory://',
    's3://bucket/x',
    `file://${around}/elsewhere`,
  ])
    await expectForbidden(server, withStore({ url }));
  expect(existsSync(join(around, 'elsewhere'))).toBe(false);
  expect(existsSync(join(around, 'private/store'))).toBe(false);
});

it('the configured store is opened in any spelling, as are stores in allowed folders and listed ones', async () => {
  const home = folder();
  const other = folder();
  mkdirSync(join(home, 'stores'));
  const { post } = await serveIn(home, { settings: { server: { allowed_store_urls: [join(other, 'kb')] } } });
  for (const url of ['.kb/lancedb', './.kb/lancedb/', join(home, '.kb/lancedb'), 'stores/one', join(other, 'kb')]) {
    const { status, json } = await post('/v1/pipelines/ingest', { markdown: 'Doors are locked.', storage: { url } });
    expect([url, status, json.failed]).toEqual([url, 200, 0]);
  }
  expect(existsSync(join(other, 'kb'))).toBe(true);
});

it("no store of the caller's choice is connected to", async () => {
  await expectForbidden(await serveIn(folder()), withStore({ vector_db: 'qdrant', url: 'http://127.0.0.1:9' }));
});

it("no key is sent to an address of the caller's choice", async () => {
  const { server: thief } = await modelServer();
  const options = { base_url: thief.url };
  const chosen = { provider: 'openai_compatible', model: 'm', options };
  const server = await serveIn(folder());
  await expectForbidden(server, [
    ['/v1/chat', { ...question, llm_provider: 'openai_compatible', llm_model: 'm', options }],
    ['/v1/chat/stream', { ...question, llm_provider: 'openai_compatible', llm_model: 'm', options }],
    ['/v1/chat', { ...question, embedder_provider: 'openai_compatible', embedder_model: 'm', embedder_options: options }],
    ['/v1/chat', { ...question, rerank: true, reranker_options: options }],
    ['/v1/retrieve', { ...question, provider: 'openai_compatible', model: 'm', embedder_options: options }],
    ['/v1/retrieve', { ...question, use_rerank: true, reranker_options: options }],
    ['/v1/pipelines/query', { ...question, embedding: chosen }],
    ['/v1/pipelines/query', { ...question, retrieval: { rerank: { enabled: true, options } } }],
    ['/v1/embed', { chunks: [chunk], ...chosen }],
    ['/v1/pipelines/ingest', { markdown: 'x', embedding: chosen }],
    ['/v1/pipelines/ingest', { markdown: 'x', embedding: chosen, background: true }],
  ]);
  expect(thief.requests).toEqual([]);
});

it("the operator's address of a provider is used, whatever else a request sets", async () => {
  const { server: model, settings } = await modelServer();
  const { post } = await serveIn(folder(), { settings });
  const { status, json } = await post('/v1/embed', {
    chunks: [chunk],
    provider: 'openai_compatible',
    model: 'other-model',
    options: { user: 'x' },
  });
  expect([status, json.embedded, model.requests[0]?.body.model]).toEqual([200, 1, 'other-model']);
});

it('only files of the allowed folders are read, and nothing is revealed about others', async () => {
  const around = folder({ 'project/doors.md': 'Doors are locked at ten.', 'secret.md': 'The code is 4711.' });
  const { post } = await serveIn(join(around, 'project'));
  const { status, json, text } = await post('/v1/ingest/docs', { files: ['doors.md', '../secret.md', '../absent.md', 'absent.md'] });
  expect([status, json.documents, json.failed]).toEqual([200, 1, 3]);
  expect(text).not.toContain('4711');
  expect(text).not.toContain(around);
  const [secret, absent] = json.errors.map(({ error }: { error: string }) => error.replace(/\S+\.md/, 'X'));
  expect(secret).toBe(absent);
});
