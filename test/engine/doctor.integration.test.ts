import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { findProvider, providersOf } from '../../src/drivers/providers/providers.ts';
import { engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openOllamaServer } from '../support/ollama-server.ts';
import { openAnthropicServer } from '../support/anthropic-server.ts';

async function checksWith(settings: Layer, connections = false): Promise<Record<string, { status: string; message: string }>> {
  const engine = engineIn(folder(), settings);
  const { checks } = await result(engine, 'doctor', { connections });
  return Object.fromEntries(checks.map(({ name, ...finding }) => [name, finding]));
}

const asking = (kind: string, provider: string): Layer =>
  kind === 'llm'
    ? { ...WORDS, chat: { llm: { provider } } }
    : kind === 'embedding'
      ? { embedding: { provider } }
      : { ...WORDS, rerank: { enabled: true, provider } };
const CHECKS = { llm: 'chat', embedding: 'embedding', rerank: 'rerank' };

beforeEach(() => {
  for (const kind of ['llm', 'embedding', 'rerank'] as const)
    for (const name of providersOf(kind)) for (const variable of findProvider(name)!.key_variables) vi.stubEnv(variable, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

describe.each(['llm', 'embedding', 'rerank'] as const)('the check of the %s provider', (kind) => {
  const closed = providersOf(kind).filter((name) => !findProvider(name)!.is_keyless);

  it.each(closed)('%s names the missing key, and how to set it', async (name) => {
    const [variable] = findProvider(name)!.key_variables;
    const { [CHECKS[kind]]: check } = await checksWith(asking(kind, name));
    expect(check).toMatchObject({ status: 'failed', message: expect.stringContaining(`export ${variable}=`) });
  });

  it.each(closed)('%s says that the key is set, but never the key', async (name) => {
    vi.stubEnv(findProvider(name)!.key_variables[0], 'a-key-that-is-secret');
    const { [CHECKS[kind]]: check } = await checksWith(asking(kind, name));
    expect(check).toMatchObject({ status: 'ok', message: expect.stringMatching(new RegExp(`^${name} / .+: the key is set`)) });
    expect(JSON.stringify(check)).not.toContain('secret');
  });
});

describe('kb doctor', () => {
  it('offers a running Ollama with its installed models, by what they do', async () => {
    vi.stubEnv('OLLAMA_BASE_URL', 'http://127.0.0.1:9');
    expect((await checksWith(WORDS)).ollama).toBeUndefined();
    const capabilities = { writer: ['completion', 'thinking'], 'nomic-embed-text': ['embedding'] };
    const server = await openOllamaServer({ installed: Object.keys(capabilities), capabilities });
    onTestFinished(() => server.close());
    vi.stubEnv('OLLAMA_BASE_URL', server.url);
    expect((await checksWith(WORDS)).ollama).toEqual({
      status: 'ok',
      message: `runs at ${server.url}; writer can answer (chat.llm.provider: ollama, chat.llm.model); nomic-embed-text can embed (embedding.provider: ollama, embedding.model)`,
    });
  });

  it('finds no problem without keys', async () => {
    const checks = await checksWith({ ...WORDS, chat: { llm: { provider: 'ollama' } } });
    expect(checks.chat).toEqual({ status: 'ok', message: 'ollama / gemma3: needs no key (--connections asks the provider)' });
    expect(checks.rerank).toMatchObject({ status: 'ok', message: expect.stringMatching(/^off/) });
  });

  it('names the unset variable of a site or an API, and no secret', async () => {
    const sites = (given: object): Layer => ({ ...WORDS, network: { sites: [{ origin: 'https://wiki.example', ...given }] } });
    expect((await checksWith(WORDS)).sites).toMatchObject({ status: 'ok', message: expect.stringMatching(/^none/) });
    expect((await checksWith(sites({ basic_auth: 'ann:s3cret' }))).sites).toEqual({
      status: 'ok',
      message: '1 origin is given what network.sites says',
    });
    for (const settings of [
      sites({ basic_auth: 'ann:${NO_SUCH}' }),
      { ...WORDS, ingestion: { api: { headers: { 'X-Key': '${NO_SUCH}' } } } },
      { ...WORDS, ingestion: { api: { body: { filter: [{ key: '${NO_SUCH}' }] } } } },
    ])
      expect((await checksWith(settings)).sites).toMatchObject({
        status: 'failed',
        message: expect.stringContaining('the variable NO_SUCH'),
      });
  });

  it('says that a model that only quotes cannot rerank', async () => {
    const checks = await checksWith({ ...WORDS, rerank: { enabled: true, provider: 'llm' } });
    expect(checks.rerank).toMatchObject({ status: 'failed', message: expect.stringContaining('chat.llm.provider') });
  });

  it('calls the provider with --connections, and reports its response', async () => {
    const server = await openAnthropicServer((_request, count) =>
      count === 1 ? 'Yes.' : { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
    );
    vi.stubEnv('ANTHROPIC_API_KEY', 'a-key-that-is-secret');
    vi.stubEnv('ANTHROPIC_BASE_URL', server.url);
    try {
      const settings = asking('llm', 'anthropic');
      expect((await checksWith(settings, true)).chat).toEqual({ status: 'ok', message: 'anthropic / claude-haiku-4-5: answers' });
      expect((await checksWith(settings, true)).chat).toMatchObject({
        status: 'failed',
        message: expect.stringContaining('ANTHROPIC_API_KEY'),
      });
    } finally {
      await server.close();
    }
  });
});
