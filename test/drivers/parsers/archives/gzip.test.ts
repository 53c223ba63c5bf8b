import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createReaders } from '../../../../src/drivers/parsers/ocr/scan-reader.ts';
import { createDocumentReader } from '../../../../src/drivers/parsers/reader.ts';

const readers = createReaders(createDocumentReader({ processes: 1, seconds: 20, megabytes: 512 }), { processes: 1 });
afterAll(() => readers.close());
const reader = readers.open({ ocr: 'report', passwords: [] });
const read = (source: string, bytes: Uint8Array) => reader.read(bytes, { source, file_type: reader.fileType(source)! });

describe('a file that is compressed by itself', () => {
  it('is read as what its name says without .gz', async () => {
    expect(await read('notes.md.gz', gzipSync('# Notes\n\nDry it.\n'))).toMatchObject({ title: 'Notes', text: '# Notes\n\nDry it.\n' });
  });

  it('is read as it is where only its name says so', async () => {
    expect(await read('notes.txt.gz', Buffer.from('Dry it.'))).toMatchObject({ text: 'Dry it.' });
  });

  it('is refused where it is damaged, or unpacks to too much', async () => {
    await expect(read('notes.md.gz', gzipSync('# Notes\n\nDry it.\n').subarray(0, 20))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^notes\.md\.gz cannot be read as a compressed file \(GZIP\): unexpected end of file\.$/),
    });
    await expect(read('notes.md.gz', gzipSync(Buffer.alloc(257 * 2 ** 20)))).rejects.toMatchObject({
      code: 'too_large',
      message: 'notes.md.gz unpacks to more than 256 MiB.',
    });
  });
});
