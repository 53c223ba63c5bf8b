import { type OperationName, operations } from '../schema/operations.ts';
import { type AccessRights, mayDo } from '../core/access-rights.ts';
import { formatBody, requestWording } from '../core/advice/wordings.ts';
import type { NamedRequest, Wording } from '../core/advice/advice.ts';

/** One path of `/v1` that runs an operation. Its request and its answer are the operation's own. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path with OpenAPI parameters: `/v1/collections/{name}`. They are fields of the request, like those of the body or, for GET, the query. */
  path: string;
  operation: OperationName;
  /** json: the result; stream: server-sent events, the result in the last one; upload: takes a form, responds with the result. */
  reply: 'json' | 'stream' | 'upload';
  /** Queue in which it waits; searches never wait behind ingests, and single stages are few at once. */
  queue: 'search' | 'work' | 'stage';
  background?: boolean;
  /** Heading in the documentation. */
  tag: 'Ask' | 'Ingest' | 'Stages' | 'Maintain' | 'Collections';
}

const post = (path: string, operation: OperationName, rest: Pick<Route, 'tag' | 'queue'> & Partial<Route>): Route => ({
  method: 'POST',
  path: `/v1/${path}`,
  operation,
  reply: 'json',
  ...rest,
});

const ask = { tag: 'Ask', queue: 'search' } as const;
const ingest = { tag: 'Ingest', queue: 'work' } as const;
const stage = { tag: 'Stages', queue: 'stage' } as const;
const maintain = { tag: 'Maintain', queue: 'work' } as const;
const collections = { tag: 'Collections', queue: 'search', reply: 'json' } as const;

/** Every path that runs an operation (service.md, section 4; contract.md, section 4). */
export const routes: readonly Route[] = [
  post('retrieve', 'retrieve', ask),
  post('pipelines/query', 'query', ask),
  post('chat', 'chat', ask),
  post('chat/stream', 'chat', { ...ask, reply: 'stream' }),
  post('pipelines/ingest', 'ingest', { ...ingest, background: true }),
  post('pipelines/ingest/stream', 'ingest', { ...ingest, reply: 'stream' }),
  post('ingest/docs', 'parse', ingest),
  post('ingest/docs/upload', 'upload', { ...ingest, reply: 'upload' }),
  post('ingest/url', 'scrape', { ...ingest, background: true }),
  post('ingest/url/stream', 'scrape', { ...ingest, reply: 'stream' }),
  post('ingest/api', 'fetch', ingest),
  post('chunk', 'chunk', stage),
  post('embed', 'embed', stage),
  post('store', 'store', maintain),
  post('edit', 'edit', maintain),
  post('delete', 'delete', maintain),
  { method: 'GET', path: '/v1/collections', operation: 'list_collections', ...collections },
  { method: 'GET', path: '/v1/collections/{name}', operation: 'show_collection', ...collections },
  { method: 'DELETE', path: '/v1/collections/{name}', operation: 'drop_collection', ...collections, queue: 'work' },
  { method: 'GET', path: '/v1/collections/{name}/sources', operation: 'list_sources', ...collections },
  { method: 'GET', path: '/v1/collections/{name}/sources/{id}', operation: 'get_source', ...collections },
  { method: 'DELETE', path: '/v1/collections/{name}/sources/{id}', operation: 'delete_source', ...collections, queue: 'work' },
];

/** Wording of advice for HTTP clients: fields of the body, and paths that the caller may use. */
export const httpWording = (operation: OperationName, { access }: { access?: AccessRights | undefined }): Wording =>
  requestWording(operations[operation].input, (name, request) => {
    const route = routes.find((one) => one.operation === name);
    return route && mayDo(access, operations[name].scope) ? pathOf(route, request) : undefined;
  });

function pathOf({ method, path, operation }: Route, request: NamedRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (mark, name: string) => String(request[name] ?? mark));
  const rest = Object.entries(request).filter(([name]) => !path.includes(`{${name}}`));
  const body = method === 'POST' ? formatBody(operations[operation].input, Object.fromEntries(rest)) : '';
  return [method, filled, body].filter(Boolean).join(' ');
}
