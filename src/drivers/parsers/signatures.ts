import { isUtf16 } from './encoding.ts';

/** How far into a file its type is looked for. Readers of PDF look for its header in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1). */
const HEAD = 1024;
const SAMPLE = 4096;
/** A larger share of control characters than this is no text. */
const MOST_CONTROL = 0.1;

const startsWith = (bytes: Uint8Array, ...magic: number[]): boolean => magic.every((byte, i) => bytes[i] === byte);
const latin1 = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString('latin1');
/** The bytes in which the type of a file is looked for, as Latin-1. */
export const beginningOf = (bytes: Uint8Array): string => latin1(bytes, HEAD);
/** Whether bytes begin as a ZIP archive does. */
export const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0x50, 0x4b, 5, 6);
/** Whether bytes begin as a file of an Office version before 2007 does, or as one with a password. */
export const isCompound = (bytes: Uint8Array): boolean => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
/** Whether a compound file (MS-CFB) has a stream of one of these names in its folder. */
export const holdsStream = (bytes: Uint8Array, ...names: string[]): boolean =>
  names.some((name) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from(`${name}\0`, 'utf16le')));

const CONTROL = /[\u0001-\u0008\u000b\u000e-\u001f\ufffd]/g;

/** Not the opening of another format, and hardly a control character. NUL does not count: some programs pad text with it. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d) || isZip(bytes) || isCompound(bytes)) return false;
  const wide = isUtf16(bytes);
  const start = wide ? new TextDecoder(wide).decode(bytes.subarray(0, SAMPLE)) : latin1(bytes, SAMPLE);
  return (start.match(CONTROL)?.length ?? 0) <= start.length * MOST_CONTROL;
}
