import { createServer, type IncomingMessage } from 'node:http';
import { listening } from './listening.ts';

export interface JsonRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Whether the client let go before the answer was complete. */
  isCut: boolean;
}

/** A body that is text goes out as it is; `hang` never answers. */
export interface JsonAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  hang?: boolean;
}

export interface JsonServer {
  /** Without a slash at its end. */
  url: string;
  requests: JsonRequest[];
  close(): Promise<void>;
}

/** A server on a free port of the loopback interface that answers JSON with JSON; `count` is the number of requests so far, this one counted in. */
export async function openJsonServer(answer: (request: JsonRequest, count: number) => JsonAnswer): Promise<JsonServer> {
  const requests: JsonRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const piece of incoming) text += piece;
    const request: JsonRequest = { path: incoming.url!, headers: incoming.headers, body: JSON.parse(text || '{}'), isCut: false };
    requests.push(request);
    response.on('close', () => (request.isCut = !response.writableFinished));
    const { status = 200, headers = {}, body = {}, hang = false } = answer(request, requests.length);
    if (hang) return;
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const { url, close } = await listening(server);
  return { url, requests, close };
}
