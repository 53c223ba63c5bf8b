import type { FastifyReply } from 'fastify';
import { toEnvelope, ERROR_TYPES, isForeseen, KbError, type ErrorCode } from '../core/errors.ts';
import type { Envelope, OpenAiError } from '../schema/http-bodies.ts';

/**
 * HTTP status of each error code (contract, section 4). If a provider refuses the operator's key, the setup is wrong, not the rights of the
 * caller. If a store or provider refuses or fails, the request is not at fault, so the status is 5xx.
 */
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

/** Error types that differ over HTTP. */
const HTTP_ERROR_TYPES: Partial<Record<ErrorCode, string>> = { unauthorized: ERROR_TYPES.setup, invalid: ERROR_TYPES.internal };

/** Error types for statuses that the server itself chooses. */
const STATUS_TYPES: Record<number, string> = {
  400: ERROR_TYPES.usage,
  401: ERROR_TYPES.unauthorized,
  403: ERROR_TYPES.forbidden,
  404: ERROR_TYPES.not_found,
  405: 'MethodNotAllowedError',
  413: ERROR_TYPES.too_large,
  415: 'UnsupportedMediaTypeError',
  429: 'RateLimitError',
};

/** An error response. */
export interface Failure {
  status: number;
  body: Envelope;
  /** Whether it is a fault of kb, which is logged with its stack. */
  isServerFault: boolean;
}

/** Makes an error response with this status and message. */
export const makeFailure = (status: number, message: string): Failure => ({
  status,
  body: { error: { type: STATUS_TYPES[status] ?? ERROR_TYPES.internal, message } },
  isServerFault: false,
});

/** Messages for the error codes of Fastify and its plugins, with what to do. */
const FASTIFY_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty: send a JSON object.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not JSON.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE:
    'The body is of a type that this path does not take: send JSON (Content-Type: application/json); to upload files, a form (multipart/form-data).',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body has another size than Content-Length says.',
  FST_PARTS_LIMIT: 'The form has too many parts.',
  FST_FIELDS_LIMIT: 'The form has too many fields.',
  FST_ERR_BAD_URL: 'The path is no valid URL path.',
};

/** Makes the response to an error. The details of an unforeseen error go to the log only: the caller gets the id of the request. */
export function toFailure(error: unknown, id: string): Failure {
  if (isForeseen(error)) {
    const status = STATUS[error.code];
    const { error: reported } = toEnvelope(error);
    return { status, body: { error: { ...reported, type: HTTP_ERROR_TYPES[error.code] ?? reported.type } }, isServerFault: false };
  }
  const { statusCode, code, message } = (error ?? {}) as { statusCode?: number; code?: string; message?: string };
  if (!(error instanceof KbError) && statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return makeFailure(statusCode, FASTIFY_MESSAGES[code ?? ''] ?? String(message));
  const text = `Something went wrong inside kb. The log of the server says what, under the request ${id}.`;
  return { status: 500, body: { error: { type: ERROR_TYPES.internal, message: text } }, isServerFault: true };
}

/** Sends an error response, in OpenAI's shape on OpenAI's paths. */
export function sendFailure(reply: FastifyReply, { status, body }: Failure): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(
      isOpenAiPath(reply.request.url)
        ? openAiError(status, body)
        : isUnreadableMessage(reply.request.url, status)
          ? rpcError(status, body)
          : body,
    );
}

/** Whether a message to /mcp could not be read: clients of JSON-RPC expect its errors. */
const isUnreadableMessage = (url: string, status: number): boolean => /^\/mcp(?:[/?]|$)/.test(url) && [400, 408, 413, 415].includes(status);

/** Converts the exception envelope to an error of JSON-RPC without an id. */
const rpcError = (status: number, { error: { message } }: Envelope): object => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: status === 400 ? -32_700 : -32_600, message },
});

const CODES: Record<number, string> = { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' };

/** Whether an address belongs to OpenAI's API, even if there is no route for it. */
const isOpenAiPath = (url: string): boolean => /^\/v1\/(?:chat\/completions|embeddings|models)(?:[/?]|$)/.test(url);

/** Converts the exception envelope to OpenAI's shape. */
export function openAiError(status: number, { error: { message } }: Envelope): OpenAiError {
  const isOurs = status >= 500 || status === 424;
  const param = status === 400 ? (/^([a-z_][\w.[\]]*): /.exec(message)?.[1] ?? null) : null; // validation names the field first
  return { error: { message, type: isOurs ? 'server_error' : 'invalid_request_error', param, code: CODES[status] ?? null } };
}
