import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';

/** A refusal: status, headers and the body's `error`. */
interface Refusal {
  status: number;
  headers?: Record<string, string>;
  error?: { message: string; type?: string; code?: string };
  /** The whole body, where it is not of OpenAI's shape. */
  body?: unknown;
}

/** An answer in pieces, and how it ends: with a reason, with the connection cut or closed, with an error event, or never. */
export interface Reply {
  pieces: (string | object)[];
  end?: 'stop' | 'length' | 'content_filter' | 'model_length' | 'insufficient_system_resource' | 'cut' | 'close' | 'error' | 'hang';
  /** The error of an error event. */
  error?: unknown;
  /** What the last chunk holds where it is not OpenAI's usage. */
  last?: object;
  /** Milliseconds between pieces. */
  delay?: number;
  /** Bytes that are sent at once; all that there are where absent. */
  slice?: number;
}

export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & {
    input?: string | string[];
    messages?: { role: string; content: string }[];
    encoding_format?: string;
    stream?: boolean;
  };
  /** Whether the client let go before the answer was complete. */
  isCut: boolean;
}

export interface Behaviour {
  /** The vector of one text; a refusal of one refuses the request. */
  vector?(text: string, request: ModelRequest): number[] | Refusal;
  /** The answer; `count` is the number of requests so far, this one counted in. */
  reply?(request: ModelRequest, count: number): string | Reply | Refusal;
  /** Instead of everything else: what is sent as it is. */
  raw?: { type: string; body: string };
}

export interface OpenAiServer {
  /** The base URL, with /v1. */
  url: string;
  requests: ModelRequest[];
  close(): Promise<void>;
}

const isRefusal = (value: unknown): value is Refusal => typeof (value as Refusal)?.status === 'number';

/** A server on a free port of the loopback interface that speaks OpenAI's protocol: embeddings (float, base64) and chat completions (JSON, events). */
export async function openOpenAiServer(behaviour: Behaviour = {}): Promise<OpenAiServer> {
  const requests: ModelRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const piece of incoming) text += piece;
    const request: ModelRequest = { path: incoming.url!, headers: incoming.headers, body: JSON.parse(text), isCut: false };
    requests.push(request);
    response.on('close', () => (request.isCut = !response.writableFinished));
    if (behaviour.raw) return response.writeHead(200, { 'content-type': behaviour.raw.type }).end(behaviour.raw.body);
    if (incoming.url === '/v1/embeddings') return embeddings(request, response, behaviour);
    if (incoming.url === '/v1/chat/completions') return chat(request, response, { behaviour, count: requests.length });
    return refuse(response, { status: 404, error: { message: `There is no ${incoming.url}` } });
  });
  const { url, close } = await listening(server);
  return { url: `${url}/v1`, requests, close };
}

function refuse(response: ServerResponse, { status, headers = {}, error = { message: 'refused by the test' }, body }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? { error }));
}

const answer = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** A vector of three numbers that tells texts apart by their length and first letter. */
const plainVector = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0, 1];

function embeddings(request: ModelRequest, response: ServerResponse, { vector = plainVector }: Behaviour): void {
  const { input = [], encoding_format, model } = request.body;
  const vectors = (Array.isArray(input) ? input : [input]).map((text) => vector(text, request));
  const refusal = vectors.find(isRefusal);
  if (refusal) return refuse(response, refusal);
  const encoded = (numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  const data = (vectors as number[][]).map((numbers, index) => ({
    object: 'embedding',
    index,
    embedding: encoding_format === 'base64' ? encoded(numbers) : numbers,
  }));
  return answer(response, { object: 'list', model, data, usage: { prompt_tokens: 5, total_tokens: 5 } });
}

/** Sends text in pieces of so many bytes, wherever that cuts it. */
export async function sliced(response: ServerResponse, text: string, size = Infinity): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (size < Infinity) await new Promise((done) => setImmediate(done));
  }
}

const USAGE = { prompt_tokens: 1100, completion_tokens: 7, total_tokens: 1107 };

async function chat(
  request: ModelRequest,
  response: ServerResponse,
  { behaviour, count }: { behaviour: Behaviour; count: number },
): Promise<void> {
  const given = behaviour.reply?.(request, count) ?? 'It is so.';
  if (isRefusal(given)) return refuse(response, given);
  const reply = typeof given === 'string' ? { pieces: given.match(/\S+\s*/g) ?? [] } : given;
  const head = { id: `chatcmpl-${count}`, created: 1, model: request.body.model };
  if (request.body.stream) return stream(response, reply, head);
  const message = { role: 'assistant', content: reply.pieces.filter((piece) => typeof piece === 'string').join('') };
  return answer(response, { ...head, object: 'chat.completion', usage: USAGE, choices: [{ index: 0, finish_reason: 'stop', message }] });
}

async function stream(response: ServerResponse, reply: Reply, head: object): Promise<void> {
  const { pieces, end = 'stop', delay = 0, slice, last = { choices: [], usage: USAGE } } = reply;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (data: string) => sliced(response, `data: ${data}\n\n`, slice);
  const send = (body: object) => write(JSON.stringify({ ...head, object: 'chat.completion.chunk', ...body }));
  const choose = (delta: object, finish_reason: string | null = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
  await choose({ role: 'assistant', content: '' });
  for (const piece of pieces) {
    if (response.destroyed) return;
    await choose(typeof piece === 'string' ? { content: piece } : piece);
    if (delay > 0) await new Promise((done) => setTimeout(done, delay));
  }
  if (end === 'hang') return;
  if (end === 'cut') return void setImmediate(() => response.destroy());
  if (end === 'close') return void response.end();
  if (end === 'error') {
    await write(JSON.stringify({ error: reply.error ?? { message: 'the machine is on fire' } }));
    return void response.end();
  }
  await choose({}, end);
  await send(last);
  await write('[DONE]');
  response.end();
}
