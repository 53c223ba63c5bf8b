import { extname } from 'node:path';
import type { HttpAnswer } from '../../../http/message.ts';
import type { DocumentReader } from '../../../ports/reading.ts';

/** Types that a server gives to what it knows nothing about: the extension of the address says more. */
const VAGUE = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream', 'application/download']);

/** Which of the reader's kinds an answer is, by its media type or else by the extension of its address and how it begins; undefined for one that it cannot read. */
export function fileTypeOf(
  { content_type, url, bytes }: Pick<HttpAnswer, 'content_type' | 'url' | 'bytes'>,
  reader: DocumentReader,
): string | undefined {
  const known = reader.fileTypeOfMedia(content_type);
  if (known !== undefined) return known;
  if (!VAGUE.has(content_type)) return content_type.startsWith('text/') ? reader.fileType('document.txt') : undefined;
  const named = reader.fileType(`document${extname(new URL(url).pathname)}`);
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1').trimStart().toLowerCase();
  if (start.startsWith('%pdf-')) return reader.fileType('document.pdf');
  if (named || content_type === 'application/octet-stream') return named;
  return reader.fileType(start.startsWith('<!doctype html') || start.startsWith('<html') ? 'document.html' : 'document.txt');
}

/** Whether only the bytes of an answer can tell what it is: one that is called by no type, at an address that ends in no extension (`/download?id=5`). */
export const isToldByBytes = ({ content_type, url }: Pick<HttpAnswer, 'content_type' | 'url'>): boolean =>
  VAGUE.has(content_type) && extname(new URL(url).pathname) === '';

const MARKS: [charset: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The character set that a byte order mark names; undefined where there is none. */
export const markedCharset = (bytes: Uint8Array): string | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];

/** Whether a media type is one of text, for which a character set means something. */
const isText = (content_type: string): boolean => /^text\/|[/+](xml|json)$|csv|ndjson|jsonl/.test(content_type);

/** The bytes of an answer; those of a text in UTF-8, where its header names another character set. A byte order mark wins over the header (WHATWG Encoding, 6). */
export function inUtf8({ bytes, charset, content_type }: Pick<HttpAnswer, 'bytes' | 'charset' | 'content_type'>): Uint8Array {
  if (charset === undefined || charset === 'utf-8' || markedCharset(bytes) !== undefined || !isText(content_type)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    return bytes;
  }
}
