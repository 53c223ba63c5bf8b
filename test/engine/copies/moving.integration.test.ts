import { expect, it } from 'vitest';
import { collect } from '../../../src/core/run.ts';
import type { Layer } from '../../../src/core/settings.ts';
import type { Engine } from '../../../src/ports/engines.ts';
import { chunksIn, engineIn, modelServer, result } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { STORAGES } from '../../support/storages.ts';
import { withS3 } from '../../support/s3-server.ts';

const THINGS = ['gate', 'bell', 'lamp', 'door', 'fence', 'roof', 'well', 'barn'];
const markdown = Array.from({ length: 48 }, (_, i) => ({
  source: `rule-${i}`,
  text: `# Rule ${i}\n\nThe ${THINGS[i % 8]} ${i % 3 === 0 ? 'and the gate are' : 'is'} looked after ${'every day '.repeat(i % 5)}at ${i % 12}.`,
  metadata: { year: 2000 + i, tags: ['rule', THINGS[i % 8]!] },
}));
const QUERIES = ['When is the gate looked after?', 'bell and lamp', 'every day', 'rule 17'];

async function* linesOf(engine: Engine): AsyncGenerator<string> {
  for (const { data } of (await collect(engine.run('export_collection', { name: 'default' }))).events) yield JSON.stringify(data);
}

/** The ids that each query finds, in their order, by words, by meaning and by both. */
async function foundBy(engine: Engine): Promise<string[][]> {
  const found: string[][] = [];
  for (const query of QUERIES)
    for (const mode of ['text', 'vector', 'hybrid'] as const)
      found.push((await result(engine, 'retrieve', { query, mode, top_k: 10 })).items.map(({ id }) => id));
  return found;
}

const byId = (chunks: Record<string, unknown>[]) => chunks.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));

/** A vector that tells texts apart by their words. */
const vectorOf = (text: string): number[] => {
  const numbers = Array.from({ length: 16 }, () => 0.01);
  for (const [at, letter] of [...text.toLowerCase()].entries()) numbers[(letter.codePointAt(0)! * 7 + at) % 16]! += 1;
  return numbers;
};

withS3('a collection', () => {
  it(
    'moves between a folder, Qdrant and a bucket in every direction, without embedding, and finds the same',
    { timeout: 120_000 },
    async () => {
      const { settings, texts } = await modelServer({ vector: vectorOf });
      const open = async (kind: string) => engineIn(folder(), { ...settings, storage: (await STORAGES[kind]!()) satisfies Layer });
      const [file, bucket, server] = ['LanceDB in a folder', 'LanceDB in a bucket', 'Qdrant'];
      let from = await open(file!);
      await result(from, 'ingest', { markdown });
      const [chunks, found] = [byId(await chunksIn(from)), await foundBy(from)];
      expect(new Set(found.flat()).size).toBeGreaterThan(10);
      for (const kind of [server, bucket, file, bucket, server, file]) {
        const to = await open(kind!);
        const before = texts().length;
        expect(await result(to, 'import_collection', { name: 'default', lines: linesOf(from) })).toMatchObject({ imported: chunks.length });
        expect(texts().length, 'nothing is embedded').toBe(before);
        const moved = byId(await chunksIn(to));
        expect(
          moved.map(({ embedding: _embedding, ...rest }) => rest),
          kind,
        ).toEqual(chunks.map(({ embedding: _embedding, ...rest }) => rest));
        expect(await foundBy(to), kind).toEqual(found);
        from = to;
      }
      expect(await result(from, 'ingest', { markdown })).toMatchObject({ unchanged: markdown.length, stored: 0 });
    },
  );
});
