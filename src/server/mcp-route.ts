import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../ports/engines.ts';
import type { McpParts } from '../mcp/mcp-server.ts';
import { operations } from '../schema/operations.ts';
import { makeFailure, sendFailure } from './envelope.ts';
import { HEARTBEAT } from './event-stream.ts';
import { writeResult } from './json-result.ts';
import { type RouteContext, runOperation } from './operation-routes.ts';

const SESSION = 'mcp-session-id';

/** Response to a batch: `server.rate_limit` would count its calls as one, and the protocol has had no batches since 2025-06-18. */
const NO_BATCHES = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'Batches are not possible here: send each message in a request of its own.' },
};

interface Message {
  id?: string | number;
  method?: string;
  params?: { requestId?: string | number };
}

/**
 * Registers MCP over streamable HTTP at /mcp. Each request gets its own server, so that restarts and load balancing do no harm: the session id
 * only identifies calls for cancellation. Rights come from the token. The first request loads the SDK.
 */
export function registerMcp(app: FastifyInstance, engine: Pick<Engine, 'config' | 'collections'>, context: RouteContext): void {
  const running = new Map<string, () => void>();
  const config = { needs: 'token' } as const;
  app.post('/mcp', { config }, async (request, reply) => {
    if (Array.isArray(request.body)) return reply.code(400).send(NO_BATCHES);
    const { id, method, params }: Message = (request.body as Message | null) ?? {};
    const session = request.headers[SESSION];
    const keyOf = (call: string | number) => JSON.stringify([request.access?.name, session, call]);
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) running.get(keyOf(params.requestId))?.();
    const [{ createMcpServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
      import('../mcp/mcp-server.ts'),
      import('../mcp/mcp-library.ts'),
    ]);
    const server = createMcpServer(createMcpParts({ request, reply }, { engine, context }));
    const accepted = acceptedTypes(request.headers.accept);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      keepAliveMs: HEARTBEAT,
      enableJsonResponse: accepted.json && !accepted.stream,
    });
    await server.connect(transport);
    if (reply.raw.destroyed) return reply.send(); // the client has left; `close` is not emitted again
    const close = () => void server.close();
    const key = method === 'tools/call' && id !== undefined && session !== undefined ? keyOf(id) : undefined;
    if (key) running.set(key, close);
    reply.raw.once('close', () => {
      if (key) running.delete(key);
      close();
    });
    const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as [string, string]] : [])); // prettier-ignore
    // the SDK requires both types, though a response has only one of them
    if (accepted.json || accepted.stream) headers.push(['accept', 'application/json, text/event-stream']);
    const webRequest = new Request('http://localhost/mcp', { method: 'POST', headers: Object.fromEntries(headers) });
    const response = await transport.handleRequest(webRequest, { parsedBody: request.body });
    void reply.code(response.status);
    for (const [name, value] of response.headers) void reply.header(name, value);
    void reply.header('x-accel-buffering', 'no');
    if (method === 'initialize') void reply.header(SESSION, randomUUID());
    return reply.send(response.body ? Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) : '');
  });
  for (const method of ['GET', 'DELETE'] as const)
    app.route({
      method,
      url: '/mcp',
      config,
      handler: async (_, reply) =>
        sendFailure(reply.header('allow', 'POST'), makeFailure(405, `${method} is not possible here: MCP takes POST.`)),
    });
}

/** Says which types of a response a client accepts: without a header, any. */
function acceptedTypes(accept = '*/*'): { json: boolean; stream: boolean } {
  const types = new Set(accept.split(',').map((type) => type.split(';')[0]!.trim().toLowerCase()));
  const accepts = (type: string): boolean => [type, type.replace(/[^/]+$/, '*'), '*/*'].some((name) => types.has(name));
  return { json: accepts('application/json'), stream: accepts('text/event-stream') };
}

/** Makes the parts of a request: the rights of its caller, its place in a queue, and its deadline. */
function createMcpParts(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { engine, context }: { engine: Pick<Engine, 'config' | 'collections'>; context: RouteContext },
): McpParts {
  return {
    async run(operation, given, { signal: cancelled, wording, onEvent }) {
      const queue = operations[operation].scope === 'read' ? 'search' : 'work';
      const finish = async (result: Record<string, unknown>, signal: AbortSignal) => {
        await writeResult(result, { held: context.held, reply, signal }); // only to bound it: the SDK writes it again
        return result as never;
      };
      return await runOperation({ operation, queue }, { request, reply, given, cancelled, wording, onEvent }, { context, finish });
    },
    onProblem: (err) => request.log.error({ err }, 'a tool of MCP failed'),
    collections: () => engine.collections({ access: request.access }),
    collection: engine.config.collection,
    allowWrite: engine.config.server.mcp_write,
  };
}
