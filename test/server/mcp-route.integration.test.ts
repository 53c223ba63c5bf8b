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
  await vi.waitFor(() => expect(runs).toHaveLength(1));
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
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  vi.advanceTimersByTime(HEARTBEAT);
  const reader = (await asked).body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toMatch(/^: /);
  await reader.cancel();
});
