import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { getPath, mergeLayers, setPath, readOverrides, type Layer, findUnsetReference } from '../../src/core/settings.ts';

describe('a dotted path', () => {
  it('cannot leave the tree', () => {
    expect(() => setPath({}, 'options.__proto__.polluted', 1)).toThrow(/no key/);
    expect(({} as Layer).polluted).toBeUndefined();
  });

  it('is set through new branches, and over values that are no branches', () => {
    const tree: Layer = { a: 5 };
    setPath(tree, 'a.b.c', 1);
    setPath(tree, 'a.b.d', 2);
    setPath(tree, 'e', 3);
    expect(tree).toEqual({ a: { b: { c: 1, d: 2 } }, e: 3 });
  });

  it('is read, or undefined', () => {
    const tree = { a: { b: [1], c: null } };
    expect([getPath(tree, 'a.b'), getPath(tree, 'a.b.0'), getPath(tree, 'a.c.d'), getPath(tree, 'x.y'), getPath(undefined, 'a')]).toEqual([
      [1],
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('mergeLayers', () => {
  it('lets the upper layer win, and changes neither', () => {
    const under = { a: { b: 1, c: [1, 2] }, d: 4 };
    const over = { a: { c: [3], d: undefined }, e: null };
    expect(mergeLayers(under, over)).toEqual({ a: { b: 1, c: [3] }, d: 4, e: null });
    expect([under, over]).toEqual([
      { a: { b: 1, c: [1, 2] }, d: 4 },
      { a: { c: [3], d: undefined }, e: null },
    ]);
  });

  it('drops model and options of another provider, at any depth, but not those of the upper layer', () => {
    const under = { chat: { llm: { provider: 'openai', model: 'm', options: { base_url: 'u' }, timeout: 60 } } };
    expect(mergeLayers(under, { chat: { llm: { provider: 'local' } } })).toEqual({ chat: { llm: { provider: 'local', timeout: 60 } } });
    expect(mergeLayers(under, { chat: { llm: { provider: 'local', model: 'x' } } })).toEqual({
      chat: { llm: { provider: 'local', model: 'x', timeout: 60 } },
    });
    expect(mergeLayers(under, { chat: { llm: { provider: 'openai', timeout: 5 } } })).toEqual({
      chat: { llm: { ...under.chat.llm, timeout: 5 } },
    });
  });

  it('drops the context window of another model, unless the upper layer gives one', () => {
    const llm = { provider: 'anthropic', model: 'm', context_window: 200_000 };
    expect(mergeLayers(llm, { provider: 'ollama' })).toEqual({ provider: 'ollama' });
    expect(mergeLayers(llm, { model: 'x' })).toEqual({ provider: 'anthropic', model: 'x' });
    expect(mergeLayers(llm, { provider: 'ollama', model: 'x', context_window: 9 })).toEqual({
      provider: 'ollama',
      model: 'x',
      context_window: 9,
    });
    expect(mergeLayers(llm, { model: 'x', context_window: 9 })).toEqual({ ...llm, model: 'x', context_window: 9 });
    for (const same of [{ model: 'm' }, { provider: 'anthropic' }, { timeout: 5 }])
      expect(mergeLayers(llm, same)).toEqual({ ...llm, ...same });
  });

  it('drops address and options of another vector database, but not those of the upper layer', () => {
    const under = { storage: { vector_db: 'qdrant', url: 'https://qdrant.example', options: { a: 1 }, batch_size: 512 } };
    expect(mergeLayers(under, { storage: { vector_db: 'lancedb' } })).toEqual({ storage: { vector_db: 'lancedb', batch_size: 512 } });
    expect(mergeLayers(under, { storage: { vector_db: 'lancedb', url: './folder' } })).toEqual({
      storage: { vector_db: 'lancedb', url: './folder', batch_size: 512 },
    });
    for (const same of [{ vector_db: 'qdrant' }, { batch_size: 512 }, {}]) expect(mergeLayers(under, { storage: same })).toEqual(under);
  });
});

describe('readOverrides', () => {
  const schema = z.strictObject({
    query: z.string(),
    top_k: z.int().optional().meta({ overrides: 'retrieval.top_k' }),
    rewrite: z
      .strictObject({ enabled: z.boolean().optional().meta({ overrides: 'chat.rewrite.enabled' }), note: z.string().optional() })
      .optional(),
  });

  it('reads the fields that override a key', () => {
    expect(readOverrides(schema, { query: 'q', top_k: 3, rewrite: { enabled: false, note: 'n' } })).toEqual({
      retrieval: { top_k: 3 },
      chat: { rewrite: { enabled: false } },
    });
    expect(readOverrides(schema, { query: 'q' })).toEqual({});
    expect(readOverrides(z.string(), 'q')).toEqual({});
  });
});

const value = { headers: { 'X-Team': 'docs', Authorization: 'Bearer ${TICK}' } };

test('an unset variable is a setup error where variables are replaced', () => {
  const error = findUnsetReference(value, 'network.sites')!;
  expect(error.code).toBe('setup');
  expect(error.message).toBe('network.sites.headers.Authorization refers to the variable TICK, which is not set.');
  expect(error.hint).not.toMatch(/HTTP/);
});

test('a variable reference in an HTTP request is a usage error', () => {
  const error = findUnsetReference(value, '', { isRequested: true })!;
  expect(error.code).toBe('usage');
  expect(error.message).toMatch(/^headers\.Authorization holds \$\{TICK\}/);
  expect(error.message + error.hint).not.toMatch(/environment|not set/);
});

test('a value without references has no error', () => {
  expect(findUnsetReference({ a: ['x', { b: 1 }] }, '')).toBeUndefined();
});
