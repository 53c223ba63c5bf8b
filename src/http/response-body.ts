import { operatorAdvice } from '../core/advice/advice.ts';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../core/byte-collector.ts';
import { KbError } from '../core/errors.ts';

/** Value of `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

interface Limits {
  /** The address without credentials. */
  name: string;
  max_bytes: number;
  /** Whether a longer body is truncated instead of rejected. */
  truncates?: boolean | undefined;
  /** Whether the limit comes from the configuration. */
  isConfigured?: boolean | undefined;
}

const tooLarge = ({ name, max_bytes, isConfigured }: Limits): KbError =>
  new KbError('too_large', `${name} is too large: it exceeds the limit of ${max_bytes} bytes.`, {
    hint: isConfigured ? operatorAdvice`Raise network.max_bytes if it is to be read all the same.` : 'Have it split, or leave it out.',
  });

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const isZlib = (bytes: Uint8Array): boolean => (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0;

const DECOMPRESSORS: Record<string, Decompress> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  // "deflate" means a zlib stream; some servers send raw deflate (RFC 9110, 8.4.1.2)
  deflate: (bytes, options) => (isZlib(bytes) ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options)),
};

/** Reads a body up to the limit; a body that announces more is not read. Throws a KbError (`too_large`), unless it may be truncated. */
export async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  announced: string | undefined,
  limits: Limits,
): Promise<Uint8Array> {
  const bytes = new ByteCollector();
  try {
    if (!limits.truncates && Number(announced) > limits.max_bytes) throw tooLarge(limits);
    for await (const piece of body) {
      bytes.add(piece);
      if (bytes.length <= limits.max_bytes) continue;
      if (!limits.truncates) throw tooLarge(limits);
      return bytes.concat(limits.max_bytes);
    }
  } finally {
    body.destroy();
  }
  return bytes.concat();
}

/** Maximum milliseconds and bytes for discarding a body: beyond that, a new connection costs less. */
const DISCARD_TIMEOUT = 1_000;
const DISCARD_LIMIT = 16_384;

/** Reads a body within a time limit, after which reading fails. */
export async function readInTime<T>(body: { destroy(): unknown }, read: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => body.destroy(), DISCARD_TIMEOUT);
  return read().finally(() => clearTimeout(timer));
}

/** Discards a body: a short one is read to its end, so that its connection can be used again, a longer one is cut off. */
export async function discardBody(body: Dispatcher.ResponseData['body'], signal: AbortSignal): Promise<void> {
  await body.dump({ limit: DISCARD_LIMIT, signal: AbortSignal.any([signal, AbortSignal.timeout(DISCARD_TIMEOUT)]) }).catch(() => {});
}

/** Content codings (IANA registry) that kb cannot decode. Other names are ignored, as browsers do: some servers send character sets there. */
const UNSUPPORTED_ENCODINGS = new Set(['aes128gcm', 'compress', 'x-compress', 'dcb', 'dcz', 'exi', 'pack200-gzip', 'zstd']);
/** Maximum encodings of a body. */
const MAX_ENCODINGS = 4;

/**
 * Decodes `Content-Encoding`, the last encoding first, up to the limit. Throws a KbError: `too_large`, or `invalid` for an unknown encoding
 * or broken data.
 */
export async function decodeContent(bytes: Uint8Array, encoding: string | undefined, limits: Limits): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes;
  const names = (encoding?.toLowerCase() ?? '').split(',').map((name) => name.trim());
  const layers = names.filter((name) => Object.hasOwn(DECOMPRESSORS, name) || UNSUPPORTED_ENCODINGS.has(name));
  if (layers.length > MAX_ENCODINGS || layers.some((name) => UNSUPPORTED_ENCODINGS.has(name)))
    throw new KbError(
      'invalid',
      `${limits.name} is compressed as "${layers.slice(0, MAX_ENCODINGS + 1).join(', ')}", which kb cannot read.`,
      {
        hint: `It reads ${ACCEPTED_ENCODINGS}.`,
      },
    );
  for (const name of layers.toReversed()) bytes = await decompressLayer(bytes, name, limits);
  return bytes;
}

async function decompressLayer(bytes: Uint8Array, name: string, limits: Limits): Promise<Uint8Array> {
  try {
    return await DECOMPRESSORS[name]!(bytes, { maxOutputLength: limits.max_bytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limits);
    throw new KbError('invalid', `${limits.name} says that it is compressed as "${name}", but cannot be decompressed.`, {
      hint: 'Something on the way broke it: try again.',
      cause,
      isRetryable: true,
    });
  }
}
