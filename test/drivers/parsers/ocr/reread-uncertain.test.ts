import { expect, it } from 'vitest';
import type { Bitmap } from '../../../../src/drivers/parsers/ocr/bitmap.ts';
import { rereadUncertain } from '../../../../src/drivers/parsers/ocr/reread-uncertain.ts';
import { type PixelBox, type Tesseract, type Line, SEGMENT, type Word } from '../../../../src/drivers/parsers/ocr/tesseract.ts';

const HEIGHT = 30;

const box = (x0: number, y0: number, x1: number, y1 = y0 + HEIGHT): PixelBox => ({ x0, y0, x1, y1 });
const word = (text: string, [x0, x1]: [number, number], { y = 100, confidence = 95 } = {}): Word => ({
  text,
  confidence,
  bbox: box(x0, y, x1),
});

const line = (...words: Word[]): Line => {
  const bbox = box(words[0]!.bbox.x0, words[0]!.bbox.y0, words.at(-1)!.bbox.x1, Math.max(...words.map((each) => each.bbox.y1)));
  return { words, bbox, baseline: { ...bbox, y0: bbox.y1 }, rowAttributes: {} };
};

/** White paper with black boxes. */
function paper(...inked: PixelBox[]): Bitmap {
  const page = { width: 1200, height: 1600, data: new Uint8Array(1200 * 1600).fill(255) };
  for (const { x0, y0, x1, y1 } of inked) for (let y = y0; y < y1; y++) page.data.fill(0, y * page.width + x0, y * page.width + x1);
  return page;
}

/** Reads what it is told to in a part of the page, by how that is taken apart. */
function engineThat(reads: { line?: Line[]; block?: Line[] }): Tesseract & { asked: string[] } {
  const asked: string[] = [];
  const recognize: Tesseract['recognize'] = async (_image, { tessedit_pageseg_mode: mode }) => {
    asked.push(mode!);
    const lines = (mode === SEGMENT.line ? reads.line : reads.block) ?? [];
    return { data: { blocks: [{ paragraphs: [{ lines }] }] } };
  };
  return { asked, recognize, setParameters: async () => undefined };
}

const texts = (lines: readonly Line[]): string[] => lines.map(({ words }) => words.map(({ text }) => text).join(' '));

it('separates numbers from units with wider spaces, but does not split confident words', async () => {
  const first = line(word('same', [100, 200]), word('8to', [400, 470], { confidence: 80 }), word('14', [480, 520]));
  const page = paper(box(100, 100, 150), box(160, 100, 200), box(400, 100, 415), box(430, 100, 470), box(480, 100, 520));
  // the part begins at 88, and each space before a word is 18 pixels wider
  const at = (text: string, x0: number, x1: number, confidence: number) => word(text, [x0, x1], { y: 6, confidence });
  const second = line(at('sam', 12, 62, 95), at('e', 90, 130, 93), at('8', 348, 363, 90), at('to', 396, 436, 90), at('14', 464, 504, 96));
  expect(texts(await rereadUncertain(engineThat({ line: [second] }), page, [first]))).toEqual(['same 8 to 14']);
});

it('rereads an uncertain cell alone, with all of its lines', async () => {
  const row = line(word('Brew', [100, 180]), word('pressure', [190, 330]), word('oo', [700, 800], { confidence: 20 }));
  const next = line(word('Cord', [100, 180], { y: 200 }));
  const block = [
    line(word('9', [30, 45], { y: 10 }), word('bar', [55, 100], { y: 10 })),
    line(word('to', [30, 60], { y: 60 }), word('10', [70, 100], { y: 60 })),
  ];
  expect(texts(await rereadUncertain(engineThat({ block }), paper(), [row, next]))).toEqual(['Brew pressure 9 bar', 'to 10', 'Cord']);
});

it('keeps the first reading if that of the cell alone is not more confident', async () => {
  const row = line(word('Brew', [100, 180]), word('oo', [700, 800], { confidence: 50 }));
  const block = [line(word('re', [30, 45], { y: 10, confidence: 40 }))];
  expect(texts(await rereadUncertain(engineThat({ block }), paper(), [row]))).toEqual(['Brew oo']);
});

it('rereads list numbers that were mistaken for upright text', async () => {
  const items = [line(word('Rinse', [200, 300])), line(word('Fill', [200, 260], { y: 150 }))];
  const column = line(word('UL', [150, 170], { confidence: 30 }), {
    ...word('ps', [150, 170], { confidence: 20 }),
    bbox: box(150, 100, 170, 400),
  });
  const numbers = engineThat({ line: [line(word('2.', [40, 60], { y: 6, confidence: 88 }))] });
  const page = paper(box(150, 155, 170, 175));
  expect(texts(await rereadUncertain(numbers, page, [column, ...items]))).toEqual(['Rinse', '2. Fill']);
  expect(numbers.asked).toEqual([SEGMENT.line]);
});
