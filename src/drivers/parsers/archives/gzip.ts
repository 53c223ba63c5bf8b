import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KbError } from '../../../core/errors.ts';
import { brokenFile } from '../parse-failures.ts';

/** The extension of a file that is compressed by itself: `tar.1.gz`. */
export const GZIP_EXTENSION = '.gz';
/** Bytes that such a file may unpack to. */
const MOST_INFLATED = 256 * 2 ** 20;

export const isGzipName = (name: string): boolean => name.toLowerCase().endsWith(GZIP_EXTENSION);

/**
 * The bytes of a file, unpacked where its name and its beginning say that it is compressed (RFC 1952).
 * @throws KbError `too_large` beyond the bound, `invalid` for a damaged file.
 */
export async function decompress(bytes: Uint8Array, source: string): Promise<Uint8Array> {
  if (!isGzipName(source) || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MOST_INFLATED });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new KbError('too_large', `${source} unpacks to more than ${MOST_INFLATED / 2 ** 20} MiB.`, {
        hint: 'Split it, or leave it out.',
      });
    throw brokenFile(source, { file_type: 'gz', name: 'a compressed file (GZIP)' }, error);
  }
}
