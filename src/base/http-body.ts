import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { KbError } from './errors.ts';

/** What kb says it can inflate. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

interface Limits {
  /** The address, as it may be shown. */
  name: string;
  max_bytes: number;
  /** A body that is longer is cut and no failure. */
  cuts?: boolean | undefined;
  /** The limit is that of the configuration. */
  isConfigured?: boolean | undefined;
}

const tooLarge = ({ name, max_bytes, isConfigured }: Limits): KbError =>
  new KbError('too_large', `${name} is too large: it exceeds the limit of ${max_bytes} bytes.`, {
    hint: isConfigured ? 'Raise network.max_bytes if it is to be read all the same.' : 'Have it split, or leave it out.',
  });

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const isZlib = (bytes: Uint8Array): boolean => (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0;

const UNPACK: Record<string, Unpack> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // «deflate» means a zlib stream; some servers send the bare one (RFC 9110, 8.4.1.2)
  deflate: (bytes, options) => (isZlib(bytes) ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options)),
};

/** Reads a body to its end, and no further than the limit; a body that announces more is not read at all. Throws a KbError (`too_large`), unless it may be cut. */
export async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  announced: string | undefined,
  limits: Limits,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    if (!limits.cuts && Number(announced) > limits.max_bytes) throw tooLarge(limits);
    for await (const piece of body) {
      length += piece.length;
      pieces.push(piece);
      if (length <= limits.max_bytes) continue;
      if (!limits.cuts) throw tooLarge(limits);
      return Buffer.concat(pieces, limits.max_bytes);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(pieces, length);
}

/** Undoes a `Content-Encoding`, and stops where the limit is passed. Throws a KbError: `too_large`, `invalid` for one that is unknown or broken. */
export async function unpacked(bytes: Uint8Array, encoding: string | undefined, limits: Limits): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() || 'identity';
  if (name === 'identity' || bytes.length === 0) return bytes;
  const unpack = Object.hasOwn(UNPACK, name) ? UNPACK[name]! : undefined;
  if (!unpack)
    throw new KbError('invalid', `${limits.name} is packed as «${name}», which kb cannot read.`, {
      hint: `It reads ${ACCEPTED_ENCODINGS}.`,
    });
  try {
    return await unpack(bytes, { maxOutputLength: limits.max_bytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limits);
    throw new KbError('invalid', `${limits.name} says that it is packed as «${name}», but cannot be unpacked.`, {
      hint: 'Something on the way broke it: try again.',
      cause,
      isRetryable: true,
    });
  }
}
