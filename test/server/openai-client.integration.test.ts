import { APIError, NotFoundError, OpenAI } from 'openai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../support/folder.ts';
import { openOpenAiServer, type Behaviour, type OpenAiServer } from '../support/openai-server.ts';
import { serveIn } from '../support/server.ts';
import type { Layer } from '../../src/core/settings.ts';

const QUESTION = 'How long does the warranty of the kettle run?';
const WARRANTY = '# Warranty\n\nThe warranty of the kettle runs for 27 months from the day of delivery.';
const messages = [{ role: 'user' as const, content: QUESTION }];

/** The official client of a server that holds two collections. */
async function client(options: Parameters<typeof serveIn>[1] = {}, apiKey = 'none') {
  const server = await serveIn(folder(), options);
  for (const [collection, text] of [
    ['default', WARRANTY],
    ['toasters', '# Heron\n\nThe warranty of the Heron toaster runs for 11 months.'],
  ]) {
    const body = { markdown: [{ text, source: `${collection}.md` }], storage: { collection } };
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await server.post('/v1/pipelines/ingest', body, { headers })).json).toMatchObject({ failed: 0 });
  }
  return { server, openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 }) };
}

/** A server whose answers a model writes. */
async function withModel(behaviour: Behaviour, settings: Layer = {}): Promise<{ model: OpenAiServer; openai: OpenAI }> {
  const model = await openOpenAiServer(behaviour);
  vi.stubEnv('OPENAI_API_KEY', 'k').stubEnv('OPENAI_BASE_URL', model.url);
  onTestFinished(async () => (vi.unstubAllEnvs(), await model.close()));
  const { openai } = await client({ settings: { chat: { llm: { provider: 'openai', model: 'gpt-test' } }, ...settings } });
  return { model, openai };
}

const failure = (asked: Promise<unknown>): Promise<APIError> =>
  asked.then(
    () => Promise.reject(new Error('no error')),
    (error: APIError) => error,
  );

describe("OpenAI's client", () => {
  it('asks a collection and gets an answer with citations and usage', async () => {
    const { openai } = await client();
    const { id, choices, usage, model } = await openai.chat.completions.create({ model: 'kb', messages, temperature: 0.2, user: 'u-1' });
    const [{ message, finish_reason } = {} as never] = choices;
    expect([id, model, finish_reason, message.role]).toEqual([expect.stringMatching(/^chatcmpl-/), 'kb', 'stop', 'assistant']);
    expect(message.content).toContain('27 months');
    expect(message.annotations).toMatchObject([{ type: 'file_citation', file_citation: { filename: 'default.md', title: 'Warranty' } }]);
    expect(usage!.prompt_tokens).toBeGreaterThan(0);
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
  });

  it('reads the same answer as a stream, with its usage on request', async () => {
    const { openai } = await client();
    const whole = await openai.chat.completions.create({ model: 'kb', messages });
    const stream = await openai.chat.completions.create({ model: 'kb', messages, stream: true, stream_options: { include_usage: true } });
    const chunks = await Array.fromAsync(stream);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta as { content?: string; annotations?: object[] }));
    expect(deltas.map(({ content = '' }) => content).join('')).toBe(whole.choices[0]!.message.content);
    expect(deltas.flatMap(({ annotations = [] }) => annotations)).toEqual(whole.choices[0]!.message.annotations);
    expect(chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason)).filter(Boolean)).toEqual(['stop']);
    expect([chunks[0]!.choices[0]!.delta.role, chunks.at(-1)!.choices, chunks.at(-1)!.usage]).toEqual(['assistant', [], whole.usage]);
    const final = await openai.chat.completions.stream({ model: 'kb', messages }).finalContent();
    expect(final).toBe(whole.choices[0]!.message.content);
  });

  it('sends the conversation: earlier turns as history, system messages as the persona', async () => {
    const { model, openai } = await withModel({ reply: () => 'It is so [1].' });
    const { choices } = await openai.chat.completions.create({
      model: 'toasters',
      max_tokens: 77,
      messages: [
        { role: 'system', content: 'Speak like a pirate.' },
        { role: 'user', content: 'I own a purple toaster.' },
        { role: 'assistant', content: 'Noted: purple.' },
        { role: 'user', content: [{ type: 'text', text: 'How long does the warranty of the Heron run?' }] },
      ],
    });
    expect(choices[0]!.message).toMatchObject({ content: 'It is so [1].', annotations: [{ file_citation: { filename: 'toasters.md' } }] });
    const { messages: sent, ...body } = model.requests.at(-1)!.body;
    for (const part of ['pirate', 'purple toaster', 'Noted: purple', '11 months']) expect(JSON.stringify(sent)).toContain(part);
    expect(Object.values(body)).toContain(77);
  });

  it('learns that an answer was cut off or a model failed, also in the middle of a stream', async () => {
    let end: 'length' | 'cut' = 'length';
    const { openai } = await withModel({ reply: () => ({ pieces: ['It is ', 'so [1].'], end }) });
    const { choices } = await openai.chat.completions.create({ model: 'kb', messages });
    expect(choices[0]!.finish_reason).toBe('length');
    end = 'cut';
    expect(await failure(openai.chat.completions.create({ model: 'kb', messages }))).toMatchObject({ status: 503, type: 'server_error' });
    const stream = await openai.chat.completions.create({ model: 'kb', messages, stream: true });
    expect(await failure(Array.fromAsync(stream))).toBeInstanceOf(APIError);
  });

  it('lists the collections as models', async () => {
    const { openai } = await client();
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(['kb', 'default', 'toasters']);
    expect(await openai.models.retrieve('toasters')).toMatchObject({ id: 'toasters', object: 'model', owned_by: 'kb' });
    expect(await failure(openai.models.retrieve('toaster'))).toMatchObject({ status: 404, message: expect.stringContaining('"toasters"') });
  });

  it('embeds texts, as numbers and as base64', async () => {
    const { openai } = await client({ settings: { embedding: { provider: 'local' } } });
    const input = ['The kettle whistles.', 'A kettle is whistling.', 'Tax law of Norway.'];
    const ask = (encoding_format: 'float' | 'base64') => openai.embeddings.create({ model: 'all-minilm-l6-v2', input, encoding_format });
    const [floats, packed] = [await ask('float'), await ask('base64')];
    const [a, b, c] = floats.data.map(({ embedding }) => embedding);
    const dot = (one: number[], other: number[]) => one.reduce((sum, value, i) => sum + value * other[i]!, 0);
    expect([floats.data.map(({ index }) => index), a!.length, dot(a!, b!) > dot(a!, c!)]).toEqual([[0, 1, 2], 384, true]);
    const bytes = Buffer.from(packed.data[0]!.embedding as unknown as string, 'base64');
    expect([...new Float32Array(new Uint8Array(bytes).buffer)]).toEqual(a!.map((value) => Math.fround(value)));
    const { data } = await openai.embeddings.create({ model: 'all-minilm-l6-v2', input: input[0]! }); // the client asks for base64 and unpacks it
    expect(data[0]!.embedding.length).toBe(384);
    expect(floats.usage.prompt_tokens).toBeGreaterThan(0);
  });

  it('may name a model of OpenAI for the configured one, but no dimensions that it does not make', async () => {
    const { openai } = await client({ settings: { embedding: { provider: 'local' } } });
    const embed = (body: object) => openai.embeddings.create({ model: 'text-embedding-3-small', input: 'The kettle.', ...body } as never);
    expect((await embed({ dimensions: 384 })).data[0]!.embedding.length).toBe(384);
    for (const dimensions of [128, 1536]) expect(await failure(embed({ dimensions }))).toMatchObject({ status: 400, param: 'dimensions' });
    expect(await failure(embed({ model: 'text-embedding-9' }))).toMatchObject({ status: 404 });
  });

  it('may send the tokens of texts, as LangChain does', async () => {
    const { openai } = await client({ settings: { embedding: { provider: 'local' } } });
    const text = 'How long is the warranty? Größe 漢字';
    const tokens = [4438, 1317, 374, 279, 8642, 30, 2895, 80040, 6704, 120, 95, 19113];
    const embed = async (input: unknown) =>
      (await openai.embeddings.create({ model: 'text-embedding-3-small', input } as never)).data.map(({ embedding }) => embedding);
    const [whole, short] = await embed([text, 'How long is the warranty?']);
    expect(await embed(tokens)).toEqual([whole]);
    expect(await embed([tokens, tokens.slice(0, 6)])).toEqual([whole, short]);
    const unknown = openai.embeddings.create({ model: 'text-embedding-3-small', input: [1_000_000] });
    expect(await failure(unknown)).toMatchObject({ status: 400, message: expect.stringContaining('1000000 is no token') });
  });

  it('gets an answer to the text beside pictures and sounds', async () => {
    const { openai } = await client();
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const question = { type: 'text', text: String(messages.at(-1)!.content) };
    const ask = (...turns: object[]) => openai.chat.completions.create({ model: 'kb', messages: turns as never });
    for (const turns of [
      [{ role: 'user', content: [picture, question] }],
      [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, question] }],
      [
        { role: 'user', content: [picture] },
        { role: 'assistant', content: 'A kettle.' },
        { role: 'user', content: [question] },
      ],
    ])
      expect((await ask(...turns)).choices[0]!.message.content).toContain('27 months');
    const error = await failure(ask({ role: 'user', content: [question] }, { role: 'user', content: [picture] }));
    expect(error).toMatchObject({ status: 400, param: 'messages' });
  });

  it('gets errors in its own shape', async () => {
    const { openai } = await client();
    const chat = (body: object) => failure(openai.chat.completions.create({ model: 'kb', messages, ...body } as never));
    const unknown = await chat({ model: 'gpt-4o' });
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect([unknown.code, unknown.type, unknown.message]).toEqual([
      'model_not_found',
      'invalid_request_error',
      expect.stringContaining('gpt-4o'),
    ]);
    expect(await chat({ model: 'gpt-4o', stream: true })).toBeInstanceOf(NotFoundError);
    expect(await chat({ messages: undefined })).toMatchObject({ status: 400, param: 'messages' });
    expect(await chat({ messages: [{ role: 'system', content: 'Be brief.' }] })).toMatchObject({ status: 400, param: 'messages' });
    expect(await chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] })).toMatchObject({
      status: 400,
    });
    const embed = (body: object) => failure(openai.embeddings.create({ model: 'all-minilm-l6-v2', input: 'x', ...body } as never));
    expect(await embed({})).toMatchObject({ status: 404, message: expect.stringContaining('keyword') });
    expect(await embed({ input: undefined })).toMatchObject({ status: 400, param: 'input' });
  });

  it('needs a token of the server, and sees only its collections', async () => {
    const tokens = {
      chief: { scopes: ['read' as const, 'write' as const], collections: ['*'] },
      guest: { scopes: ['read' as const], collections: ['toasters'] },
    };
    const { server, openai } = await client({ tokens }, 'chief');
    expect((await openai.models.list()).data.length).toBe(3);
    const as = (apiKey: string) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
    expect(await failure(as('sk-other').models.list())).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect((await as('guest').models.list()).data.map(({ id }) => id)).toEqual(['toasters']);
    for (const model of ['kb', 'default'])
      expect(await failure(as('guest').chat.completions.create({ model, messages }))).toMatchObject({
        status: 404,
        message: expect.not.stringContaining('27 months'),
      });
  });
});
