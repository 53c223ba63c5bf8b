import type { ResponseObject } from '../../src/server/openapi/components.ts';
import type { OpenApiDocument } from '../../src/server/openapi/openapi.ts';
import { listed, resolved, validators, type Listed } from './openapi.ts';

interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
}

/** What is wrong with an answer, by the document; undefined where it is one that the document describes, down to every field. */
export type Judge = (one: Listed, answer: Answer) => string | undefined;

const JOB_RESULTS = ['ingest', 'scrape'];

/** Judges answers by a document. A field that is not documented is as wrong as one that is missing. */
export function answerJudge(document: OpenApiDocument): Judge {
  const validatorOf = validators(document, 'closed');
  const operations = listed(document);
  const event = validatorOf({ $ref: '#/components/schemas/Event' });
  const schemaOf = ({ operation }: Listed, status: number) =>
    resolved<ResponseObject>(document, operation.responses[status]!).content!['application/json']?.schema;

  /** The last event of a stream holds what the path without `/stream` answers with, or the exception envelope. */
  const isResult = ({ operation }: Listed, data: unknown): boolean => {
    const ids = operation.operationId === 'show_job_stream' ? JOB_RESULTS : [operation.operationId.replace(/_stream$/, '')];
    const results = operations.filter((other) => ids.includes(other.operation.operationId)).map((other) => schemaOf(other, 200)!);
    return results.some((schema) => validatorOf(schema)(data));
  };

  const streamProblem = (one: Listed, text: string): string | undefined => {
    const events = eventsIn(text);
    const strange = events.find(({ type, data }) => !event(data) || (data as { type: string }).type !== type);
    if (strange) return `an event is not as documented: ${JSON.stringify(strange)}`;
    const finals = events.filter(({ type }) => type === 'final').length;
    if (finals !== 1 || events.at(-1)!.type !== 'final') return `${finals} final events, the last of all being ${events.at(-1)?.type}`;
    return isResult(one, (events.at(-1)!.data as { data: unknown }).data) ? undefined : 'the final event holds no result';
  };

  return (one, { statusCode, headers, body }) => {
    if (statusCode === 500) return 'nobody foresaw it';
    if (!(statusCode in one.operation.responses)) return 'the document knows no such status';
    const schema = schemaOf(one, statusCode);
    const type = String(headers['content-type']);
    if (type.startsWith('text/event-stream') && statusCode === 200 && !schema) return streamProblem(one, body);
    if (type.startsWith('text/event-stream') && one.operation.operationId === 'create_completion')
      return body.endsWith('data: [DONE]\n\n') ? undefined : 'the stream has no end';
    if (!type.startsWith('application/json') || !schema) return `a body of the type ${type} is not documented`;
    const fits = validatorOf(schema);
    return fits(JSON.parse(body)) ? undefined : `the body is not as documented: ${JSON.stringify(fits.errors)}`;
  };
}

/** The events of a stream's text; a block that is neither an event nor a comment is an error. */
function eventsIn(text: string): { type: string; data: unknown }[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [, type, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (type === undefined) throw new Error(`This is no server-sent event: ${block.slice(0, 200)}`);
    return { type, data: JSON.parse(data!) as unknown };
  });
}
