import { lastSentenceEnd } from './sentences.ts';
import { isSpace } from './whitespace.ts';

/** How far around an offset a grapheme or a word of a script without spaces is looked for. */
const REACH = 64;

/** From here on (Thai, Khmer, kana, Han …) scripts are written without spaces between words. */
const SPACELESS = 0x0e00;

const CLOSING = /[\p{Pe}\p{Pf}\p{Po}]/u;

/** The best place to cut running text at, within `from` to `to`: after a sentence, else a line, a word, a grapheme. */
export function cutText(text: string, from: number, to: number): number {
  const sentence = lastSentenceEnd(text, from, to);
  return sentence >= from ? sentence : cutLine(text, from, to);
}

/** The best place to cut text at whose lines mean something, such as code: after a line, else a word, a grapheme. */
export function cutLine(text: string, from: number, to: number): number {
  const line = text.slice(from, to + 1).lastIndexOf('\n');
  return line >= 0 ? from + line : cutWord(text, from, to);
}

/** After a word within `from` to `to`; where there is none, between two graphemes; one behind `to` where the pair of a surrogate fills the room. */
export function cutWord(text: string, from: number, to: number): number {
  const word = text.charCodeAt(to) >= SPACELESS ? cutSpaceless(text, from, to) : -1;
  if (word >= from) return word;
  for (let at = to; at >= from; at--) if (isSpace(text.charCodeAt(at))) return at;
  return cutGrapheme(text, from, to);
}

/** Before a word of a script without spaces; not before a mark that belongs to the words in front of it. -1 where none begins near. */
function cutSpaceless(text: string, from: number, to: number): number {
  let at = segmentStart(text, to, 'word');
  for (let tries = 0; at > from && tries < 4 && CLOSING.test(text.charAt(at)); tries++) at = segmentStart(text, at - 1, 'word');
  return at >= from ? at : -1;
}

function cutGrapheme(text: string, from: number, to: number): number {
  if (isAscii(text, to)) return to;
  const grapheme = segmentStart(text, to, 'grapheme');
  if (grapheme >= from) return grapheme;
  if (!isLowSurrogate(text.charCodeAt(to))) return to;
  return to > from ? to - 1 : to + 1;
}

/** Where the next word begins in a script without spaces; -1 where the text at `offset` is in another one, or none begins near. */
export function nextSpacelessWord(text: string, offset: number): number {
  if (text.charCodeAt(offset) < SPACELESS) return -1;
  const { start, found, reached } = segmentAround(text, offset, 'word');
  if (!found) return -1;
  const end = start + found.index + found.segment.length;
  return end < reached ? end : -1;
}

/** Where the word or grapheme that holds `offset` begins: `offset` itself where one begins there; -1 where that is too far away to be seen. */
function segmentStart(text: string, offset: number, granularity: 'word' | 'grapheme'): number {
  const { start, found } = segmentAround(text, offset, granularity);
  return !found || (found.index === 0 && start > 0) ? -1 : start + found.index;
}

/** Segments no more than the text around an offset, from `start` to `reached`. */
function segmentAround(text: string, offset: number, granularity: 'word' | 'grapheme') {
  let start = Math.max(0, offset - REACH);
  if (isLowSurrogate(text.charCodeAt(start))) start += 1;
  const reached = Math.min(text.length, offset + REACH);
  return {
    start,
    reached,
    found: segmenter(granularity)
      .segment(text.slice(start, reached))
      .containing(offset - start),
  };
}

/** Whether the characters on both sides of `offset` are ASCII, and so may be parted. */
function isAscii(text: string, offset: number): boolean {
  return text.charCodeAt(offset) < 128 && text.charCodeAt(offset - 1) < 128;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

const segmenters = new Map<string, Intl.Segmenter>();

/** Made when it is first needed: it costs milliseconds, and most documents never need one. */
function segmenter(granularity: 'word' | 'grapheme'): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('und', { granularity });
  segmenters.set(granularity, made);
  return made;
}
