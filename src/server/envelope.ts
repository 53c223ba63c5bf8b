import type { FastifyReply } from 'fastify';
import { envelope, ERROR_TYPES, isForeseen, KbError, type ErrorCode } from '../core/errors.ts';
import type { Envelope } from '../schema/server-results.ts';
import type { OpenAiError } from '../schema/openai/openai-requests.ts';

/** The status of each kind of failure (contract, section 4). A provider that refuses the operator's key is a matter of the set-up, not of the caller's rights; where a store or a provider refuses what kb asks, or answers what can't be used, the caller's request is not at fault. */
const STATUS: Record<ErrorCode, number> = {
  usage: 400,
  configuration: 400,
  invalid: 500,
  conflict: 400,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  setup: 424,
  unauthorized: 424,
  internal: 500,
  unavailable: 503,
  aborted: 503,
};

/** The envelope's `type` where it is another over HTTP. */
const SAID_AS: Partial<Record<ErrorCode, string>> = { unauthorized: ERROR_TYPES.setup, invalid: ERROR_TYPES.internal };

/** The envelope's `type` of statuses that the server itself answers with. */
const TYPES: Record<number, string> = {
  400: ERROR_TYPES.usage,
  401: ERROR_TYPES.unauthorized,
  403: ERROR_TYPES.forbidden,
  404: ERROR_TYPES.not_found,
  405: 'MethodNotAllowedError',
  413: ERROR_TYPES.too_large,
  415: 'UnsupportedMediaTypeError',
  429: 'RateLimitError',
};

export interface Failure {
  status: number;
  body: Envelope;
  /** Whether the fault is ours: it belongs into the log, with its stack. */
  isOurs: boolean;
}

/** An answer with this status, in words for the caller. */
export const refuse = (status: number, message: string): Failure => ({
  status,
  body: { error: { type: TYPES[status] ?? ERROR_TYPES.internal, message } },
  isOurs: false,
});

/** What Fastify and its plugins throw, by their codes, in words that say what to do. */
const SAID: Record<string, string> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty: send a JSON object.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not JSON.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    'The body is of a type that this path does not take: send JSON (Content-Type: application/json); to upload files, a form (multipart/form-data).',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body has another size than Content-Length says.',
  FST_PARTS_LIMIT: 'The form has too many parts.',
  FST_FIELDS_LIMIT: 'The form has too many fields.',
  FST_ERR_BAD_URL: 'The path is no valid URL path.',
};

/** How a failure is answered. What nobody foresaw is told to the log alone: the caller learns the number of the request. */
export function envelopeOf(error: unknown, id: string): Failure {
  if (isForeseen(error)) {
    const status = STATUS[error.code];
    const { error: said } = envelope(error);
    return { status, body: { error: { ...said, type: SAID_AS[error.code] ?? said.type } }, isOurs: false };
  }
  const { statusCode, code, message } = (error ?? {}) as { statusCode?: number; code?: string; message?: string };
  if (!(error instanceof KbError) && statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return refuse(statusCode, SAID[code ?? ''] ?? String(message));
  const text = `Something went wrong inside kb. The log of the server says what, under the request ${id}.`;
  return { status: 500, body: { error: { type: ERROR_TYPES.internal, message: text } }, isOurs: true };
}

/** Answers with the envelope; on OpenAI's paths in its shape. */
export function send(reply: FastifyReply, { status, body }: Failure): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(isOpenAiPath(reply.request.url) ? openAiError(status, body) : body);
}

const CODES: Record<number, string> = { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' };

/** Whether an address is one that OpenAI's clients ask, also if no route is found for it. */
const isOpenAiPath = (url: string): boolean => /^\/v1\/(?:chat\/completions|embeddings|models)(?:[/?]|$)/.test(url);

/** The exception envelope in the shape of OpenAI. */
export function openAiError(status: number, { error: { message } }: Envelope): OpenAiError {
  const isOurs = status >= 500 || status === 424;
  const param = status === 400 ? (/^([a-z_][\w.[\]]*): /.exec(message)?.[1] ?? null) : null; // validation names the field first
  return { error: { message, type: isOurs ? 'server_error' : 'invalid_request_error', param, code: CODES[status] ?? null } };
}
