import { deflateSync } from 'node:zlib';
import type { Bitmap } from '../../src/ocr/bitmap.ts';

const header = (width: number, height: number) =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;

/** A PDF of scanned pages, each as large as its bitmap at `dpi`; a text is a page with a text layer. */
export function scannedPdf(pages: readonly (Bitmap | string)[], { dpi = 300 } = {}): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const stream = (entries: string, content: string) =>
    objects.push(`<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`);
  const kids = pages.map((page) => {
    const isText = typeof page === 'string';
    const [width, height] = isText ? [612, 792] : [(page.width * 72) / dpi, (page.height * 72) / dpi];
    const first = objects.length + 1;
    stream('', isText ? `BT /F 12 Tf 72 700 Td (${page}) Tj ET` : `q ${width} 0 0 ${height} 0 0 cm /I Do Q`);
    if (!isText) stream(`${header(page.width, page.height)} /Filter /FlateDecode`, deflateSync(page.data).toString('latin1'));
    const resources = isText ? '/Font << /F 3 0 R >>' : `/XObject << /I ${first + 1} 0 R >>`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << ${resources} >> /Contents ${first} 0 R >>`);
    return `${objects.length} 0 R`;
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`;
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF\n`, 'latin1');
}

/** A TIFF without compression, one page a bitmap. */
export function tiffFile(pages: readonly Bitmap[]): Buffer {
  const parts: Buffer[] = [Buffer.from('49492a0008000000', 'hex')];
  let at = 8;
  for (const [i, { width, height, data }] of pages.entries()) {
    const tags: [tag: number, type: 3 | 4, value: number][] = [
      [256, 4, width],
      [257, 4, height],
      [258, 3, 8],
      [259, 3, 1],
      [262, 3, 1],
      [273, 4, at + 2 + 9 * 12 + 4],
      [277, 3, 1],
      [278, 4, height],
      [279, 4, data.length],
    ];
    const directory = Buffer.alloc(2 + tags.length * 12 + 4);
    directory.writeUInt16LE(tags.length);
    for (const [n, [tag, type, value]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + n * 12);
      directory.writeUInt16LE(type, 4 + n * 12);
      directory.writeUInt32LE(1, 6 + n * 12);
      directory.writeUInt32LE(value, 10 + n * 12);
    }
    at += directory.length + data.length;
    directory.writeUInt32LE(i === pages.length - 1 ? 0 : at, directory.length - 4);
    parts.push(directory, Buffer.from(data));
  }
  return Buffer.concat(parts);
}
