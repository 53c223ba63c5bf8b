import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';
import { sliced } from './openai-server.ts';

export interface OllamaRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & { input?: string[]; options?: Record<string, unknown>; truncate?: boolean };
}

/** What the server says of its model, and how it answers. */
export interface OllamaBehaviour {
  /** The answer of /api/chat: a text, a refusal, or the lines of the stream as they are. */
  reply?(count: number): string | { status: number; headers?: Record<string, string> } | object[];
  installed?: string[];
  context_length?: number;
  /** Of all models, or of each by its name. */
  capabilities?: string[] | Record<string, string[]>;
  family?: string;
  /** Maximum characters of a text to embed. */
  limit?: number;
}

export interface OllamaServer {
  url: string;
  /** Requests of /api/chat and /api/embed. */
  requests: OllamaRequest[];
  close(): Promise<void>;
}

const json = (response: ServerResponse, status: number, body: object, headers = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** A server on a free port of the loopback interface that speaks Ollama's own protocol. */
export async function openOllamaServer(behaviour: OllamaBehaviour = {}): Promise<OllamaServer> {
  const { reply = () => 'It is so.', installed = ['writer', 'another'], limit = Infinity } = behaviour;
  const requests: OllamaRequest[] = [];
  const routes: Record<string, (request: OllamaRequest, response: ServerResponse) => unknown> = {
    '/api/tags': (_request, response) => json(response, 200, { models: installed.map((name) => ({ name: `${name}:latest` })) }),
    '/api/show': ({ body }, response) => {
      if (behaviour.installed && !installed.includes(String(body.model)))
        return json(response, 404, { error: `model '${String(body.model)}' not found` });
      const { context_length = 32_768, capabilities = ['completion'], family = 'llama' } = behaviour;
      const own = Array.isArray(capabilities) ? capabilities : capabilities[String(body.model)];
      return json(response, 200, { details: { family }, model_info: { 'llama.context_length': context_length }, capabilities: own });
    },
    '/api/chat': async (request, response) => {
      requests.push(request);
      const answer = reply(requests.length);
      if (typeof answer === 'object' && 'status' in answer) return json(response, answer.status, { error: 'refused' }, answer.headers);
      const lines = typeof answer === 'string' ? textLines(answer) : answer;
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      await sliced(response, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 17);
      return response.end();
    },
    '/api/embed': (request, response) => {
      requests.push(request);
      const texts = request.body.input ?? [];
      if (request.body.truncate === false && texts.some((text) => text.length > limit))
        return json(response, 400, { error: 'the input length exceeds the context length' });
      return json(response, 200, { embeddings: texts.map((text) => [text.length, text.codePointAt(0) ?? 0, 1]) });
    },
  };
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const piece of incoming) text += piece;
    const request = { path: incoming.url!, headers: incoming.headers, body: text ? JSON.parse(text) : {} };
    const route = routes[request.path];
    if (route) await route(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
  });
  return { requests, ...(await listening(server)) };
}

const textLines = (text: string): object[] => [
  ...(text.match(/\S+\s*/g) ?? []).map((content) => ({ message: { role: 'assistant', content }, done: false })),
  { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 1100, eval_count: 7 },
];
