import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { packMarks, unpackMarks } from '../../src/process/packed-marks.ts';
import type { Mark, ParsedDocument } from '../../src/types.ts';

const marksOf = (count: number): Mark[] => Array.from({ length: count }, (_, at) => ({ at, line: 1 }));
const document = (count: number): ParsedDocument => ({
  text: 'a',
  metadata: { n: 1 },
  marks: marksOf(count),
  members: [
    { path: 'b.json', file_type: 'json', parsed: { text: 'b', metadata: {}, marks: marksOf(count + 1) } },
    { path: 'c.md', file_type: 'markdown', parsed: { text: 'c', metadata: {} } },
    { path: 'd', file_type: 'zip', parsed: { text: '', metadata: {}, members: [{ path: 'e', file_type: 'text', parsed: { text: 'e', metadata: {}, marks: [] } }] } }, // prettier-ignore
  ],
});

/** Counts the turns of the event loop until the work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [isDone, turns] = [false, 0];
  void work.finally(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  return turns;
}

it('takes the marks of a document and of those in it out, and puts them back', async () => {
  for (const count of [0, 3, 10_000, 25_000]) {
    const original = document(count);
    const { bare, marks } = await packMarks(original);
    expect(bare.marks).toEqual([]);
    expect(marks.map((slices) => slices.length)).toEqual([Math.ceil(count / 10_000), Math.ceil((count + 1) / 10_000), 0]);
    expect(await unpackMarks(bare, structuredClone(marks))).toEqual(original);
    expect(original).toEqual(document(count));
  }
});

it('gives others their turn after each ten thousand marks', async () => {
  const packing = packMarks({ text: 'a', metadata: {}, marks: marksOf(300_000) });
  expect(await turnsDuring(packing)).toBeGreaterThanOrEqual(29);
  const { bare, marks } = await packing;
  expect(await turnsDuring(unpackMarks(bare, marks))).toBeGreaterThanOrEqual(29);
});
