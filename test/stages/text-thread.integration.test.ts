import { packMarks } from '@citekb/documents/marks';
import { expect, it } from 'vitest';
import { withSignal } from '../../src/core/run.ts';
import { chunkDocument } from '../../src/stages/chunk/chunk.ts';
import { toDocument } from '../../src/stages/extract/document.ts';
import { makeDocument, splitDocument } from '../../src/stages/text-thread.ts';
import runTextTask from '../../src/stages/text-worker.ts';
import { turnsDuring } from '../support/turns.ts';
import { documentOf } from './chunk/markdown.ts';

const chunking = { chunk_size: 400, chunk_overlap: 50, min_chunk_length: 50 };
const provenance = { source: 'long.md', source_kind: 'markdown', file_type: 'markdown', content_hash: 'abc' } as const;
const long = (characters: number) =>
  Array.from({ length: characters / 50 }, (_, i) => `# Part ${i}\n\nThe pump of part ${i} stops at night.\n\n`).join('');

it('makes and splits a long text as a short one, and leaves the event loop free meanwhile', async () => {
  const text = `${long(400_000)}\u0007`;
  const making = makeDocument({ text, metadata: { author: 'Ida' } }, provenance);
  expect(await turnsDuring(making)).toBeGreaterThan(3);
  const document = await making;
  expect(document).toEqual(toDocument({ text, metadata: { author: 'Ida' } }, provenance));
  const splitting = splitDocument(document, chunking);
  expect(await turnsDuring(splitting)).toBeGreaterThan(3);
  expect(await splitting).toEqual(chunkDocument(document, chunking));
});

it('passes many marks to and from the thread in slices', async () => {
  const text = long(150_000);
  const marks = Array.from({ length: 25_000 }, (_, i) => ({ at: 5 * i, line: i }));
  const parsed = { text, metadata: {}, marks };
  const packed = await packMarks(parsed);
  const answer = await runTextTask({ parsed: packed.bare, marks: packed.marks, provenance });
  expect(answer).toMatchObject({
    made: { bare: { marks: [] }, marks: [[expect.any(Uint8Array), expect.any(Uint8Array), expect.any(Uint8Array)]] },
  });
  const document = await makeDocument(parsed, provenance);
  expect(document).toEqual(toDocument(parsed, provenance));
  expect(await splitDocument(document, chunking)).toEqual(chunkDocument(document, chunking));
});

it('gives the first chunks only if there is a limit', async () => {
  const document = documentOf(long(200_000));
  expect(await splitDocument(document, chunking, 7)).toEqual(chunkDocument(document, chunking).slice(0, 7));
  expect(await splitDocument(documentOf(long(5_000)), chunking, 2)).toHaveLength(2);
});

it('rejects a long text without a character with the error of a short one', async () => {
  const refused = (text: string) => makeDocument({ text, metadata: {} }, provenance).catch((error: unknown) => error);
  expect(await refused('\u0007'.repeat(200_000))).toEqual(await refused('\u0007'));
  expect(await refused('\u0007'.repeat(200_000))).toMatchObject({ code: 'invalid', message: expect.stringContaining('long.md') });
});

it('stops with the run that it belongs to', async () => {
  const controller = new AbortController();
  const run = withSignal(
    (async function* () {
      return await splitDocument(documentOf('# a\n\nb\n\n'.repeat(1_000_000)), chunking);
    })(),
    controller.signal,
  );
  const stopped = run.next();
  controller.abort();
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
});
