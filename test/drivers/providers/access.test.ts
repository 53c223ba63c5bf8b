import { describe, expect, it } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { resolveAccess } from '../../../src/drivers/providers/access.ts';

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
  it('uses its own address and the key of the environment', () => {
    expect(resolveAccess({ provider: 'openai', env: KEYS }, 'embedding')).toMatchObject({
      base_url: 'https://api.openai.com/v1',
      key: 'key-of-openai',
      model: 'text-embedding-3-small',
      is_own_address: true,
    });
  });

  it('uses the address of the configuration, else that of OPENAI_BASE_URL', () => {
    const env = { ...KEYS, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/' };
    expect(resolveAccess({ provider: 'openai', env }, 'embedding')).toMatchObject({
      base_url: 'http://127.0.0.1:1/v1',
      is_own_address: false,
    });
    const options = { base_url: 'http://127.0.0.1:2/v1' };
    expect(resolveAccess({ provider: 'openai', options, env }, 'llm').base_url).toBe('http://127.0.0.1:2/v1');
  });

  it('fails without a key with a setup error that names the variable', () => {
    for (const env of [{}, { OPENAI_API_KEY: '' }, { OPENAI_API_KEY: ' \n' }]) {
      const error = refusal(() => resolveAccess({ provider: 'openai', env }, 'llm'));
      expect([error.code, error.hint?.includes('export OPENAI_API_KEY=')]).toEqual(['setup', true]);
    }
  });
});

describe('a key', () => {
  const keyIn = (OPENAI_API_KEY: string) => resolveAccess({ provider: 'openai', env: { OPENAI_API_KEY } }, 'llm').key;

  it('is read without a line break', () => {
    expect(keyIn(' secret\r\n')).toBe('secret');
  });

  it('is refused without being repeated if no header can hold it', () => {
    for (const key of ['sec\nret', 'secr\u00e9t', 'sec\u200bret']) {
      const error = refusal(() => keyIn(key));
      expect([error.code, error.message]).toEqual(['setup', 'OPENAI_API_KEY holds characters that are part of no key.']);
    }
  });

  it('is read from the first variable that is set', () => {
    const keyWith = (env: NodeJS.ProcessEnv) => resolveAccess({ provider: 'gemini', env }, 'llm');
    expect(keyWith({ GOOGLE_API_KEY: 'g' })).toMatchObject({ key: 'g', key_variable: 'GOOGLE_API_KEY' });
    expect(keyWith({ GOOGLE_API_KEY: 'g', GEMINI_API_KEY: 'own' })).toMatchObject({ key: 'own', key_variable: 'GEMINI_API_KEY' });
  });
});

describe('openai_compatible', () => {
  const options = { base_url: 'http://127.0.0.1:8080/v1' };

  it('requires an address and a model, and says where to set them', () => {
    const noAddress = refusal(() => resolveAccess({ provider: 'openai_compatible', model: 'm', env: KEYS }, 'embedding'));
    expect([noAddress.code, noAddress.message]).toEqual([
      'configuration',
      'The provider openai_compatible needs embedding.options.base_url.',
    ]);
    expect(noAddress.hint).toContain('OPENAI_COMPATIBLE_BASE_URL');
    const noModel = refusal(() => resolveAccess({ provider: 'openai_compatible', options, env: KEYS }, 'llm'));
    expect([noModel.code, noModel.message]).toEqual(['configuration', 'The provider openai_compatible needs chat.llm.model.']);
  });

  it('reranks without a model, because some servers have only one', () => {
    expect(resolveAccess({ provider: 'openai_compatible', options, env: {} }, 'rerank').model).toBe('');
  });

  it('reads its address from its own variable, not from OPENAI_BASE_URL', () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect(refusal(() => resolveAccess({ provider: 'openai_compatible', model: 'm', env }, 'embedding')).code).toBe('configuration');
    const own = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:3/v1' };
    expect(resolveAccess({ provider: 'openai_compatible', model: 'm', env: own }, 'embedding').base_url).toBe('http://127.0.0.1:3/v1');
  });

  it('uses its own key or none, and never that of openai', () => {
    const keyWith = (env: NodeJS.ProcessEnv) => resolveAccess({ provider: 'openai_compatible', model: 'm', options, env }, 'embedding').key;
    expect(keyWith({ ...KEYS, OPENAI_COMPATIBLE_API_KEY: 'own' })).toBe('own');
    expect(keyWith(KEYS)).toBeUndefined();
  });
});

describe('a provider', () => {
  it('is refused for a kind that it does not offer, with the names of those that do', () => {
    for (const name of ['voyage', 'nobody', 'toString', '__proto__']) {
      const error = refusal(() => resolveAccess({ provider: name, env: { VOYAGE_API_KEY: 'k' } }, 'llm'));
      expect([error.code, error.message]).toEqual(['configuration', `There is no provider "${name}" for chat.llm.`]);
      expect(error.hint).toMatch(/^Known are openai, anthropic, .*openai_compatible\.$/);
    }
  });

  it('is refused if its address holds credentials, which are not repeated', () => {
    for (const address of [
      'http://user:hunter2secret@127.0.0.1:9/v1',
      'https://hunter2secret@models.example',
      'http://:hunter2secret@127.0.0.1',
    ]) {
      const given = refusal(() => resolveAccess({ provider: 'ollama', options: { base_url: address }, env: {} }, 'embedding'));
      expect([given.code, given.message]).toEqual([
        'configuration',
        'The address in embedding.options.base_url holds a user name or a password.',
      ]);
      const exported = refusal(() => resolveAccess({ provider: 'ollama', env: { OLLAMA_BASE_URL: address } }, 'llm'));
      expect([exported.code, exported.message]).toEqual([
        'configuration',
        'The address in OLLAMA_BASE_URL holds a user name or a password.',
      ]);
      expect(`${given.hint}${exported.hint}`).not.toContain('hunter2');
    }
  });

  it('is refused if its variable holds no address, which the error names', () => {
    for (const value of ['localhost:8080', 'file:///etc', 'nonsense']) {
      const error = refusal(() => resolveAccess({ provider: 'ollama', env: { OLLAMA_BASE_URL: value } }, 'llm'));
      expect([error.code, error.message]).toEqual(['configuration', 'OLLAMA_BASE_URL in the environment is not an address.']);
    }
  });
});

describe('options', () => {
  it('are refused by name if they are invalid', () => {
    for (const [options, name] of [
      [{ base_url: 'localhost:80' }, 'base_url'],
      [{ base_url: 'file:///etc' }, 'base_url'],
      [{ dimensions: 0 }, 'dimensions'],
    ] as const) {
      const error = refusal(() => resolveAccess({ provider: 'openai', options, env: KEYS }, 'embedding'));
      expect([error.code, error.message.includes(`embedding.options.${name}`)]).toEqual(['configuration', true]);
    }
  });

  it('are added to the request if kb does not know them', () => {
    const options = { base_url: 'http://127.0.0.1:1', dimensions: 64, user: 'kb' };
    expect(resolveAccess({ provider: 'openai', options, env: KEYS }, 'embedding')).toMatchObject({
      dimensions: 64,
      parameters: { user: 'kb' },
    });
  });
});
