import { afterEach, describe, expect, it, vi } from 'vitest';
import { findProvider, providersOf } from '../../../src/drivers/providers/providers.ts';
import { drivers } from '../../../src/drivers/registry.ts';
import { openAnthropicLlm } from '../../../src/drivers/llms/anthropic.ts';
import { openOllamaLlm } from '../../../src/drivers/llms/ollama.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { openAnthropicServer } from '../../support/anthropic-server.ts';
import { ask, read } from '../../support/heard.ts';
import { openOllamaServer } from '../../support/ollama-server.ts';
import { openOpenAiServer } from '../../support/openai-server.ts';

// Every row of the table against the server of its dialect, found through its own variable.

type Answer = string | { status: number; headers?: Record<string, string> };

const dialects = {
  openai: {
    serve: (reply: (count: number) => Answer) => openOpenAiServer({ reply: (_request, count) => reply(count) }),
    open: openOpenAiLlm,
  },
  ollama: {
    serve: (reply: (count: number) => Answer) => openOllamaServer({ reply }),
    open: openOllamaLlm,
  },
  anthropic: {
    serve: (reply: (count: number) => Answer) => openAnthropicServer((_request, count) => reply(count)),
    open: openAnthropicLlm,
  },
};
const KEY = 'test-key-1234567890';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function open(name: string, reply: (count: number) => Answer) {
  const { llm, base_url_variable, key_variables, is_keyless } = findProvider(name)!;
  const server = await dialects[llm!.dialect].serve(reply);
  ({ close } = server);
  const env = { [base_url_variable]: server.url, ...(!is_keyless && { [key_variables[0]]: KEY }) };
  const model = llm!.model ? {} : { model: 'own' };
  return { server, row: llm!, env, llm: await dialects[llm!.dialect].open({ provider: name, ...model, env }) };
}

describe.each(providersOf('llm'))('the language model of %s', (name) => {
  it('streams an answer of its default model, with the token counts', async () => {
    const { llm, server, row } = await open(name, () => 'It is so.');
    const { pieces, usage } = await read(ask(llm));
    expect([pieces, usage]).toEqual([['It ', 'is ', 'so.'], { input_tokens: row.dialect === 'anthropic' ? 16 : 1100, output_tokens: 7 }]);
    const [{ body }] = server.requests as [(typeof server.requests)[0]];
    expect([llm.provider, llm.model]).toEqual([name, row.model ?? 'own']);
    expect(body).toMatchObject({ model: llm.model, stream: true, ...('parameters' in row && row.parameters) });
    const limits = Object.entries({ ...body, ...(body.options as object) }).filter(([field]) => /^max_|^num_predict/.test(field));
    const limitNames = { openai: 'max_tokens_name' in row ? row.max_tokens_name : '', anthropic: 'max_tokens', ollama: 'num_predict' };
    expect(limits).toEqual([[limitNames[row.dialect], 77]]);
    expect('stream_options' in body).toBe('usage' in row && row.usage === 'on_request');
  });

  it('sends only the key of the provider, and none if it needs none', async () => {
    const { llm, server, row } = await open(name, () => 'So.');
    await read(ask(llm));
    const { authorization, 'x-api-key': apiKey } = server.requests[0]!.headers;
    const key = findProvider(name)!.is_keyless ? undefined : KEY;
    expect([authorization, apiKey]).toEqual(row.dialect === 'anthropic' ? [undefined, key] : [key && `Bearer ${key}`, undefined]);
  });

  it('retries if the provider is busy, but not if it refuses the key', async () => {
    const { llm } = await open(name, (count) => (count === 1 ? { status: 429, headers: { 'retry-after': '0' } } : 'At last.'));
    expect((await read(ask(llm))).pieces.join('')).toBe('At last.');
    await close?.();
    const refused = await open(name, () => ({ status: 401 }));
    const { error } = await read(ask(refused.llm));
    expect([error, refused.server.requests.length]).toEqual([expect.objectContaining({ code: 'unauthorized', attempts: 1 }), 1]);
  });

  it('does not send parameters of the default model to other models', async () => {
    const { server, env, row } = await open(name, () => 'So.');
    await read(ask(await dialects[row.dialect].open({ provider: name, model: 'another', env })));
    const fields = Object.keys(server.requests[0]!.body);
    for (const field of Object.keys(('parameters' in row && row.parameters) || {})) expect(fields).not.toContain(field);
  });
});

it('opens each provider with the driver of its dialect', async () => {
  for (const name of providersOf('llm')) {
    const { key_variables, base_url_variable } = findProvider(name)!;
    vi.stubEnv(key_variables[0], KEY);
    vi.stubEnv(base_url_variable, 'http://127.0.0.1:1/v1');
    expect(await drivers.llms[name].open({ provider: name, model: 'm' })).toMatchObject({ provider: name, model: 'm' });
  }
  vi.unstubAllEnvs();
});
