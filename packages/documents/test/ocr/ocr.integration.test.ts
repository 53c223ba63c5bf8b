import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bitmap, deskewBitmap, rotateBitmap } from '../../src/ocr/bitmap.ts';
import { OcrPool } from '../../src/ocr/pool.ts';
import { openPictures } from '../../src/ocr/page-pictures.ts';
import { createReader, type IsolatedReadOptions, type PageInWork } from '../../src/index.ts';
import { folder } from '../support/folder.ts';
import { ocrFolder, withOcr } from '../support/ocr.ts';
import { scannedPdf, tiffFile } from '../support/scans.ts';
import { placeOf } from '../support/read.ts';

/** Milliseconds for pages that are recognized several times, on a machine that does other work. */
const SLOW = 240_000;

const manual = fileURLToPath(new URL('../../../../examples/manuals/user-manual.pdf', import.meta.url));
const reader = createReader({ processes: 1, megabytes: 512 });
const ocr = { folder: ocrFolder, languages: ['eng'] };
const read = (bytes: Uint8Array, name: string, options: Partial<IsolatedReadOptions> = { ocr }) => reader.read(bytes, { name, ...options });
afterAll(() => reader.close());

describe('scans without OCR', () => {
  const blank: Bitmap = { width: 20, height: 20, data: new Uint8Array(400) };

  it('cause an error if there is no other text, else are listed', async () => {
    const [scan, mixed] = [scannedPdf([blank, blank]), scannedPdf(['Fill the tank.', blank, blank])];
    await expect(read(scan, 'a.pdf', {})).rejects.toMatchObject({
      code: 'no_text_layer',
      message: 'a.pdf has no text layer: its 2 pages are pictures, a scan perhaps.',
    });
    expect((await read(mixed, 'a.pdf', {})).metadata).toMatchObject({ pages: 3, pages_without_text: '2-3' });
  });

  it('cause an error with the missing languages if one is not installed', async () => {
    await expect(read(scannedPdf([blank]), 'a.pdf', { ocr: { folder: folder(), languages: ['eng', 'deu'] } })).rejects.toMatchObject({
      code: 'no_ocr',
      message: 'a.pdf has pages without a text layer, and OCR is not set up.',
      languages: ['eng', 'deu'],
    });
  });
});

withOcr('OCR', () => {
  /** The upper part of a page of the example manual at 300 dpi: headings, paragraphs and a list. */
  let page: Bitmap;
  beforeAll(async () => {
    const pictures = await openPictures({ bytes: readFileSync(manual), file_type: 'pdf', folder: ocrFolder });
    const { bitmap } = await pictures.draw(2);
    await pictures.close();
    page = { ...bitmap, height: 900, data: bitmap.data.subarray(0, 900 * bitmap.width) };
  });

  it('recognizes the scanned pages of a mixed document, in their order', async () => {
    const parsed = await read(scannedPdf(['Fill the tank.', page, 'Descale it.']), 'mixed.pdf');
    expect(parsed.text).toContain(
      'Read this chapter before you plug the machine in. The machine works with hot water, steam and pressure;',
    );
    expect(['Fill', 'Intended use', 'Descale'].map((words) => placeOf(parsed, words)?.page)).toEqual([1, 2, 3]);
    expect(parsed.metadata).toMatchObject({ pages: 3, ocr_pages: 1 });
    expect(parsed.metadata['ocr_confidence']).toBeGreaterThan(0.85);
  });

  it(
    'recognizes rotated and skewed pages',
    async () => {
      const askew = deskewBitmap(page, (1.5 * Math.PI) / 180);
      const parsed = await read(scannedPdf([rotateBitmap(page, 90), rotateBitmap(askew, 180), rotateBitmap(askew, 270)]), 'turned.pdf');
      const pages = [0, 1, 2].map((i) => parsed.text.slice(parsed.marks![i]!.at, parsed.marks![i + 1]?.at));
      for (const text of pages) expect(text).toContain('Use it indoors only, at room temperatures between');
    },
    SLOW,
  );

  it(
    'recognizes pictures, and each page of a TIFF',
    async () => {
      const parsed = await read(tiffFile([page, rotateBitmap(page, 180)]), 'scan.tiff');
      expect(parsed.metadata).toMatchObject({ pages: 2, ocr_pages: 2 });
      expect(parsed.text.match(/Intended use/g)).toHaveLength(2);
    },
    SLOW,
  );

  it('tells which page it recognizes', async () => {
    const shown: PageInWork[] = [];
    const white: Bitmap = { width: 200, height: 200, data: new Uint8Array(40_000).fill(255) };
    const bytes = scannedPdf(['Fill the tank.', white, white]);
    await read(bytes, 'a.pdf', { ocr, onPage: (page_in_work) => shown.push(page_in_work) });
    expect(shown).toEqual([
      { source: 'a.pdf', page: 2, count: 1, total: 2 },
      { source: 'a.pdf', page: 3, count: 2, total: 2 },
    ]);
  });

  it('finds that a picture has no text, which is not a failure of each ingest', async () => {
    const white: Bitmap = { width: 400, height: 400, data: new Uint8Array(160_000).fill(255) };
    for (const [name, bytes] of [
      ['a.pdf', scannedPdf([white])],
      ['a.tiff', tiffFile([white])],
    ] as const)
      await expect(read(bytes, name)).rejects.toMatchObject({ code: 'no_text' });
  });

  it('reads a scan with the extension of another format', async () => {
    expect(await read(scannedPdf([page]), 'a.docx')).toMatchObject({ file_type: 'pdf', metadata: { ocr_pages: 1 } });
  });

  it('skips a page that takes too long, and stops when the run is aborted', async () => {
    const pool = new OcrPool({ processes: 1, seconds: 0.05, megabytes: 1536 });
    const scan = { bytes: scannedPdf([page]), file_type: 'pdf', folder: ocrFolder, languages: ['eng'], pages: [1] };
    expect((await pool.recognize(scan)).size).toBe(0);
    await expect(pool.recognize({ ...scan, signal: AbortSignal.abort() })).rejects.toThrow();
    await pool.close();
  });
});
