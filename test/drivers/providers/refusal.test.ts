import { describe, expect, it } from 'vitest';
import { refusalIn } from '../../../src/drivers/providers/provider-errors.ts';

const read = (body: unknown, init: ResponseInit = { status: 400, statusText: 'Bad Request' }) =>
  refusalIn(new Response(null, init), typeof body === 'string' ? body : JSON.stringify(body));

describe('a refusal', () => {
  it('is read in the shape of each kind of service', () => {
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

  it('names the fields that are wrong', () => {
    const detail = [
      { type: 'missing', loc: ['body', 'texts'], msg: 'Field required', input: {} },
      { type: 'extra_forbidden', loc: ['body', 'user'], msg: 'Extra inputs are not permitted' },
    ];
    const expected = 'body.texts: Field required; body.user: Extra inputs are not permitted';
    expect(read({ detail }).message).toBe(expected);
    expect(read({ object: 'error', message: { detail } }).message).toBe(expected);
  });

  it('has the code that the service gave it, where that is a word', () => {
    expect(read({ error: { message: 'm', code: 'insufficient_quota' } }).code).toBe('insufficient_quota');
    expect(read({ message: 'm', code: '3210' }).code).toBe('3210');
    expect(read([{ error: { message: 'm', code: 400 } }])).not.toHaveProperty('code');
  });

  it('says something where the service says nothing', () => {
    for (const body of ['', {}, 'null', [], { error: null }]) expect([body, read(body).message]).toEqual([body, 'Bad Request']);
    expect(read('', { status: 500 }).message).toBe('no reason given');
  });

  it('tells where the service has moved, without what looks like a key', () => {
    const moved = read('', { status: 307, headers: { location: 'https://user:pass@elsewhere.example/v1?api_key=abc' } });
    expect(moved).toMatchObject({ status: 307, message: 'it is at https://elsewhere.example/v1 now' });
  });
});
