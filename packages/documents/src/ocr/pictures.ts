import type { ParsedDocument } from '../types.ts';
import { textOfPages } from '../pdf/pages.ts';
import type { ParseOptions, ParserRow } from '../parser.ts';
import { readBeginning } from '../bytes.ts';

const common = {
  is_picture: true,
  recognizes(this: ParserRow, bytes: Uint8Array): boolean {
    return this.signature!.test(readBeginning(bytes));
  },
  parse: async (_: Uint8Array, options: ParseOptions) => parsePages(1, options),
};

/** Pictures of text. Their text is recognized in another process, and passed to these parsers. */
export const pictureParsers: readonly ParserRow[] = [
  { ...common, file_type: 'png', name: 'a PNG picture', extensions: ['.png'], media_types: ['image/png'], signature: /^\x89PNG\r\n/ },
  {
    ...common,
    file_type: 'jpeg',
    name: 'a JPEG picture',
    extensions: ['.jpg', '.jpeg'],
    media_types: ['image/jpeg'],
    signature: /^\xff\xd8\xff/,
  },
  {
    ...common,
    file_type: 'webp',
    name: 'a WebP picture',
    extensions: ['.webp'],
    media_types: ['image/webp'],
    signature: /^RIFF[^]{4}WEBP/,
  },
  {
    ...common,
    file_type: 'tiff',
    name: 'a TIFF picture',
    extensions: ['.tif', '.tiff'],
    media_types: ['image/tiff'],
    signature: /^(?:II\*\0|MM\0\*)/,
    parse: async (bytes, options) => parsePages(countTiffPages(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), options),
  },
];

function parsePages(count: number, { recognized = new Map() }: ParseOptions): ParsedDocument {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const pages = numbers.map((number) => ({ lines: recognized.get(number) ?? [] }));
  const { text, marks } = textOfPages(pages, []);
  const pictured = numbers.filter((number) => !recognized.has(number));
  return { text, marks, metadata: { pages: count }, ...(pictured.length > 0 ? { pictured_pages: pictured } : {}) };
}

const MAX_PAGES = 10_000;

/** Counts the directories of a TIFF file, each of which is a page (TIFF 6.0, section 2). */
function countTiffPages(bytes: Buffer): number {
  const isLittle = bytes[0] === 0x49;
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const seen = new Set<number>();
  for (let at = long(4); at > 0 && at + 2 <= bytes.length && !seen.has(at) && seen.size < MAX_PAGES;) {
    seen.add(at);
    const next = at + 2 + 12 * short(at);
    at = next + 4 <= bytes.length ? long(next) : 0;
  }
  if (seen.size === 0) throw new Error('it has no page');
  return seen.size;
}
