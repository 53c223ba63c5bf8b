/** Characters that take two columns of a terminal: East Asian Wide and Fullwidth of Unicode's EastAsianWidth.txt, in coarse ranges. Emoji are told by their property. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

/** Takes no column: marks on the letter before, controls, and the vowels and finals of a Hangul syllable in parts. */
const NARROWEST = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const PLAIN = /^[\u0020-\u007e]*$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes on a terminal, as people see it: a letter with its accents once, Chinese and emoji twice. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += EMOJI.test(segment) ? 2 : sum(segment);
  return columns;
}

function sum(grapheme: string): number {
  let columns = 0;
  for (const letter of grapheme) if (!NARROWEST.test(letter)) columns += isWide(letter.codePointAt(0)!) ? 2 : 1;
  return columns;
}

const isWide = (point: number): boolean => WIDE.some(([first, last]) => point >= first && point <= last);

/** The beginning of a text that fits, with `…` where something is missing. */
export function clipped(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (width(kept + segment) >= columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
