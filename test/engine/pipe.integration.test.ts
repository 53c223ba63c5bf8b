import { expect, it } from 'vitest';
import { GivenChunk, GivenDocument, GivenEmbeddedChunk } from '../../src/schema/items.ts';
import { chunksIn, engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { pdfFile } from '../../packages/documents/test/support/pdf-file.ts';

const lines = <T>(items: unknown[], schema: { parse(value: unknown): T }): T[] =>
  items.map((item) => schema.parse(JSON.parse(JSON.stringify(item))));

it('each stage accepts what the previous one writes, with all its keys', async () => {
  const home = folder({
    'docs/gate.md': '---\nyear: 2024\n---\n# Gate\n\nIt is locked at ten.\n\n## Key\n\nIt hangs in the office.\n',
    'docs/prices.csv': 'item,price\nlamp,7\nbell,9\n',
    'docs/manual.pdf': pdfFile([['The pump is red.'], ['The valve is blue.']]),
  });
  const { settings } = await modelServer({ vector: (text) => [text.length, 1, 0.5] });
  for (const configured of [WORDS, settings]) {
    const engine = engineIn(home, configured);
    const parsed = await result(engine, 'parse', { folder: 'docs', frontmatter: true });
    expect([parsed.documents, parsed.failed]).toEqual([3, 0]);
    expect(parsed.outputs.some(({ marks }) => marks !== undefined)).toBe(true);
    const chunked = await result(engine, 'chunk', { markdown: lines(parsed.outputs, GivenDocument) });
    const embedded = await result(engine, 'embed', { chunks: lines(chunked.items, GivenChunk) });
    const collection = configured === WORDS ? 'words' : 'vectors';
    const stored = await result(engine, 'store', { embedded_chunks: lines(embedded.items, GivenEmbeddedChunk), collection });
    expect([stored.stored, stored.failed]).toEqual([chunked.chunks, 0]);
    expect((await chunksIn(engine, collection)).map(({ id }) => id).toSorted()).toEqual(chunked.items.map(({ id }) => id).toSorted());
  }
});
