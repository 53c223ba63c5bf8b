import type { HttpAnswer } from './message.ts';

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
