import { isUtf8 } from 'node:buffer';
import { looksLikeText } from './signatures.ts';
import type { ParseTask } from './process/parse-messages.ts';

/** Bytes, at most: decoding them and looking for a heading takes less than a millisecond. */
const MOST_BYTES = 256 * 2 ** 10;
/** Bytes of front matter, at most: what YAML makes of its aliases and merged keys stays small. */
const MOST_FRONT_MATTER = 4 * 2 ** 10;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Whether a document may be parsed in this process: a short text in UTF-8, whose parser takes linear time and no more memory than a few times its size.
 * What has to be guessed (its encoding, what it is if no text) or expanded (much front matter) is for a process that can be stopped.
 */
export function isShortText({ bytes, file_type }: ParseTask): boolean {
  if (bytes.length === 0 || bytes.length > MOST_BYTES || (file_type !== 'markdown' && file_type !== 'text')) return false;
  return isUtf8(bytes) && !bytes.includes(0) && looksLikeText(bytes) && (file_type === 'text' || hasShortFrontMatter(bytes));
}

/** Whether a text begins with none, or with some that ends within its bound. */
function hasShortFrontMatter(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = text.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const head = text.subarray(start, start + MOST_FRONT_MATTER).toString('latin1');
  return !head.startsWith('---') || head.includes('\n---');
}
