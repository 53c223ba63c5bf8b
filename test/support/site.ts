import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';

interface SiteHit {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type SiteRoute =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
  | ((request: IncomingMessage, response: ServerResponse) => unknown);

export interface Site {
  url: string;
  /** What was asked for, in order. */
  hits: SiteHit[];
  routes: Record<string, SiteRoute>;
  close(): Promise<void>;
}

/** A web server on a free port of the loopback interface; a path that has no route is a 404. */
export async function openSite(routes: Record<string, SiteRoute> = {}, host = '127.0.0.1'): Promise<Site> {
  const hits: SiteHit[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    hits.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    const route = routes[new URL(request.url!, 'http://site').pathname];
    if (typeof route === 'function') return route(request, response);
    if (route === undefined) return response.writeHead(404).end('not here');
    const { status = 200, headers = {}, body: content = '' } = typeof route === 'string' ? { body: route } : route;
    return response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(content);
  });
  const { url, close } = await listening(server, host);
  return { url, hits, routes, close };
}
