// Word accuracy of OCR on scans made from the example manual: pages drawn at 150 and 300 dpi, straight, turned by a quarter and askew, with the noise of a scanner.
// Needs kb setup-ocr eng. Prints a table.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Bitmap, deskewBitmap, rotateBitmap } from '../packages/documents/src/ocr/bitmap.ts';
import { ocrFolder } from '../src/drivers/setup/ocr.ts';
import { OcrPool } from '../packages/documents/src/ocr/pool.ts';
import { openPictures } from '../packages/documents/src/ocr/page-pictures.ts';
import { withPdf } from '../packages/documents/src/pdf/file.ts';
import { scannedPdf } from '../packages/documents/test/support/scans.ts';

const bytes = readFileSync(fileURLToPath(new URL('../examples/manuals/user-manual.pdf', import.meta.url)));
const folder = ocrFolder();
const SHAPES: Record<string, (page: Bitmap) => Bitmap> = {
  straight: (page) => page,
  'turned by 90°': (page) => rotateBitmap(page, 90),
  'askew by 1.5°': (page) => deskewBitmap(page, (-1.5 * Math.PI) / 180),
};

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that both have, each as often as it stands in both. */
function shared(words: readonly string[], others: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of others) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words.filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  }).length;
}

/** Half of the resolution: what a scanner at 150 dpi sees of a page that is drawn at 300. */
function halved({ width, height, data }: Bitmap): Bitmap {
  const made = { width: width >> 1, height: height >> 1, data: new Uint8Array((width >> 1) * (height >> 1)) };
  for (let y = 0; y < made.height; y++)
    for (let x = 0; x < made.width; x++) {
      const at = 2 * y * width + 2 * x;
      made.data[y * made.width + x] = (data[at]! + data[at + 1]! + data[at + width]! + data[at + width + 1]!) / 4;
    }
  return made;
}

/** Grey paper with grain, the same in every run. */
function scanned({ width, height, data }: Bitmap): Bitmap {
  let seed = 7;
  const grain = () => ((seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff - 0.5) * 40;
  return { width, height, data: data.map((grey) => Math.max(0, Math.min(255, 12 + grey * 0.9 + grain()))) };
}

const truth: string[][] = [];
await withPdf(bytes, {}, async (file) => {
  for (let number = 1; number <= file.numPages; number++) {
    const { items } = await (await file.getPage(number)).getTextContent();
    truth.push(wordsOf(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ' '}` : '')).join('')));
  }
});
const pictures = await openPictures({ bytes, file_type: 'pdf', folder });
const pool = new OcrPool({ processes: Math.min(4, availableParallelism()), seconds: 90, megabytes: 1536 });
console.log('| Scan | Words found | Words right | Mean confidence | Seconds a page |\n| --- | --: | --: | --: | --: |');
for (const dpi of [300, 150])
  for (const [name, shape] of Object.entries(SHAPES)) {
    const pages: Bitmap[] = [];
    for (const number of truth.keys()) {
      const { bitmap } = await pictures.draw(number + 1);
      const shaped = shape(bitmap);
      pages.push(scanned(dpi === 300 ? shaped : halved(shaped)));
    }
    const began = performance.now();
    const scan = { bytes: scannedPdf(pages, { dpi }), file_type: 'pdf', folder, languages: ['eng'], pages: pages.map((_, i) => i + 1) };
    const found = await pool.recognize(scan);
    const seconds = (performance.now() - began) / 1000;
    const got = truth.map((_, i) => wordsOf((found.get(i + 1)?.lines ?? []).map(({ text }) => text).join('\n')));
    if (process.argv.includes('--pages'))
      console.log(truth.map((words, i) => (shared(words, got[i]!) / words.length).toFixed(3)).join(' '));
    const right = truth.reduce((sum, words, i) => sum + shared(words, got[i]!), 0);
    const confidence = [...found.values()].reduce((sum, page) => sum + page.confidence, 0) / Math.max(1, found.size);
    const cells = [right / truth.flat().length, right / got.flat().length, confidence].map((value) => value.toFixed(3));
    console.log(`| ${dpi} dpi, ${name} | ${cells.join(' | ')} | ${(seconds / pages.length).toFixed(1)} |`);
  }
await pictures.close();
await pool.close();
