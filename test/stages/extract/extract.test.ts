import { describe, expect, it } from 'vitest';
import { type Extracted, extractAll, type Extractors, type SourceName } from '../../../src/stages/extract/extract.ts';

/** Extractors that write down when they begin, what they give and when they are closed. Each gives `count` items, with a turn of the event loop before each. */
function kinds(names: readonly SourceName[], count = 3): { extractors: Extractors; log: string[] } {
  const log: string[] = [];
  const open = (name: SourceName) =>
    async function* (): AsyncGenerator<Extracted, void, void> {
      log.push(`${name} begins`);
      try {
        for (let i = 0; i < count; i++) {
          await new Promise((done) => setImmediate(done));
          yield { passed_over: `${name}${i}` };
        }
      } finally {
        log.push(`${name} ends`);
      }
    };
  return { extractors: Object.fromEntries(names.map((name) => [name, open(name)])), log };
}

const read = async (extractors: Extractors, concurrency: 'serial' | 'parallel') =>
  (await Array.fromAsync(extractAll(extractors, concurrency))).map(
    ({ name, item }) => `${name}: ${(item as { passed_over: string }).passed_over}`,
  );

const ORDER = [
  'docs: docs0',
  'docs: docs1',
  'docs: docs2',
  'api: api0',
  'api: api1',
  'api: api2',
  'markdown: markdown0',
  'markdown: markdown1',
  'markdown: markdown2',
];

describe('extractAll', () => {
  it('yields kinds in the order of the specification, whatever order they are given in', async () => {
    for (const concurrency of ['serial', 'parallel'] as const)
      expect(await read(kinds(['markdown', 'api', 'docs']).extractors, concurrency)).toEqual(ORDER);
  });

  it('reads kinds one after another if serial', async () => {
    const { extractors, log } = kinds(['api', 'docs']);
    await read(extractors, 'serial');
    expect(log).toEqual(['docs begins', 'docs ends', 'api begins', 'api ends']);
  });

  it('starts all kinds at once if parallel', async () => {
    const { extractors, log } = kinds(['markdown', 'api', 'docs']);
    const all = extractAll(extractors, 'parallel');
    await all.next();
    expect(log.filter((line) => line.endsWith('begins'))).toEqual(['docs begins', 'api begins', 'markdown begins']);
    await all.return();
  });

  it('closes all started extractors when the reader stops', async () => {
    for (const [concurrency, begun] of [
      ['serial', ['docs']],
      ['parallel', ['docs', 'api']],
    ] as const) {
      const { extractors, log } = kinds(['docs', 'api'], 100);
      const all = extractAll(extractors, concurrency);
      await all.next();
      await all.return();
      expect(log.filter((line) => line.endsWith('ends')).toSorted()).toEqual(begun.map((name) => `${name} ends`).toSorted());
    }
  });

  it('closes the other extractors if one fails', async () => {
    const { extractors, log } = kinds(['api'], 100);
    const docs = async function* (): AsyncGenerator<Extracted, void, void> {
      throw new Error('the disk is gone');
    };
    await expect(read({ ...extractors, docs }, 'parallel')).rejects.toThrow('the disk is gone');
    expect(log).toEqual(['api begins', 'api ends']);
  });
});
