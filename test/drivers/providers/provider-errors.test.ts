import { describe, expect, it } from 'vitest';
import { retryAfter, providerError, parseErrorResponse } from '../../../src/drivers/providers/provider-errors.ts';

const asked = {
  provider: 'openai',
  model: 'm',
  base_url: 'http://user:secret@127.0.0.1:9/v1',
  key: 'sk-test-1234567890',
  key_variable: 'OPENAI_API_KEY',
};
const refused = (status: number, message = 'no', code?: string) =>
  providerError(
    Object.assign(new Error(`${status} ${message}`), { status, code, error: { message, code }, headers: new Headers() }),
    asked,
  );

describe('an error response', () => {
  it('is retryable for status 408, 409, 429 and 5xx only', () => {
    for (const status of [408, 409, 429, 500, 502, 503, 529])
      expect([status, refused(status).isRetryable, refused(status).code]).toEqual([status, true, 'unavailable']);
    for (const status of [400, 401, 403, 404, 413, 422]) expect([status, refused(status).isRetryable]).toEqual([status, false]);
  });

  it('gets a code that tells the caller what to do', () => {
    expect([400, 401, 402, 403, 404, 413, 422].map((status) => refused(status).code)).toEqual([
      'invalid',
      'unauthorized',
      'unauthorized',
      'unauthorized',
      'configuration',
      'too_large',
      'invalid',
    ]);
    expect(refused(400, 'The model `m` does not exist', 'model_not_found').code).toBe('configuration');
  });

  it('is not retryable if the quota is used up', () => {
    const error = refused(429, 'You exceeded your current quota', 'insufficient_quota');
    expect([error.code, error.isRetryable]).toEqual(['unauthorized', false]);
  });

  it('is recognized as too large in the words of several servers', () => {
    for (const message of [
      "This model's maximum context length is 8192 tokens, however you requested 10000 tokens",
      'Invalid input: maximum request size is 300000 tokens per request.',
      'batch size 64 > maximum allowed batch size 32',
      'input is too large to process. increase the physical batch size',
      '`inputs` must have less than 512 tokens. Given: 600',
    ]) {
      expect([message, refused(400, message).code]).toEqual([message, 'too_large']);
    }
    expect(refused(400, "'input' holds a character that is not allowed").code).toBe('invalid');
  });

  it('is recognized as a conversation that does not fit in each dialect', () => {
    for (const message of [
      'Your input exceeds the context window of this model. Please adjust your input and try again.', // OpenAI
      'prompt is too long: 208310 tokens > 200000 maximum', // Anthropic
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000', // Anthropic
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', // Gemini
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', // Mistral
      'Please reduce the length of the messages or completion.', // Groq
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', // vLLM
      'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', // llama.cpp
      'the input length exceeds the context length', // Ollama
      'Trying to keep the first 5000 tokens when context the overflows.', // LM Studio
    ]) {
      expect([message, refused(400, message).code]).toEqual([message, 'too_large']);
    }
    expect(refused(400, 'no', 'context_length_exceeded').code).toBe('too_large');
    expect(refused(500, 'input is too large to process. increase the physical batch size').code).toBe('too_large');
  });

  it("is not taken for an oversized conversation if max_tokens is above the model's limit", () => {
    for (const message of [
      'max_tokens is too large: 999999. This model supports at most 16384 completion tokens, whereas you provided 999999.',
      'max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5',
    ]) {
      expect(refused(400, message)).toMatchObject({ code: 'invalid', hint: 'Set chat.llm.max_tokens lower.' });
    }
  });

  it("is not retryable if the request exceeds the account's limit per minute", () => {
    const much = refused(
      429,
      'Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced.',
    );
    expect([much.code, much.isRetryable]).toEqual(['too_large', false]);
    const later = refused(
      429,
      'Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.',
    );
    expect([later.code, later.isRetryable, later.retryAfter]).toEqual(['unavailable', true, 6]);
  });

  it('is classified within a stream by its status or type', () => {
    const within = (error: object | string) => providerError({ message: 'it', error }, asked);
    expect(within({ code: 502, message: 'Provider returned error' })).toMatchObject({ code: 'unavailable', isRetryable: true });
    expect(within({ type: 'overloaded_error', message: 'Overloaded' })).toMatchObject({ code: 'unavailable', isRetryable: true });
    expect(within({ type: 'invalid_request_error', message: 'no' })).toMatchObject({ code: 'invalid', isRetryable: false });
    expect(within({ code: 'insufficient_quota', message: 'no' })).toMatchObject({ code: 'unauthorized', isRetryable: false });
    expect(within({ code: 'context_length_exceeded', message: 'no' }).code).toBe('too_large');
    expect(within('gone')).toMatchObject({ code: 'unavailable', message: 'openai broke off with 500: it.' });
  });

  it('never leads to a message with the key or a part of it', () => {
    const { message, hint } = refused(401, 'Incorrect API key provided: sk-test-1234567890 (sk-te***7890).');
    expect(`${message} ${hint}`).not.toMatch(/sk-te|7890/);
    expect(message).toBe('openai answered 401: Incorrect API key provided: … (…).');
    expect(hint).toContain('OPENAI_API_KEY');
  });

  it('never leads to a message with the secrets of an address', () => {
    for (const [said, told] of [
      [
        'a URL that includes credentials: http://user:hunter2secret@127.0.0.1:9/v1/chat',
        'a URL that includes credentials: http://127.0.0.1:9/v1/chat.',
      ],
      ['Ask (https://models.example/v1?api_key=hunter2secret&page=2).', 'Ask (https://models.example/v1?page=2).'],
      ['Is it ftp://me:hunter2secret@files.example?', 'Is it ftp://files.example?'],
    ] as const)
      expect(refused(400, said).message).toBe(`openai answered 400: ${told}`);
    const cause = new TypeError('Cannot be constructed: https://hunter2secret@models.example/v1');
    expect(providerError(new Error('Connection error.', { cause }), asked).message).toMatch(
      /: Cannot be constructed: https:\/\/models\.example\/v1\.$/,
    );
  });

  it('is shortened if it is a whole page', () => {
    expect(refused(502, `<html>${'x '.repeat(5000)}`).message.length).toBeLessThan(350);
  });
});

describe('a missing response', () => {
  it('is retryable, with the address without its password and the root cause', () => {
    const cause = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
    const error = providerError(new Error('Connection error.', { cause }), asked);
    expect([error.code, error.isRetryable]).toEqual(['unavailable', true]);
    expect(error.message).toBe('openai did not answer at http://127.0.0.1:9/v1: connect ECONNREFUSED 127.0.0.1:9.');
  });

  it('becomes an abort if the work was aborted', () => {
    const error = providerError(new Error('Request was aborted.'), { ...asked, signal: AbortSignal.abort() });
    expect([error.code, error.isRetryable]).toEqual(['aborted', false]);
  });
});

describe('retryAfter', () => {
  it('reads seconds, milliseconds and dates', () => {
    expect(retryAfter(new Headers({ 'retry-after': '2' }))).toBe(2);
    expect(retryAfter(new Headers({ 'retry-after-ms': '250', 'retry-after': '9' }))).toBe(0.25);
    const inTen = retryAfter(new Headers({ 'retry-after': new Date(Date.now() + 10_000).toUTCString() }))!;
    expect(inTen).toBeGreaterThan(5);
    expect(inTen).toBeLessThanOrEqual(10);
    expect(retryAfter(new Headers({ 'retry-after': new Date(0).toUTCString() }))).toBe(0);
    for (const headers of [undefined, new Headers(), new Headers({ 'retry-after': 'soon' })]) expect(retryAfter(headers)).toBeUndefined();
  });

  it('reads the delay in the message if there is no header', () => {
    expect(retryAfter(undefined, 'Please try again in 20s. Visit …')).toBe(20);
    expect(retryAfter(new Headers(), 'Please retry in 34.07s.')).toBe(34.07);
    expect(retryAfter(new Headers(), 'Please try again in 6ms.')).toBe(0.006);
    expect(retryAfter(new Headers({ 'retry-after': '2' }), 'try again in 9s')).toBe(2);
    expect(retryAfter(new Headers(), 'Try again in a second.')).toBeUndefined();
  });
});

const read = (body: unknown, init: ResponseInit = { status: 400, statusText: 'Bad Request' }) =>
  parseErrorResponse(new Response(null, init), typeof body === 'string' ? body : JSON.stringify(body));

describe('parseErrorResponse', () => {
  it('reads the form of each kind of service', () => {
    const said = 'The words.';
    const shapes: unknown[] = [
      { error: { message: said, type: 'invalid_request_error', param: null, code: null } }, // OpenAI
      [{ error: { code: 400, message: said, status: 'INVALID_ARGUMENT' } }], // Gemini
      { type: 'error', error: { type: 'invalid_request_error', message: said } }, // Anthropic
      { error: said, error_type: 'Validation' }, // text-embeddings-inference
      { id: '1', message: said }, // Cohere
      { object: 'error', message: said, type: 'invalid_request_prompt', code: '3210' }, // Mistral
      { detail: said }, // Voyage, Jina
      said, // a proxy
      `<html><body>${said}</body></html>`,
    ];
    expect(shapes.map((shape) => [shape, read(shape).message])).toEqual(shapes.map((shape) => [shape, said]));
  });

  it('names the invalid fields', () => {
    const detail = [
      { type: 'missing', loc: ['body', 'texts'], msg: 'Field required', input: {} },
      { type: 'extra_forbidden', loc: ['body', 'user'], msg: 'Extra inputs are not permitted' },
    ];
    const expected = 'body.texts: Field required; body.user: Extra inputs are not permitted';
    expect(read({ detail }).message).toBe(expected);
    expect(read({ object: 'error', message: { detail } }).message).toBe(expected);
  });

  it("keeps the service's code if that is a word", () => {
    expect(read({ error: { message: 'm', code: 'insufficient_quota' } }).code).toBe('insufficient_quota');
    expect(read({ message: 'm', code: '3210' }).code).toBe('3210');
    expect(read([{ error: { message: 'm', code: 400 } }])).not.toHaveProperty('code');
  });

  it('gives a reason even if the service gives none', () => {
    for (const body of ['', {}, 'null', [], { error: null }]) expect([body, read(body).message]).toEqual([body, 'Bad Request']);
    expect(read('', { status: 500 }).message).toBe('no reason given');
  });

  it('names the new address of the service, without anything that looks like a key', () => {
    const moved = read('', { status: 307, headers: { location: 'https://user:pass@elsewhere.example/v1?api_key=abc' } });
    expect(moved).toMatchObject({ status: 307, message: 'it is at https://elsewhere.example/v1 now' });
  });
});
