import { describe, expect, it } from 'vitest';
import { drivers } from '../../../src/drivers/registry.ts';
import { defaultModel, missingKeyError, findProvider, providers, providersOf } from '../../../src/drivers/providers/providers.ts';
import { EmbeddingProvider, LlmProvider, RerankProvider } from '../../../src/schema/provider-names.ts';

const rows = Object.keys(providers).map((name) => ({ name, ...findProvider(name)! }));

describe('the table of providers', () => {
  it('has exactly the providers of the configuration, with a driver for each', () => {
    for (const [schema, own, kind, opened] of [
      [LlmProvider, ['local'], 'llm', { ...drivers.llms, local: undefined }],
      [EmbeddingProvider, ['local', 'none'], 'embedding', { ...drivers.embedders, none: undefined }],
      [RerankProvider, ['local', 'llm'], 'rerank', drivers.rerankers],
    ] as const) {
      const expected = [...own, ...providersOf(kind)].toSorted();
      expect([kind, [...schema.options].toSorted()]).toEqual([kind, expected]);
      expect([kind, Object.keys(opened).toSorted()]).toEqual([kind, expected]);
    }
  });

  it('names variables after the provider', () => {
    for (const { name, base_url_variable, key_variables } of rows) {
      expect([base_url_variable, key_variables[0]]).toEqual([`${name.toUpperCase()}_BASE_URL`, `${name.toUpperCase()}_API_KEY`]);
    }
  });

  it('has addresses without a trailing slash and a model for each kind, or neither', () => {
    for (const { name, base_url, llm, embedding, rerank } of rows) {
      const models = [llm, embedding, rerank].flatMap((row) => (row ? [row.model] : []));
      expect(models.length).toBeGreaterThan(0);
      expect([name, models.map(Boolean)]).toEqual([name, models.map(() => base_url !== undefined)]);
      if (base_url) expect([name, base_url]).toEqual([name, expect.stringMatching(/^https?:\/\/.*[^/]$/)]);
      if (embedding?.model) expect([name, embedding.dimensions[embedding.model]]).toEqual([name, expect.any(Number)]);
    }
  });

  it('sends keys only over TLS, except to this machine', () => {
    for (const { name, base_url = 'https://' } of rows)
      expect([name, base_url]).toEqual([name, expect.stringMatching(/^https:|^http:\/\/127\.0\.0\.1:/)]);
  });
});

it('has no default model for an unknown provider', () => {
  expect([defaultModel('openai', 'embedding'), defaultModel('anthropic', 'embedding'), defaultModel('local', 'llm')]).toEqual([
    'text-embedding-3-small',
    '',
    '',
  ]);
});

it('explains how to set a missing key if one is needed', () => {
  for (const { name, is_keyless: is_open, key_variables } of rows) {
    const missing = missingKeyError(name, {});
    if (is_open) expect([name, missing]).toEqual([name, undefined]);
    else expect([name, missing]).toEqual([name, expect.objectContaining({ hint: expect.stringContaining(`export ${key_variables[0]}=`) })]);
    for (const variable of key_variables) expect([variable, missingKeyError(name, { [variable]: 'k' })]).toEqual([variable, undefined]);
  }
});
