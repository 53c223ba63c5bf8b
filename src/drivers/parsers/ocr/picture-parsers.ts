import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParseOptions, ParserRow } from '../parser-row.ts';
import { beginningOf } from '../bytes.ts';
import { textOfPages } from '../pdf/page-text.ts';

const MOST_PAGES = 10_000;

/** Pictures of text. What they show is recognized in another process, and comes back here to become a document. */
export const pictureParsers: readonly ParserRow[] = [
  row({ file_type: 'png', name: 'a PNG picture', extensions: ['.png'], media_types: ['image/png'], signature: /^\x89PNG\r\n/ }),
  row({
    file_type: 'jpeg',
    name: 'a JPEG picture',
    extensions: ['.jpg', '.jpeg'],
    media_types: ['image/jpeg'],
    signature: /^\xff\xd8\xff/,
  }),
  row({ file_type: 'webp', name: 'a WebP picture', extensions: ['.webp'], media_types: ['image/webp'], signature: /^RIFF[^]{4}WEBP/ }),
  row({
    file_type: 'tiff',
    name: 'a TIFF picture',
    extensions: ['.tif', '.tiff'],
    media_types: ['image/tiff'],
    signature: /^(?:II\*\0|MM\0\*)/,
    pagesOf: tiffPages,
  }),
];

interface PictureKind extends Required<Pick<ParserRow, 'file_type' | 'name' | 'extensions' | 'media_types' | 'signature'>> {
  pagesOf?: (bytes: Buffer) => number;
}

function row({ pagesOf = () => 1, ...kind }: PictureKind): ParserRow {
  return {
    ...kind,
    is_picture: true,
    recognizes: (bytes) => kind.signature.test(beginningOf(bytes)),
    async parse(bytes: Uint8Array, { recognized = new Map() }: ParseOptions): Promise<ParsedDocument> {
      const numbers = Array.from({ length: pagesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) }, (_, i) => i + 1);
      const { title: _title, ...read } = textOfPages(
        numbers.map((number) => recognized.get(number) ?? []),
        [],
      );
      const pictured = numbers.filter((number) => !recognized.has(number));
      return { ...read, metadata: { pages: numbers.length }, ...(pictured.length > 0 ? { pictured_pages: pictured } : {}) };
    },
  };
}

/** The directories of a TIFF file, each of which is a page (TIFF 6.0, section 2). */
function tiffPages(bytes: Buffer): number {
  const isLittle = bytes[0] === 0x49;
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const met = new Set<number>();
  for (let at = long(4); at > 0 && at + 2 <= bytes.length && !met.has(at) && met.size < MOST_PAGES;) {
    met.add(at);
    const next = at + 2 + 12 * short(at);
    at = next + 4 <= bytes.length ? long(next) : 0;
  }
  if (met.size === 0) throw new Error('it has no page');
  return met.size;
}
