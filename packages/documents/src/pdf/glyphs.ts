import type { OperatorList } from './drawing.ts';
import type { PdfItem } from './lines.ts';

/** The operation of pdf.js that draws glyphs. */
const SHOW_TEXT = 44;
/** Minimum share of a page's characters that are such, and the maximum share of letters where its fonts are in doubt. */
const MAX_UNREADABLE = 0.3;
const MIN_LETTERS = 0.5;
/** Maximum runs and minimum characters that are judged. */
const MAX_JUDGED = 300;
const MIN_JUDGED = 20;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** What pdf.js makes of a ligature of lam and alef: it reverses the letters of a line, and those of the ligature, too. */
const REVERSED = /[\u0622\u0623\u0625\u0627]\u0644/;

/** Whether a run may have reversed ligatures; "al-" at the beginning of words looks like them. */
export const mayHaveLigatures = (items: readonly PdfItem[]): boolean => items.some(({ str }) => REVERSED.test(str));

/** Puts the letters of Arabic ligatures in their order, as the glyphs of the page tell it. */
export function orderLigatures(items: readonly PdfItem[], drawing: OperatorList): readonly PdfItem[] {
  const glyphs = arabicGlyphs(drawing);
  if (glyphs.every((glyph) => glyph.length < 2)) return items;
  const drawn = glyphs.join('');
  const ends: number[] = [];
  for (const glyph of glyphs) ends.push((ends.at(-1) ?? 0) + glyph.length);
  let from = 0;
  return items.map((item) => {
    const letters = Array.from(item.str).filter((letter) => RIGHT_TO_LEFT.test(letter));
    const visual = letters.toReversed().join('');
    const at = visual === '' ? -1 : drawn.indexOf(visual, from);
    if (at < 0) return item;
    from = at + visual.length;
    const first = ends.findIndex((end) => end > at);
    const last = ends.findIndex((end) => end >= from);
    const ordered = Array.from(
      glyphs
        .slice(first, last + 1)
        .toReversed()
        .join(''),
    );
    if (ordered.length !== letters.length) return item;
    return { ...item, str: item.str.replace(new RegExp(RIGHT_TO_LEFT, 'g'), () => ordered.shift()!) };
  });
}

/** Lists the letters of each glyph in drawing order, from left to right. */
function arabicGlyphs({ fnArray, argsArray }: OperatorList): string[] {
  return fnArray.flatMap((operation, i) => {
    if (operation !== SHOW_TEXT) return [];
    const [glyphs = []] = argsArray[i] as [({ unicode?: string } | number | null)[]?];
    return glyphs.flatMap((glyph) => {
      const letters = typeof glyph === 'object' ? Array.from((glyph?.unicode ?? '').normalize('NFKC')) : [];
      const arabic = letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).join('');
      return arabic === '' ? [] : [arabic];
    });
  });
}

/** Characters that no font should give a letter: private use, unassigned, control, and the one for an unknown character. */
const UNREADABLE = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu;

/** Tells whether the characters of a page can be read: `doubtful` ones are few letters among many signs. */
export function readability(items: readonly PdfItem[]): 'readable' | 'doubtful' | 'unreadable' {
  const text = items.slice(0, MAX_JUDGED).map(({ str }) => str).join('').replaceAll(' ', ''); // prettier-ignore
  if (text.replace(/[a-z]+/gi, '').length < text.length / 2) return 'readable';
  const unreadable = text.match(UNREADABLE)?.length ?? 0;
  if (unreadable > 1 && unreadable >= MAX_UNREADABLE * text.length) return 'unreadable';
  const signs = text.replace(/[\d.,…·•_]/g, '');
  const letters = signs.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  return signs.length >= MIN_JUDGED && letters < MIN_LETTERS * signs.length ? 'doubtful' : 'readable';
}

/** The used part of a font of pdf.js. */
export interface PdfFont {
  /** The font program, if it is embedded. */
  data?: unknown;
  isSymbolicFont?: boolean;
  /** Names of characters that the file gives. */
  differences?: readonly unknown[];
}

/** Whether most characters are drawn in fonts of the file's own that do not tell which characters their codes stand for. */
export function isCoded(items: readonly PdfItem[], fontOf: (name: string) => PdfFont | undefined): boolean {
  let [coded, all] = [0, 0];
  for (const { str, fontName } of items) {
    const font = fontOf(fontName);
    all += str.length;
    if (font?.data && font.isSymbolicFont && (font.differences ?? []).length === 0) coded += str.length;
  }
  return coded > all / 2;
}

/** Whether glyphs are drawn, apart from spaces. */
export const drawsGlyphs = ({ fnArray, argsArray }: OperatorList): boolean =>
  fnArray.some((operation, i) => {
    if (operation !== SHOW_TEXT) return false;
    const [glyphs = []] = argsArray[i] as [({ isSpace?: boolean } | number | null)[]?];
    return glyphs.some((glyph) => typeof glyph === 'object' && glyph?.isSpace === false);
  });
