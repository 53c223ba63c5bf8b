import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getPath, mergeLayers, readOverrides } from '../../src/core/settings.ts';
import { operationFlags, readRequestFlags, readSettingFlags, repeatFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';
import { Config } from '../../src/schema/config.ts';
import { block, flattenSection, keysOf } from '../../src/schema/fields.ts';

describe('a new parameter, added in one place', () => {
  const Chunking = Config.shape.chunking.extend({
    sparkle: z.int().min(1).max(9).optional().describe('How much it sparkles').meta({ flag: 'sparkle' }),
  });
  const configuration = Config.extend({ chunking: Chunking });

  it('is a key with an environment variable and a flag', () => {
    expect(keysOf(configuration).find(({ path }) => path === 'chunking.sparkle')).toMatchObject({
      variable: 'KB_CHUNKING_SPARKLE',
      flag: 'sparkle',
      description: 'How much it sparkles',
    });
    const flags = operationFlags({ input: z.strictObject({}), sections: ['chunking'] }, { configuration });
    expect(flags.sparkle).toMatchObject({ description: 'How much it sparkles' });
    expect(readSettingFlags({ sparkle: '5' }, { configuration })).toEqual({
      layer: { chunking: { sparkle: 5 } },
      names: new Map([['chunking.sparkle', '--sparkle']]),
    });
  });

  it('is a flat and a nested field of requests that overrides the key and keeps its bounds', () => {
    const flat = z.strictObject(flattenSection(Chunking, 'chunking'));
    const nested = z.strictObject({ chunking: block(Chunking, 'chunking') });
    expect(readOverrides(flat, { sparkle: 3 })).toEqual({ chunking: { sparkle: 3 } });
    expect(readOverrides(nested, { chunking: { sparkle: 3 } })).toEqual({ chunking: { sparkle: 3 } });
    expect(flat.safeParse({ sparkle: 10 }).success).toBe(false);
    expect(z.toJSONSchema(flat).properties?.sparkle).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 9,
      description: 'How much it sparkles',
    });
  });
});

describe('flags of operations', () => {
  it('come from the request and from the sections that the operation reads', () => {
    const flags = Object.keys(operationFlags(operations.retrieve, { omit: ['query'] }));
    expect(flags).toEqual(
      expect.arrayContaining(['filter', 'explain', 'collection', 'mode', 'top-k', 'rerank', 'storage-url', 'embedding-provider']),
    );
    expect(flags).not.toContain('chunk-size');
    expect(flags).not.toContain('query');
    for (const written of ['ensure-collection', 'storage-batch-size', 'embedding-batch-size']) expect(flags).not.toContain(written);
  });

  it('reject a key that schemas drop silently', () => {
    const given = (filter: string) => readRequestFlags(operations.delete.input, { filter });
    expect(() => given('{"source":"two","__proto__":"x"}')).toThrow('--filter: __proto__: no key may have this name.');
    expect(given('{"constructor":"x"}')).toEqual({ filter: { constructor: 'x' } });
  });

  it('have a description', () => {
    for (const [name, operation] of Object.entries(operations)) {
      for (const [flag, { description }] of Object.entries(operationFlags(operation)))
        expect([name, flag, (description ?? '').length > 0 || ['title', 'source', 'name'].includes(flag)]).toEqual([name, flag, true]);
    }
  });

  it('are unique among the keys', () => {
    const flags = keysOf(Config).flatMap(({ flag }) => flag ?? []);
    expect(new Set(flags).size).toBe(flags.length);
  });

  it('parse JSON if the field needs it, and name the flag if it is invalid', () => {
    expect(readRequestFlags(operations.retrieve.input, { filter: '{"year":{"gte":2020}}', explain: true })).toEqual({
      filter: { year: { gte: 2020 } },
      explain: true,
    });
    expect(() => readRequestFlags(operations.retrieve.input, { filter: '{city:' })).toThrow(/--filter/);
    expect(() => readRequestFlags(operations.retrieve.input, { filter: '{"year":{"above":1}}' })).toThrow(/--filter/);
  });
});

describe('requests over the configuration', () => {
  it('override the keys that their fields name', () => {
    const layer = readOverrides(operations.retrieve.input, { query: 'x', provider: 'none', top_k: 3, use_rerank: true, collection: 'c' });
    expect(layer).toEqual({ embedding: { provider: 'none' }, retrieval: { top_k: 3 }, rerank: { enabled: true }, collection: 'c' });
  });

  it('keep the other keys', () => {
    const over = mergeLayers({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: 3, c: undefined }, d: [2] });
    expect([getPath(over, 'a.b'), getPath(over, 'a.c'), getPath(over, 'd')]).toEqual([3, 2, [2]]);
  });
});

describe('--where', () => {
  const { input } = operations.retrieve;

  it('is read as a filter, and combined with --filter', () => {
    expect(readRequestFlags(input, { where: 'year >= 2020' })).toEqual({ filter: { year: { gte: 2020 } } });
    const both = { where: 'lang = de', filter: '{"year": 2020}' };
    expect(readRequestFlags(input, both)).toEqual({ filter: { and: [{ year: 2020 }, { lang: 'de' }] } });
  });

  it('exists wherever there is a filter', () => {
    for (const [name, has] of [
      ['retrieve', true],
      ['chat', true],
      ['delete', true],
      ['list_sources', true],
      ['ingest', false],
    ] as const)
      expect([name, 'where' in operationFlags(operations[name])]).toEqual([name, has]);
  });
});

it('repeatFlags writes the flags that choose the collection, quoted for a shell', () => {
  expect(repeatFlags({})).toBe('');
  expect(repeatFlags({ collection: 'manuals', docs: ['a.md'], json: true, 'chunk-size': '800' })).toBe(' --collection manuals');
  expect(
    repeatFlags({
      config: "my bases/it's.yaml",
      collection: 'words',
      'storage-url': 'http://127.0.0.1:6333',
      'vector-db': 'qdrant',
      'embedding-provider': 'none',
      'embedding-model': 'm',
      set: [
        'storage.options={a: 1}',
        'embedding.batch_size=8',
        'embedding.options.base_url=http://127.0.0.1:1/v1',
        'chunking.chunk_size=9',
      ],
    }),
  ).toBe(
    String.raw` --config 'my bases/it'\''s.yaml' --collection words --vector-db qdrant --storage-url http://127.0.0.1:6333` +
      ' --embedding-provider none --embedding-model m' +
      " --set 'storage.options={a: 1}' --set embedding.options.base_url=http://127.0.0.1:1/v1",
  );
});

it.each([
  [{ set: ['storage.options.password=hunter2'] }, " --set 'storage.options.password=…'"],
  [{ set: ['embedding.options.api_key=abc='] }, " --set 'embedding.options.api_key=…'"],
  [{ set: ['embedding.options.credentials.user=ann'] }, " --set 'embedding.options.credentials.user=…'"],
  [{ set: ['storage.options={tls: {client_secret: hunter2}, a: 1}'] }, " --set 'storage.options=…'"],
  [{ set: ['storage.url=https://ann:hunter2@host.example/x'] }, ' --set storage.url=https://host.example/x'],
  [{ set: ['storage.options={proxy: "http://ann:hunter2@host.example"}'] }, ` --set 'storage.options={proxy: "http://host.example"}'`],
  [{ 'storage-url': 'https://ann:hunter2@host.example/x' }, ' --storage-url https://host.example/x'],
  [{ 'storage-url': 'https://host.example/x?api_key=hunter2&a=1' }, " --storage-url 'https://host.example/x?a=1'"],
  [{ 'storage-url': './what?/base' }, " --storage-url './what?/base'"],
])('credentials are not repeated: %j', (flags, expected) => {
  expect(repeatFlags(flags)).toBe(expected);
});
