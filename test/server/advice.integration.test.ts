import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { type Answer, serveIn, type Served } from '../support/server.ts';

const OF_A_COMMAND_LINE = /(?<!For the operator: [^.]*)(?:\bkb [a-z]|(?<!\w)--[a-z])/;

const messageOf = ({ json }: Answer): string => json.error.message;

/** A server with the collection `default`, which holds no vectors. */
async function filled(options: Parameters<typeof serveIn>[1] = {}, headers: Record<string, string> = {}): Promise<Served> {
  const server = await serveIn(folder(), options);
  const body = { markdown: [{ text: '# Bell\n\nThe bell rings at noon.', source: 'bell.md' }] };
  expect((await server.post('/v1/pipelines/ingest', body, { headers })).json).toMatchObject({ failed: 0 });
  return server;
}

it('hints over HTTP name fields and paths of the request', async () => {
  const { post, get } = await filled();
  const refused = [
    await post('/v1/pipelines/ingest', {}),
    await post('/v1/ingest/docs', {}),
    await post('/v1/ingest/api', {}),
    await post('/v1/delete', {}),
    await post('/v1/delete', { filter: {} }),
    await get('/v1/collections/nowhere/sources'),
    await get('/v1/collections/default/sources/zebra.pdf'),
  ].map(messageOf);
  expect(refused.filter((message) => OF_A_COMMAND_LINE.test(message))).toEqual([]);
  expect(refused).toEqual([
    'At least one of docs, urls, api or markdown must be provided. For example POST /v1/pipelines/ingest {"docs": "manuals"}.',
    'Exactly one of files and folder must be given. For example POST /v1/ingest/docs {"files": "manuals/pump.pdf"}.',
    'Exactly one of url and apis must be given. For example POST /v1/ingest/api {"url": "https://example.com/api/articles"}.',
    'Nothing says what is to be deleted. Give one of ids, source and filter.',
    '"filter" is empty. An empty filter would delete everything. DELETE /v1/collections/{name} does that.',
    'There is no collection "nowhere". Create it with "POST /v1/pipelines/ingest {"docs": "FOLDER", "storage": {"collection": "nowhere"}}". "GET /v1/collections" lists all collections.',
    'The collection "default" has no source "zebra.pdf". GET /v1/collections/{name}/sources lists them all.',
  ]);
});

it('hints in errors of a result, in events and in jobs are worded the same way', async () => {
  const { post, stream, get } = await filled();
  const missing =
    'There is no collection "nowhere". Create it with "POST /v1/pipelines/ingest {"docs": "FOLDER", "storage": {"collection": "nowhere"}}". "GET /v1/collections" lists all collections.';
  const question = { query: 'bell?', collection: 'nowhere' };
  expect((await post('/v1/chat', question)).json.errors[0].error).toBe(missing);
  expect((await stream('/v1/chat/stream', question)).find(({ type }) => type === 'error')!.message).toBe(missing);
  expect(messageOf(await post('/v1/retrieve', { query: 'bell?', mode: 'vector' }))).toBe(
    'The collection "default" holds no vectors, so it can\'t be searched in mode vector. Search it with mode: text. For the operator: to give it vectors, set embedding.provider and embed it with "kb collections reembed default".',
  );
  const { json: job } = await post('/v1/ingest/url', { url: 'http://127.0.0.1:9/guide.odd', background: true });
  const { events: _, ...seen } = (await get(`/v1/jobs/${job.id}`)).json;
  expect(OF_A_COMMAND_LINE.test(JSON.stringify(seen))).toBe(false);
});

it('hints for read-only tokens refer to the operator', async () => {
  const tokens = {
    boss: { scopes: ['read' as const, 'write' as const], collections: ['*'] },
    guest: { scopes: ['read' as const], collections: ['*'] },
  };
  const { get } = await filled({ tokens }, { authorization: 'Bearer boss' });
  expect(messageOf(await get('/v1/collections/nowhere/sources', { authorization: 'Bearer guest' }))).toBe(
    'There is no collection "nowhere". For the operator: create it with "kb ingest --docs FOLDER --collection nowhere". "GET /v1/collections" lists all collections.',
  );
});

it('hints for clients of OpenAI and MCP name what these can do', async () => {
  const server = await filled({ settings: { retrieval: { mode: 'vector' } } });
  const { json } = await server.post('/v1/chat/completions', {
    model: 'kb',
    messages: [{ role: 'user', content: 'When does the bell ring?' }],
  });
  expect(json.error.message).toBe(
    'The collection "default" holds no vectors, so it can\'t be searched in mode vector. For the operator: search it with retrieval.mode: text. For the operator: to give it vectors, set embedding.provider and embed it with "kb collections reembed default".',
  );
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  onTestFinished(() => client.close());
  const asked = async (name: string, given: Record<string, unknown>) =>
    ((await client.callTool({ name, arguments: given })).content as { text: string }[])[0]!.text;
  expect(await asked('get_source', { source: 'zebra.pdf' })).toBe(
    'The collection "default" has no source "zebra.pdf". list_sources lists them all.',
  );
  expect(await asked('search', { query: 'bell', collection: 'nowhere' })).toBe(
    'There is no collection "nowhere". For the operator: create it with "kb ingest --docs FOLDER --collection nowhere".',
  );
});
