import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, onTestFinished } from 'vitest';
import { folder } from './folder.ts';
import { QdrantCollection } from './qdrant-collection.ts';
import type { Fields, Json } from './qdrant-points.ts';
import { QdrantRefusal } from './qdrant-refusal.ts';
import { listening } from './listening.ts';

export interface QdrantRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: Record<string, Json | undefined>;
}

/** What the server does instead of its work. */
interface Disturbance {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface QdrantBehaviour {
  /** Asked for with every request, as `api-key` or as a bearer token. */
  key?: string;
  /** 1.16.3 where absent. */
  version?: string;
  /** What it says of its cluster; it is none where absent. */
  cluster?: Json;
  /** As servers before 1.16, it takes no notice of a write's `update_filter`. */
  ignoresConditions?: boolean;
  /** An answer in the place of the right one, or `cut`: the connection ends. `count` is the number of requests so far, this one counted in. */
  disturb?(request: QdrantRequest, count: number): Disturbance | 'cut' | undefined;
}

export interface QdrantServer {
  url: string;
  requests: QdrantRequest[];
  collections: Map<string, QdrantCollection>;
  /** Which collection an alias leads to. */
  aliases: Map<string, string>;
  behaviour: QdrantBehaviour;
  close(): Promise<void>;
}

/** Bytes of a request, at most: Qdrant's own default. */
const MAX_SIZE = 32 * 2 ** 20;
/** Milliseconds after which a write happens that nobody waits for. */
const LATER = 50;

/** A server on a free port of the loopback interface that speaks the part of Qdrant's REST interface that kb uses, in memory. */
export async function openQdrantServer(behaviour: QdrantBehaviour = {}): Promise<QdrantServer> {
  const state = {
    requests: [] as QdrantRequest[],
    collections: new Map<string, QdrantCollection>(),
    aliases: new Map<string, string>(),
    behaviour,
  };
  const server = createServer((incoming, response) => void answer(incoming, response, state));
  const { url, close } = await listening(server);
  return { ...state, url, close };
}

/** Gives each test of a file a server and an empty folder of its own. */
export function useQdrantServer(take: (opened: { server: QdrantServer; home: string }) => void): void {
  beforeEach(async () => {
    const server = await openQdrantServer();
    onTestFinished(server.close);
    take({ server, home: folder() });
  });
}

type State = Omit<QdrantServer, 'url' | 'close'>;

async function answer(incoming: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const text = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString();
  const url = new URL(incoming.url!, 'http://localhost');
  const send = (status: number, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  try {
    const body = text ? (JSON.parse(text, wellFormed) as QdrantRequest['body']) : {};
    const request = {
      method: incoming.method!,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      body,
    };
    state.requests.push(request);
    const { key, disturb } = state.behaviour;
    const disturbance = disturb?.(request, state.requests.length);
    if (disturbance === 'cut') return void response.destroy();
    if (disturbance) return void send(disturbance.status, disturbance.body ?? '{"status":{"error":"disturbed"}}', disturbance.headers);
    const given = incoming.headers['api-key'] ?? incoming.headers.authorization?.replace(/^Bearer /, '');
    if (key !== undefined && given !== key) {
      const said = given === undefined ? 'Must provide an API key or an Authorization bearer token' : 'Invalid API key or JWT';
      return void send(401, said, { 'content-type': 'text/plain' });
    }
    if (request.path === '/')
      return void send(
        200,
        JSON.stringify({ title: 'qdrant - vector search engine', version: state.behaviour.version ?? '1.16.3', commit: '0' }),
      );
    if (request.path === '/readyz') return void send(200, 'all shards are ready', { 'content-type': 'text/plain' });
    if (Buffer.byteLength(text) > MAX_SIZE) throw new QdrantRefusal(413, `JSON payload is larger than allowed (limit: ${MAX_SIZE} bytes).`);
    const result = await perform(request, { state, isWaitedFor: url.searchParams.get('wait') === 'true' });
    send(200, JSON.stringify({ result, status: 'ok', time: 0.001 }));
  } catch (error) {
    const status = error instanceof QdrantRefusal ? error.status : 500;
    send(status, JSON.stringify({ status: { error: (error as Error).message }, time: 0.001 }));
  }
}

/** The server's JSON reader takes no half surrogate pairs. */
function wellFormed(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
    throw new QdrantRefusal(400, 'Format error in JSON body: lone leading surrogate in hex escape');
  return value;
}

async function perform(
  { method, path, body }: QdrantRequest,
  { state, isWaitedFor }: { state: State; isWaitedFor: boolean },
): Promise<Json> {
  const [, root, name = '', part = '', ...rest] = path.split('/').map(decodeURIComponent);
  const action = rest.join('/');
  if (method === 'GET' && path === '/collections') return { collections: [...state.collections.keys()].map((one) => ({ name: one })) };
  if (method === 'GET' && path === '/cluster') return state.behaviour.cluster ?? { status: 'disabled' };
  if (method === 'GET' && path === '/aliases')
    return { aliases: [...state.aliases].map(([alias_name, collection_name]) => ({ alias_name, collection_name })) };
  if (method === 'POST' && path === '/collections/aliases') return changeAliases(body['actions'] as Fields[], state);
  if (root !== 'collections' || !name) throw new QdrantRefusal(404, '');
  if (!part) return manage(method, name, { state, body });
  const collection = find(name, state);
  const written = async (work: () => Promise<void>): Promise<Json> => {
    if (isWaitedFor) await work();
    else void wait(LATER).then(work);
    return { operation_id: 0, status: isWaitedFor ? 'completed' : 'acknowledged' };
  };
  switch (`${method} ${part} ${action}`.trim()) {
    case 'PUT index':
      return await written(async () => void collection.indexes.set(body['field_name'] as string, body['field_schema']!));
    case 'PUT points':
      return await written(() => collection.upsert(state.behaviour.ignoresConditions ? { ...body, update_filter: null } : body));
    case 'POST points payload':
      return await written(() => collection.setPayload(body));
    case 'POST points delete':
      return await written(() => collection.delete(body));
    case 'POST points':
      return collection.retrieve(body);
    case 'POST points scroll':
      return collection.scroll(body);
    case 'POST points count':
      return collection.count(body);
    case 'POST points query/batch':
      return (body['searches'] as Fields[]).map((search) => collection.query(search));
    default:
      throw new QdrantRefusal(404, '');
  }
}

function find(name: string, { collections, aliases }: State): QdrantCollection {
  const found = collections.get(aliases.get(name) ?? name);
  if (!found) throw new QdrantRefusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
  return found;
}

function manage(method: string, name: string, { state, body }: { state: State; body: QdrantRequest['body'] }): Json {
  const { collections, aliases } = state;
  if (method === 'PUT') {
    // oxlint-disable-next-line no-control-regex
    if (/[<>:"/\\|?*\u0000\u001f]/.test(name) || name.length > 255) throw new QdrantRefusal(422, `Validation error in path: ${name}`);
    if (collections.has(name) || aliases.has(name)) throw new QdrantRefusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    collections.set(name, new QdrantCollection(body));
    return true;
  }
  if (method === 'GET') return find(name, state).info();
  if (method === 'PATCH') return find(name, state).update(body);
  if (method !== 'DELETE') throw new QdrantRefusal(404, '');
  for (const [alias, target] of aliases) if (target === name) aliases.delete(alias);
  return collections.delete(name);
}

/** All of them or none, in one step. */
function changeAliases(actions: Fields[], { aliases, collections }: State): Json {
  const next = new Map(aliases);
  for (const action of actions) {
    const { alias_name, collection_name } = Object.values(action)[0] as Record<string, string>;
    if ('delete_alias' in action) next.delete(alias_name!);
    else if (collections.has(alias_name!)) throw new QdrantRefusal(409, `Wrong input: Collection \`${alias_name}\` already exists!`);
    else if (!collections.has(collection_name!))
      throw new QdrantRefusal(404, `Not found: Collection \`${collection_name}\` doesn't exist!`);
    else next.set(alias_name!, collection_name!);
  }
  aliases.clear();
  for (const [alias, target] of next) aliases.set(alias, target);
  return true;
}
