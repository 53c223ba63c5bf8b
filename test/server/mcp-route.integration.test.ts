import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HEARTBEAT } from '../../src/server/event-stream.ts';
import { registerMcp } from '../../src/server/mcp-route.ts';
import { folder } from '../support/folder.ts';
import { scriptedEngine } from '../support/scripted-engine.ts';
import { serveIn } from '../support/server.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const search = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'search', arguments: { query: 'bell' } } });

/** A server whose searches the test leads, and a short way to speak to its /mcp; who speaks leaves after the test. */
async function served() {
  const { engine, runs } = scriptedEngine();
  const rights = { scopes: ['read' as const], collections: ['*'] };
  const server = await serveIn(folder(), { run: engine.run, tokens: { ours: rights, theirs: rights } });
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const say = (message: unknown, { token = 'ours', ...headers }: Record<string, string> = {}) =>
    server.post('/mcp', message as object, { headers: { ...ACCEPT, authorization: `Bearer ${token}`, ...headers }, signal: left.signal });
  return { server, runs, say };
}

it('a batch of MCP is rejected, because its calls would count as one request', async () => {
  const { runs, say } = await served();
  for (const batch of [Array.from({ length: 100 }, (_, i) => search(i)), [search(1)], []]) {
    const { status, json } = await say(batch);
    expect([status, json]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: expect.stringContaining('Batches') } },
    ]);
  }
  expect(runs).toEqual([]);
});

it('a call over MCP can only be cancelled with its session and token', async () => {
  const { runs, say } = await served();
  const called = say(search(7), { 'mcp-session-id': 'one' }).catch(() => {});
  await vi.waitFor(() => expect(runs).toHaveLength(1), { timeout: 20_000 });
  const cancel = async (headers: Record<string, string>) => {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await say(cancelled, headers)).status).toBe(202);
    return runs[0]!.signal.aborted;
  };
  expect(await cancel({ 'mcp-session-id': 'two' })).toBe(false);
  expect(await cancel({ 'mcp-session-id': 'one', token: 'theirs' })).toBe(false);
  expect(await cancel({ 'mcp-session-id': 'one' })).toBe(true);
  await called;
});

it('a call over MCP whose client leaves early is not started, and leaves nothing behind', async () => {
  const routes: Record<string, (request: object, reply: object) => Promise<unknown>> = {};
  const app = { post: (path: string, _: object, handler: (typeof routes)[string]) => (routes[path] = handler), route: () => {} };
  const deadlineFor = vi.fn<() => void>();
  const config = { collection: 'default', server: { mcp_write: false } };
  registerMcp(app as never, { config, collections: async () => [] } as never, { deadlineFor } as never);
  const raw = Object.assign(new EventEmitter(), { destroyed: false });
  const reply = { raw, code: () => reply, header: () => reply, send: () => reply };
  const headers = { ...ACCEPT, 'content-type': 'application/json', 'mcp-session-id': 'one' };
  const answered = routes['/mcp']!({ body: search(1), headers }, reply);
  raw.destroyed = true;
  raw.emit('close');
  await answered;
  expect(deadlineFor).not.toHaveBeenCalled();
  expect(raw.listenerCount('close')).toBe(0);
});

it('a slow response over MCP sends heartbeats', async () => {
  const { server, runs } = await served();
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const headers = { ...ACCEPT, authorization: 'Bearer ours', 'content-type': 'application/json' };
  const asked = fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(search(1)) });
  await vi.waitFor(() => expect(runs).toHaveLength(1), { timeout: 20_000 });
  vi.advanceTimersByTime(HEARTBEAT);
  const reader = (await asked).body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toMatch(/^: /);
  await reader.cancel();
});

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

it('a client of MCP gets the type of response that it accepts', async () => {
  const { url } = await serveIn(folder());
  const type = async (accept: string) => {
    const headers = { 'content-type': 'application/json', accept };
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(HELLO) });
    const text = await response.text();
    return [response.status, response.headers.get('content-type'), text.includes('protocolVersion')];
  };
  const stream = [200, 'text/event-stream', true];
  for (const accept of ['text/event-stream', '*/*', 'application/json, text/event-stream', 'text/*;q=0.5'])
    expect([accept, await type(accept)]).toEqual([accept, stream]);
  for (const accept of ['application/json', 'application/*'])
    expect(await type(accept)).toEqual([200, expect.stringContaining('application/json'), true]);
  expect((await type('text/html'))[0]).toBe(406);
});

it('a message of MCP that cannot be read is an error of JSON-RPC', async () => {
  const { post } = await serveIn(folder(), { settings: { server: { body_limit: 1024 } } });
  const send = (body: string, type = 'application/json') => post('/mcp', body, { headers: { ...ACCEPT, 'content-type': type } });
  for (const [body, type, status, code] of [
    ['{"jsonrpc": "2.0", "id": 1,', undefined, 400, -32_700],
    [`{"a": "${'x'.repeat(2000)}"}`, undefined, 413, -32_600],
    ['<a/>', 'text/xml', 415, -32_600],
  ] as const)
    expect(await send(body, type)).toMatchObject({
      status,
      json: { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    });
});
