import { expect, it } from 'vitest';
import { collect } from '../../../src/core/run.ts';
import { ErrorItem } from '../../../src/schema/items.ts';
import { runChunk } from '../../../src/stages/chunk/run-chunk.ts';
import { documentOf } from './markdown.ts';

const chunking = { chunk_size: 300, chunk_overlap: 0, min_chunk_length: 20 };

it('reports an empty document as an error item beside the chunks of the others', async () => {
  const documents = [
    documentOf('Doors are locked at ten.'),
    { ...documentOf(' \n\u00a0\n'), source: 'empty.md' },
    { ...documentOf('Bikes stay outside.'), source: 'b.md' },
  ];
  const { events, result } = await collect(runChunk({ documents, total: documents.length, chunking }));
  expect([result.inputs, result.chunks, result.failed]).toEqual([3, 2, 1]);
  expect(result.items.map(({ text }) => text)).toEqual(['Doors are locked at ten.', 'Bikes stay outside.']);
  expect(ErrorItem.parse(result.errors[0])).toMatchObject({
    source: 'empty.md',
    source_kind: 'path',
    stage: 'chunk',
    isRetryable: false,
    attempts: 1,
  });
  expect(result.errors[0]!.error).toContain('empty.md has no text');
  expect(events.at(-1)).toMatchObject({ type: 'progress', stage: 'chunk', data: { done: 3, total: 3, chunks: 2 } });
});

it('returns no chunks without documents', async () => {
  const { result } = await collect(runChunk({ documents: [], total: 0, chunking }));
  expect(result).toEqual({ inputs: 0, chunks: 0, items: [], failed: 0, errors: [] });
});

it('stops when the signal is aborted', async () => {
  await expect(
    collect(runChunk({ documents: [documentOf('Text.')], total: 1, chunking, signal: AbortSignal.abort() })),
  ).rejects.toMatchObject({
    code: 'aborted',
  });
});

it('rejects texts that give more chunks than the limit', async () => {
  const documents = [documentOf('Doors are locked at ten.'), documentOf(`${'Bikes stay outside. '.repeat(60)}`)];
  await expect(collect(runChunk({ documents, total: 2, chunking, limit: 3 }))).rejects.toMatchObject({
    code: 'too_large',
    message: 'The texts give more than 3 chunks, the most that one request makes.',
  });
  expect((await collect(runChunk({ documents, total: 2, chunking, limit: 6 }))).result.chunks).toBeLessThanOrEqual(6);
});
