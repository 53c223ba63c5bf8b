import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/base/errors.ts';
import { accessTo, defaultModel, missingKey, providers } from '../../src/drivers/providers.ts';

const KEYS = { OPENAI_API_KEY: 'key-of-openai' };

function refusal(work: () => unknown): KbError {
  try {
    work();
  } catch (error) {
    if (error instanceof KbError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('openai', () => {
  it('is asked at its own address with the key of the environment', () => {
    const access = accessTo({ provider: 'openai', env: KEYS }, 'embedding');
    expect(access).toMatchObject({
      base_url: 'https://api.openai.com/v1',
      key: 'key-of-openai',
      model: 'text-embedding-3-small',
      is_own_address: true,
    });
  });

  it('is asked elsewhere where OPENAI_BASE_URL or the configuration says so, the configuration first', () => {
    const env = { ...KEYS, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect(accessTo({ provider: 'openai', env }, 'embedding')).toMatchObject({ base_url: 'http://127.0.0.1:1/v1', is_own_address: false });
    const options = { base_url: 'http://127.0.0.1:2/v1' };
    expect(accessTo({ provider: 'openai', options, env }, 'chat.llm').base_url).toBe('http://127.0.0.1:2/v1');
  });

  it('without a key is a setup error that names the variable', () => {
    for (const env of [{}, { OPENAI_API_KEY: '' }]) {
      const error = refusal(() => accessTo({ provider: 'openai', env }, 'chat.llm'));
      expect(error.code).toBe('setup');
      expect(error.message).toContain('OPENAI_API_KEY');
    }
    expect(missingKey('openai', {})).toContain('OPENAI_API_KEY');
    expect(missingKey('openai', KEYS)).toBeUndefined();
  });
});

describe('openai_compatible', () => {
  const options = { base_url: 'http://127.0.0.1:8080/v1' };

  it('needs an address and a model, and says where they are set', () => {
    const noAddress = refusal(() => accessTo({ provider: 'openai_compatible', model: 'm', env: KEYS }, 'embedding'));
    expect([noAddress.code, noAddress.message]).toEqual([
      'configuration',
      'The provider openai_compatible needs embedding.options.base_url.',
    ]);
    const noModel = refusal(() => accessTo({ provider: 'openai_compatible', options, env: KEYS }, 'chat.llm'));
    expect([noModel.code, noModel.message]).toEqual(['configuration', 'The provider openai_compatible needs chat.llm.model.']);
  });

  it('takes no address from OPENAI_BASE_URL', () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect(refusal(() => accessTo({ provider: 'openai_compatible', model: 'm', env }, 'embedding')).code).toBe('configuration');
  });

  it('is asked with its own key, else that of openai, else none', () => {
    const keyWith = (env: NodeJS.ProcessEnv) => accessTo({ provider: 'openai_compatible', model: 'm', options, env }, 'embedding').key;
    expect(keyWith({ ...KEYS, OPENAI_COMPATIBLE_API_KEY: 'own' })).toBe('own');
    expect(keyWith(KEYS)).toBe('key-of-openai');
    expect(keyWith({})).toBeUndefined();
    expect(missingKey('openai_compatible', {})).toBeUndefined();
  });
});

describe('options', () => {
  it('that are not right are refused by name', () => {
    for (const [options, name] of [
      [{ base_url: 'localhost:80' }, 'base_url'],
      [{ base_url: 'file:///etc' }, 'base_url'],
      [{ dimensions: 0 }, 'dimensions'],
    ] as const) {
      const error = refusal(() => accessTo({ provider: 'openai', options, env: KEYS }, 'embedding'));
      expect([error.code, error.message.includes(`embedding.options.${name}`)]).toEqual(['configuration', true]);
    }
  });

  it('that kb does not know go into the request', () => {
    const options = { base_url: 'http://127.0.0.1:1', dimensions: 64, user: 'kb' };
    expect(accessTo({ provider: 'openai', options, env: KEYS }, 'embedding')).toMatchObject({ dimensions: 64, parameters: { user: 'kb' } });
  });
});

it('every provider has an address or none of its own models, and a name for its key', () => {
  for (const [name, row] of Object.entries(providers)) {
    expect(row.key_variables[0]).toMatch(/^[A-Z_]+_API_KEY$/);
    if (!row.base_url) expect([name, defaultModel(name, 'embedding'), defaultModel(name, 'llm')]).toEqual([name, '', '']);
  }
  expect(defaultModel('local', 'llm')).toBe('');
});
