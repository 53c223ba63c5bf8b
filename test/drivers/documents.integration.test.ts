import { afterAll, describe, expect, it } from 'vitest';
import { scannedPdf } from '../../packages/documents/test/support/scans.ts';
import { lockedPdf } from '../../packages/documents/test/support/locked-pdf.ts';
import { createReaders } from '../../src/drivers/documents.ts';
import type { ScanSettings } from '../../src/ports/reading.ts';
import { folder } from '../support/folder.ts';

const readers = createReaders({ processes: 1, seconds: 60, megabytes: 512 });
afterAll(() => readers.close());
const read = (bytes: Uint8Array | string, source: string, settings: Partial<ScanSettings> = {}, signal?: AbortSignal) => {
  const reader = readers.open({ ocr: 'report', passwords: [], ...settings });
  return reader.read(Buffer.from(bytes as string), { source, file_type: reader.fileType(source)!, signal });
};
const blank = { width: 20, height: 20, data: new Uint8Array(400) };

describe('an error of a document', () => {
  it('is one of kb, with its code and what kb can do about it', async () => {
    await expect(read('', 'a.pdf')).rejects.toMatchObject({ name: 'KbError', code: 'invalid', hasNoText: true });
    await expect(read('%PDF-1.7\nbroken', 'a.pdf')).rejects.toMatchObject({ name: 'KbError', code: 'invalid', hasNoText: false });
    await expect(read(scannedPdf([blank]), 'a.pdf')).rejects.toMatchObject({
      code: 'invalid',
      hint: expect.stringContaining('ingestion.docs.ocr: auto'),
    });
    const locked = lockedPdf('Fill the tank.', { user: 'Sesam', owner: 'hush' });
    await expect(read(locked, 'a.pdf')).rejects.toMatchObject({ hint: expect.stringContaining('KB_PDF_PASSWORD') });
    await expect(read(locked, 'a.pdf', { passwords: ['no'] })).rejects.toMatchObject({
      hint: expect.stringContaining('one password a line'),
    });
  });

  it('names the command that installs what OCR lacks', async () => {
    const before = process.env['KB_OCR_FOLDER'];
    process.env['KB_OCR_FOLDER'] = folder();
    try {
      await expect(read(scannedPdf([blank]), 'a.pdf', { ocr: 'auto', languages: 'eng+deu' })).rejects.toMatchObject({
        code: 'setup',
        hint: 'Install it with: kb setup-ocr eng deu',
      });
    } finally {
      if (before === undefined) delete process.env['KB_OCR_FOLDER'];
      else process.env['KB_OCR_FOLDER'] = before;
    }
  });

  it('is an abort if the work was stopped', async () => {
    await expect(read('<p>a</p>', 'a.html', {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'KbError', code: 'aborted' });
  });
});

it('pages that are pictures are listed unless the settings say off', async () => {
  const mixed = scannedPdf(['Fill the tank.', blank]);
  expect((await read(mixed, 'a.pdf')).metadata).toMatchObject({ pages: 2, pages_without_text: '2' });
  expect((await read(mixed, 'a.pdf', { ocr: 'off' })).metadata).not.toHaveProperty('pages_without_text');
});
