import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Access } from '../providers/access.ts';
import { parseErrorResponse } from '../providers/provider-errors.ts';

/** A request for an answer. */
export interface AnswerRequest {
  /** Address of the endpoint. */
  url: string;
  headers?: Record<string, string>;
  body: object;
  signal: AbortSignal;
}

/** Sends a request for a stream. Throws the error response, in the form that `providerError` reads. */
export async function requestAnswer(access: Access, { url, headers, body, signal }: AnswerRequest): Promise<Response> {
  const response = await access.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json', ...access.account, ...headers },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw parseErrorResponse(response, await response.text());
  return response;
}

/** Reads the data of the events of a stream (`text/event-stream`). */
export async function* readEvents(response: Response): AsyncGenerator<string, void, void> {
  const events = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) yield data;
}

/** Reads the lines of a stream of JSON documents (`application/x-ndjson`). */
export async function* readLines(response: Response): AsyncGenerator<string, void, void> {
  const unfinished: string[] = [];
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const [end = '', ...lines] = piece.split('\n');
    unfinished.push(end);
    for (const line of lines) {
      yield* takeLine(unfinished);
      unfinished.push(line);
    }
  }
  yield* takeLine(unfinished);
}

/** Takes the pieces of a line; none if it is empty. */
function takeLine(pieces: string[]): string[] {
  const line = pieces.splice(0).join('');
  return line.trim() === '' ? [] : [line];
}

/** Whether a response is one JSON document instead of a stream. */
export const isDocument = (response: Response): boolean => /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
