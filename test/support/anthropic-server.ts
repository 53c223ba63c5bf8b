import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sliced } from './openai-server.ts';
import { listening } from './listening.ts';

/** An error as the Messages API answers with it; `body` instead of its own shape, for a proxy in between. */
interface AnthropicRefusal {
  status: number;
  type?: string;
  message?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An answer in pieces, thoughts before it, and how it ends: with a stop reason, the connection cut or closed, an error event, or never. */
interface AnthropicReply {
  pieces: string[];
  thoughts?: string[];
  end?: 'end_turn' | 'max_tokens' | 'refusal' | 'model_context_window_exceeded' | 'cut' | 'close' | 'error' | 'hang';
  error?: { type: string; message: string };
  /** Bytes that are sent at once; all that there are where absent. */
  slice?: number;
  /** How lines end. */
  newline?: '\n' | '\r\n' | '\r';
  delay?: number;
}

interface MessagesRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & {
    system?: string;
    messages?: { role: string; content: string | { text: string }[] }[];
    max_tokens?: number;
    stream?: boolean;
  };
  isCut: boolean;
}

export interface AnthropicServer {
  /** Without /v1. */
  url: string;
  requests: MessagesRequest[];
  close(): Promise<void>;
}

type Answering = (request: MessagesRequest, count: number) => string | AnthropicReply | AnthropicRefusal;

/** A server on a free port of the loopback interface that speaks the Messages API, and refuses what it refuses. */
export async function openAnthropicServer(reply: Answering = () => 'It is so.'): Promise<AnthropicServer> {
  const requests: MessagesRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const piece of incoming) text += piece;
    const request: MessagesRequest = { path: incoming.url!, headers: incoming.headers, body: JSON.parse(text), isCut: false };
    requests.push(request);
    response.on('close', () => (request.isCut = !response.writableFinished));
    const given = wrongIn(request) ?? reply(request, requests.length);
    if (typeof given === 'object' && 'status' in given) return refuse(response, given);
    return stream(response, typeof given === 'string' ? { pieces: given.match(/\S+\s*/g) ?? [] } : given, request);
  });
  const { url, close } = await listening(server);
  return { url, requests, close };
}

/** What the protocol demands of a request. */
function wrongIn({ path, headers, body }: MessagesRequest): AnthropicRefusal | undefined {
  const invalid = (message: string) => ({ status: 400, type: 'invalid_request_error', message });
  if (path !== '/v1/messages') return { status: 404, type: 'not_found_error', message: 'Not Found' };
  if (!headers['x-api-key']) return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  if (headers['anthropic-version'] !== '2023-06-01') return invalid('anthropic-version: header is required');
  if (typeof body.max_tokens !== 'number') return invalid('max_tokens: Field required');
  const { messages = [] } = body;
  if (messages[0]?.role !== 'user') return invalid('messages: first message must use the "user" role');
  for (const [i, { role, content }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant') return invalid(`messages.${i}: Input tag '${role}' found using 'role' does not match`);
    const text = typeof content === 'string' ? content : content.map((block) => block.text).join('');
    if (text.trim() === '') return invalid(`messages.${i}: text content blocks must be non-empty`);
    if (role === messages[i - 1]?.role) return invalid('messages: roles must alternate between "user" and "assistant"');
  }
  return undefined;
}

function refuse(
  response: ServerResponse,
  { status, type = 'api_error', message = 'refused by the test', headers, body }: AnthropicRefusal,
): void {
  response.writeHead(status, { 'content-type': body ? 'text/html' : 'application/json', ...headers });
  response.end(body ?? JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' }));
}

async function stream(response: ServerResponse, reply: AnthropicReply, request: MessagesRequest): Promise<void> {
  const { pieces, thoughts = [], end = 'end_turn', slice, newline = '\n', delay = 0 } = reply;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const send = (type: string, data: object) =>
    sliced(response, `event: ${type}${newline}data: ${JSON.stringify({ type, ...data })}${newline}${newline}`, slice);
  const usage = { input_tokens: 11, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 };
  await send('message_start', {
    message: { id: 'msg_1', role: 'assistant', model: request.body.model, content: [], stop_reason: null, usage },
  });
  await sliced(response, `: a comment${newline}${newline}`, slice);
  let index = 0;
  const block = async (kind: object, deltas: object[]) => {
    await send('content_block_start', { index, content_block: kind });
    await send('ping', {});
    for (const delta of deltas) {
      if (response.destroyed) return;
      await send('content_block_delta', { index, delta });
      if (delay > 0) await new Promise((done) => setTimeout(done, delay));
    }
  };
  if (thoughts.length > 0) {
    const thinking = thoughts.map((thought) => ({ type: 'thinking_delta', thinking: thought }));
    await block({ type: 'thinking', thinking: '', signature: '' }, [...thinking, { type: 'signature_delta', signature: 'c2lnbmVk' }]);
    await send('content_block_stop', { index });
    index++;
  }
  if (pieces.length > 0)
    await block(
      { type: 'text', text: '' },
      pieces.map((text) => ({ type: 'text_delta', text })),
    );
  if (end === 'hang') {
    const pinging = setInterval(() => void send('ping', {}), 50);
    return void response.on('close', () => clearInterval(pinging));
  }
  if (end === 'cut') return void setImmediate(() => response.destroy());
  if (end === 'close') return void response.end();
  if (end === 'error') {
    await send('error', { error: reply.error ?? { type: 'overloaded_error', message: 'Overloaded' } });
    return void response.end();
  }
  await send('content_block_stop', { index });
  await send('message_delta', { delta: { stop_reason: end, stop_sequence: null }, usage: { output_tokens: 7 } });
  await send('message_stop', {});
  response.end();
}
