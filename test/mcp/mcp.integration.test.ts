import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { engineIn, result } from '../support/engine.ts';
import { copied, folder, prepared, write } from '../support/folder.ts';
import { openOpenAiServer } from '../support/openai-server.ts';
import { kb, PROGRAM, startKb } from '../support/program.ts';
import { serveIn } from '../support/server.ts';

const QUESTION = 'How long does the warranty of the kettle run?';
const FILES = {
  'docs/warranty.md': '# Warranty\n\n## Period\n\nThe warranty of the kettle runs for 27 months.\n\n## Claims\n\nSend the invoice.\n',
  'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n',
};

interface Content {
  type: string;
  text?: string;
  uri?: string;
}

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** A folder in which the documents are stored. */
let stored: string;

beforeAll(() =>
  prepared(async (atEnd) => {
    stored = folder(FILES, atEnd);
    await kb(['ingest', '--docs', 'docs', '--quiet'], { cwd: stored });
  }),
);

/** A client of `kb mcp` in a folder. */
async function overStdio(cwd: string, words: readonly string[] = [], env: Record<string, string> = {}): Promise<Client> {
  return await connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...words], cwd, env, stderr: 'ignore' }),
  );
}

async function overHttp(options: Parameters<typeof serveIn>[1] = {}, headers: Record<string, string> = {}) {
  const server = await serveIn(folder(), options);
  const body = { markdown: [{ text: FILES['docs/warranty.md'], source: 'warranty.md' }] };
  expect((await server.post('/v1/pipelines/ingest', body, { headers })).json).toMatchObject({ failed: 0 });
  const connected = () => connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  return { server, connected };
}

async function call(client: Client, name: string, given: Record<string, unknown>) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const parts = content as Content[];
  return {
    text: parts.map(({ text }) => text ?? '').join('\n'),
    links: parts.flatMap(({ uri }) => uri ?? []),
    data: structuredContent,
    isError,
  };
}

/** Asks, takes the question back as soon as the model answers, and waits until the model is left. Gives what became of the question. */
async function cancelWhileAnswering(client: Client, model: Awaited<ReturnType<typeof openOpenAiServer>>): Promise<string> {
  const controller = new AbortController();
  const asked = client.callTool({ name: 'ask', arguments: { question: QUESTION } }, undefined, { signal: controller.signal });
  const end = asked.then(
    () => 'answered',
    () => 'cancelled',
  );
  await vi.waitFor(() => expect(model.requests.length).toBe(1), { timeout: 20_000 });
  controller.abort();
  await vi.waitFor(() => expect(model.requests[0]!.isCut).toBe(true), { timeout: 20_000 });
  return await end;
}

/** The status of a request for the tools with further headers; `fetch` lets nobody choose the host. */
async function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const said = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const asked = request(`${url}/mcp`, { method: 'POST', headers: said }).end(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  );
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('an MCP client over standard input and output', () => {
  it('searches, asks, lists and reads, and follows links', async () => {
    const client = await overStdio(stored);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'ask', 'list_sources', 'get_source']);
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|\$defs|"(?:overrides|flag|unit)"/);
    expect(tools[0]!.inputSchema.properties!.filter).toMatchObject({ type: 'object', description: expect.any(String) });
    const found = await call(client, 'search', { query: QUESTION, top_k: 1 });
    expect(found.text).toMatch(/Warranty · docs\/warranty\.md · Warranty › Period, lines \d.*27 months/s);
    const [uri] = found.links;
    expect(await client.readResource({ uri: uri! })).toMatchObject({ contents: [{ text: expect.stringContaining('27 months') }] });
    expect((await call(client, 'ask', { question: QUESTION })).data).toMatchObject({
      answer: expect.stringContaining('27 months'),
      citations: [{ source: 'docs/warranty.md' }],
    });
    expect((await call(client, 'list_sources', { prefix: 'docs/b' })).data).toMatchObject({
      total: 1,
      sources: [{ source: 'docs/bell.md' }],
    });
    const section = await call(client, 'get_source', { source: 'docs/warranty.md', heading: 'Claims' });
    expect(section.text).toBe('## Claims\n\nSend the invoice.');
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['docs/bell.md', 'docs/warranty.md']);
  });

  it('gets failures as sentences, and can continue', async () => {
    const client = await overStdio(stored);
    for (const [name, given, why] of [
      ['search', {}, 'query'],
      ['search', { query: 'bell', top_k: 'many' }, 'top_k'],
      ['search', { query: 'bell', topk: 3, collection: 7 }, 'top_k"?\ncollection: '],
      ['search', { query: 'bell', collection: 'nowhere' }, 'nowhere'],
      ['search', { query: 'bell', filter: JSON.parse('{"source":"x","__proto__":"y"}') }, 'filter.__proto__: no key'],
      ['get_source', { source: 'docs/bel.md' }, 'docs/bell.md'],
    ] as const) {
      const { text, isError } = await call(client, name, given);
      expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
    }
    await expect(client.callTool({ name: 'ingest', arguments: { docs: 'docs' } })).rejects.toThrow(
      /^MCP error -32602: There is no tool "ingest" here: writing is off/,
    );
    for (const [uri, code, message] of [
      ['kb://default/nothing', -32_002, 'nothing'],
      ['kb://nowhere/nothing', -32_002, 'nowhere'],
      ['kb://no%20name/x', ErrorCode.InvalidParams, 'name'],
      ['file:///etc/passwd', ErrorCode.InvalidParams, 'no address of a document'],
    ] as const)
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect((await call(client, 'search', { query: 'bell' })).isError).toBeUndefined();
  });

  it('adds and removes documents if that is allowed, with progress, within the allowed folders', async () => {
    const cwd = copied(stored);
    write(cwd, { 'new/lid.md': '# Lid\n\nThe lid has number 88-L.\n' });
    const client = await overStdio(cwd, ['--allow-write']);
    const steps: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) };
    await client.callTool({ name: 'ingest', arguments: { docs: 'new' } }, undefined, options);
    expect(steps.length).toBeGreaterThan(0);
    expect((await call(client, 'search', { query: '88-L' })).text).toContain('new/lid.md');
    expect((await call(client, 'delete_source', { source: 'new/lid.md' })).data).toEqual({ deleted: 1 });
    expect((await call(client, 'search', { query: '88-L' })).text).not.toContain('new/lid.md');
    expect((await call(client, 'ingest', { docs: '/etc/hostname' })).isError).toBe(true);
  });

  it('lists more documents than one page holds, each once', async () => {
    const many = Object.fromEntries(Array.from({ length: 205 }, (_, i) => [`docs/note-${i}.md`, `# Note ${i}\n\nShelf ${i}.\n`]));
    const cwd = folder(many);
    await result(engineIn(cwd), 'ingest', { docs: ['docs'] });
    const client = await overStdio(cwd);
    const first = await client.listResources();
    const second = await client.listResources({ cursor: first.nextCursor });
    expect([first.resources.length, second.resources.length, second.nextCursor]).toEqual([200, 5, undefined]);
    expect(new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size).toBe(205);
    await expect(client.listResources({ cursor: 'nonsense' })).rejects.toThrow('begin again without one');
  });

  it('gets bounded results with each text once, and reads on', async () => {
    const long = Array.from({ length: 900 }, (_, i) => `## Part ${i}\n\nThe sheave S${i}x of the ropeway is greased.\n`).join('\n');
    const cwd = folder({ 'docs/great.md': `# Great\n\n${long}` });
    await result(engineIn(cwd), 'ingest', { docs: ['docs'] });
    const client = await overStdio(cwd);
    const source = await client.callTool({ name: 'get_source', arguments: { source: 'docs/great.md' } });
    const whole = JSON.stringify(source);
    expect([whole.length < 24_000, whole.split('S7x').length]).toEqual([true, 2]);
    const { next } = source.structuredContent as { next: { lines: string } };
    expect(JSON.stringify(source.content)).toContain(`get_source and lines ${next.lines}`);
    expect((await call(client, 'get_source', { source: 'docs/great.md', lines: next.lines })).text).toMatch(/^## Part \d+\n/);
    const small = await call(client, 'get_source', { source: 'docs/great.md', max_characters: '1000' });
    expect(small.text.length).toBeLessThan(3_500);
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect((contents[0] as { text: string }).text).toMatch(/^# Great[^]{15000,23000}get_source and lines \d+-\d+/);
    for (const [given, limit] of [
      [{}, 6_000],
      [{ max_characters: 20_000 }, 20_000],
    ] as const) {
      const { text, data } = await call(client, 'search', { query: 'sheave of the ropeway', top_k: '100', ...given });
      const { hits, omitted } = data as { hits: unknown[]; omitted: number };
      expect([text.length < limit * 1.2, text.split(/^\d+\. /m).length - 1, hits.length + omitted]).toEqual([
        true,
        hits.length,
        expect.any(Number),
      ]);
      expect([limit, omitted > 0]).toEqual([limit, limit === 6_000]);
    }
  });

  it('may send numbers, lists and objects as text, and text as numbers', async () => {
    const client = await overStdio(stored);
    const filtered = await call(client, 'search', { query: 'warranty bell', top_k: '1', filter: '{"source": "docs/bell.md"}' });
    expect(filtered.data).toMatchObject({ hits: [{ source: 'docs/bell.md' }] });
    expect((await call(client, 'search', { query: 7, collection: '["default"]' })).isError).toBeUndefined();
    expect((await call(client, 'get_source', { source: 'docs/bell.md', lines: 1 })).text).toBe('# Bell');
    for (const given of [{ top_k: 'many' }, { filter: 'bell' }, { filter: '[1' }])
      expect((await call(client, 'search', { query: 'bell', ...given })).isError).toBe(true);
  });

  it('cancels a call, which stops the model', async () => {
    const model = await openOpenAiServer({ reply: () => ({ pieces: ['It '], end: 'hang' }) });
    onTestFinished(() => model.close());
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.url, KB_CHAT_LLM_PROVIDER: 'openai', KB_CHAT_LLM_MODEL: 'gpt-test' };
    const client = await overStdio(stored, [], env);
    expect(await cancelWhileAnswering(client, model)).toBe('cancelled');
    expect((await call(client, 'search', { query: 'bell' })).isError).toBeUndefined();
  });

  it('gets errors for invalid lines and nothing but protocol, until its input ends', async () => {
    const program = startKb(['mcp'], { cwd: folder(), input: 'this is no message\n{"jsonrpc":"1.0"}\n' });
    const { code, out } = await program.done;
    const answers = out.trim().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
    expect(answers).toMatchObject([
      { jsonrpc: '2.0', id: null, error: { code: -32_700 } },
      { jsonrpc: '2.0', id: null, error: { code: -32_600 } },
    ]);
    expect(code).toBe(0);
  });
});

describe('an MCP client of kb serve', () => {
  it('gets the same tools at /mcp, and writing tools only if configured', async () => {
    const reading = await (await overHttp()).connected();
    expect((await reading.listTools()).tools).toHaveLength(4);
    expect((await call(reading, 'search', { query: QUESTION })).text).toContain('27 months');
    const writing = await (await overHttp({ settings: { server: { mcp_write: true } } })).connected();
    expect((await writing.listTools()).tools.map(({ name }) => name)).toContain('ingest');
    for (const nameless of ['It rings.', ['It rings.'], [{ text: 'It rings.' }], [{ text: 'It rings.', source: '' }]])
      expect(await call(writing, 'ingest', { markdown: nameless })).toMatchObject({
        isError: true,
        text: expect.stringContaining('markdown'),
      });
    const markdown = [{ text: '# Bell\n\nIt rings at noon.', source: 'bell.md' }];
    expect((await call(writing, 'ingest', { markdown })).data).toMatchObject({ documents: 1, failed: 0 });
    expect((await call(writing, 'search', { query: 'bell' })).text).toContain('rings at noon');
  });

  it('needs the token, comes from no foreign page, and may only POST', async () => {
    const token = 'a-token-of-the-server';
    const { server, connected } = await overHttp({ token }, { authorization: `Bearer ${token}` });
    expect((await call(await connected(), 'search', { query: QUESTION })).text).toContain('27 months');
    await expect(connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))).rejects.toThrow();
    const open = await overHttp();
    const knock = (init: RequestInit) => fetch(`${open.server.url}/mcp`, init);
    expect((await knock({ method: 'POST', headers: { origin: 'https://evil.example' } })).status).toBe(403);
    for (const method of ['GET', 'DELETE']) {
      const refused = await knock({ method });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect(await statusFor(open.server.url, { host: 'evil.example' })).toBe(403);
    expect(await statusFor(open.server.url, { 'mcp-protocol-version': '1999-01-01' })).toBe(400);
    expect(await statusFor(open.server.url, {})).toBe(200);
  });

  it('adds documents with progress; a read-only token and foreign collections are refused', async () => {
    const tokens = {
      reader: { scopes: ['read' as const], collections: ['default'] },
      writer: { scopes: ['read' as const, 'write' as const], collections: ['*'] },
    };
    const settings = { server: { mcp_write: true } };
    const { server, connected } = await overHttp({ tokens, settings }, { authorization: 'Bearer writer' });
    const steps: number[] = [];
    const markdown = [{ text: '# Bell\n\nIt rings at noon.', source: 'bell.md' }];
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) };
    const writer = await connected();
    await writer.callTool({ name: 'ingest', arguments: { markdown, collection: 'staff' } }, undefined, options);
    expect(steps.length).toBeGreaterThan(0);
    const requestInit = { headers: { authorization: 'Bearer reader' } };
    const reader = await connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    for (const [name, given] of [
      ['ingest', { markdown }],
      ['delete_source', { source: 'warranty.md' }],
    ] as const)
      expect(await call(reader, name, given)).toMatchObject({ isError: true, text: expect.stringContaining('write') });
    expect(await call(reader, 'search', { query: 'bell', collection: 'staff' })).toMatchObject({ isError: true });
    const { links } = await call(writer, 'search', { query: 'bell', collection: 'staff' });
    const uri = links[0]!;
    expect((await reader.listResources()).nextCursor).toBeUndefined();
    await expect(reader.readResource({ uri })).rejects.toMatchObject({
      code: ErrorCode.InvalidRequest,
      message: expect.stringContaining('may not use the collection "staff"'),
    });
  });

  it('cancels a call, which stops the model', async () => {
    const model = await openOpenAiServer({ reply: () => ({ pieces: ['It '], end: 'hang' }) });
    vi.stubEnv('OPENAI_API_KEY', 'k').stubEnv('OPENAI_BASE_URL', model.url);
    onTestFinished(async () => (vi.unstubAllEnvs(), await model.close()));
    const { connected } = await overHttp({ settings: { chat: { llm: { provider: 'openai', model: 'gpt-test' } } } });
    const client = await connected();
    expect(await cancelWhileAnswering(client, model)).toBe('cancelled');
  });
});
