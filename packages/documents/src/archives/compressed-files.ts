import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DocumentError, brokenFileError } from '../errors.ts';
import { openArchive } from '../office/archive.ts';
import type { ParsedFile, ParserRow } from '../parser.ts';

/** Extension of a compressed file: `tar.1.gz`. */
const GZIP_EXTENSION = '.gz';
/** Maximum bytes of an unpacked file. */
const MAX_INFLATED = 256 * 2 ** 20;

const isGzipName = (name: string): boolean => name.toLowerCase().endsWith(GZIP_EXTENSION);

/** Returns the extension of a name, without that of compression. A shared library (`libz.so.1`) has none. */
export function extensionOf(path: string): string {
  const name = path.toLowerCase();
  if (/\.so(?:\.\d+)+$/.test(name)) return '';
  return extname(isGzipName(name) ? name.slice(0, -GZIP_EXTENSION.length) : name);
}

/**
 * Unpacks the bytes of a file if its name and its first bytes are those of gzip (RFC 1952); returns other bytes as they are.
 * @throws DocumentError `too_large` beyond the bound, `invalid` for a damaged file.
 */
export async function decompress(bytes: Uint8Array, source: string): Promise<Uint8Array> {
  if (!isGzipName(source) || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_INFLATED });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new DocumentError('too_large', `${source} unpacks to more than ${MAX_INFLATED / 2 ** 20} MiB.`, {
        hint: 'Split it, or leave it out.',
      });
    throw brokenFileError(source, { file_type: 'gz', name: 'a compressed file (GZIP)' }, error);
  }
}

/** Files that operating systems and programs add to archives, and folders. */
const BESIDE = /(?:^|\/)(?:__MACOSX\/|\.(?!\.?\/)|Thumbs\.db$|desktop\.ini$)|\/$/i;

/** The files of an archive, in the order of their names. No name becomes a path on this machine. */
export const zipParser: ParserRow = {
  file_type: 'zip',
  name: 'a ZIP archive',
  kind: 'archives',
  extensions: ['.zip'],
  is_archive: true,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const archive = await openArchive(bytes, { source });
    const names = archive.names.filter((name) => !BESIDE.test(name)).toSorted();
    return { text: '', metadata: {}, files: names.map((path) => ({ path, bytes: async () => (await archive.content(path))! })) };
  },
};
