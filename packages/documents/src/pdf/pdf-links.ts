import { oneLine } from '../markdown/write.ts';
import type { PdfAnnotation } from './pdf-file.ts';
import type { PageText, PdfItem } from './pdf-lines.ts';

/** A link, with the words before it in its line. */
export interface PageLink {
  before: string;
  words: string;
  url: string;
}

/** Maximum links and runs of a page that are read; a page for people has fewer. */
const MAX_LINKS = 300;
const MAX_ITEMS = 5_000;
const MAX_LENGTH = 2_000;
/** Characters before a link that distinguish it from the same words elsewhere. */
const CONTEXT = 20;
/** Minimum gap between two runs that is a space, in font sizes. */
const SPACE = 0.2;

/** Lists the web links of a page, with the words inside their rectangles. */
export function pageLinks(items: readonly PdfItem[], annotations: readonly PdfAnnotation[]): PageLink[] {
  const external = annotations.filter(({ url }) => url !== undefined && url.length <= MAX_LENGTH && /^https?:\/\//i.test(url));
  const near = items.slice(0, MAX_ITEMS);
  return external.slice(0, MAX_LINKS).flatMap(({ rect, url }) => {
    const parts = near.flatMap((item, index) => linkedPart(item, rect, near[index - 1]) ?? []);
    const words = oneLine(parts.map(({ inside, isApart }) => (isApart ? ` ${inside}` : inside)).join('')).replace(BEHIND, '');
    return words === '' ? [] : [{ before: parts[0]!.before, words, url: url! }];
  });
}

/** Punctuation behind a link. */
const BEHIND = /(?:(?<!\([^()]*)\))?[.,;:]?$/;

interface LinkedPart {
  before: string;
  inside: string;
  /** Whether a space separates it from the run before. */
  isApart: boolean;
}

/** Finds the words of a run inside a rectangle, by their share of its width, and the words before them; undefined if there are none. */
function linkedPart(item: PdfItem, rect: readonly number[], previous: PdfItem | undefined): LinkedPart | undefined {
  const { str, transform, width } = item;
  const [left = 0, lower = 0, right = 0, upper = 0] = rect;
  const [, , , size = 0, x = 0, y = 0] = transform;
  const middle = y + size / 4;
  if (middle < lower || middle > upper || x >= right || x + width <= left || width <= 0) return undefined;
  const [start, end] = wordsBetween(item, left, right);
  if (str.slice(start, end).trim() === '') return undefined;
  const isInLine = previous !== undefined && previous.transform[5] === y;
  const isApart = !isInLine || x - previous.transform[4]! - previous.width > SPACE * size;
  const above = start < CONTEXT && isInLine ? `${previous.str}${isApart ? ' ' : ''}` : '';
  return { before: oneLine((above + str.slice(0, start)).slice(-CONTEXT)), inside: str.slice(start, end), isApart };
}

/** Widths of letters in most fonts, in font sizes; others are as wide as most small letters. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijl'’|]/, 0.24],
  [/[\s.,:;!ftI()[\]/]/, 0.28],
  [/[r"“”-]/, 0.34],
  [/[mwMW@%—]/, 0.83],
  [/[\p{Lu}&]/u, 0.69],
];
const USUAL_WIDTH = 0.53;

const widthOf = (letter: string): number => WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? USUAL_WIDTH;

/** Finds the words of a run between two places. Letters are taken to be as wide as in most fonts, or equally wide; the guess whose words end nearer to the places is used. */
function wordsBetween({ str, transform, width }: PdfItem, left: number, right: number): [start: number, end: number] {
  const edges = Array.from({ length: str.length + 1 }, (_, i) => i).filter((i) => isWordEdge(str, i));
  const guesses = [widthOf, () => 1].map((widthIn) => {
    const places = [0];
    for (const letter of str.split('')) places.push(places.at(-1)! + widthIn(letter));
    const distance = (i: number, place: number): number => Math.abs(transform[4]! + (places[i]! / places.at(-1)!) * width - place);
    const nearest = (place: number): number => edges.reduce((best, i) => (distance(i, place) < distance(best, place) ? i : best));
    const [start, end] = [nearest(left), nearest(right)];
    // a link may begin before a run and end behind it
    const error = (start === 0 ? 0 : distance(start, left)) + (end === str.length ? 0 : distance(end, right));
    return { start, end, error };
  });
  const { start, end } = guesses.reduce((best, guess) => (guess.error < best.error ? guess : best));
  return [start, end];
}

/** Whether a word begins or ends at an offset, with or without the punctuation behind it. */
const isWordEdge = (text: string, at: number): boolean =>
  at === 0 ||
  at === text.length ||
  /\s/.test(text[at]!) !== /\s/.test(text[at - 1]!) ||
  (/[\p{L}\p{N}]/u.test(text[at - 1]!) && /^[.,;:)]{1,3}(?:\s|$)/.test(text.slice(at, at + 4)));

/** Inserts links into the Markdown of a page, where their words are found once, or behind the same words. An address that is spelled out is a link already. */
export function insertLinks({ text: written, places: known }: PageText, links: readonly PageLink[]): Pick<PageText, 'text' | 'places'> {
  let [text, places] = [written, known];
  for (const { before, words, url } of links) {
    if (/[[\]|`\n]|https?:|www\./i.test(words)) continue;
    const at = findWords(text, words, before);
    if (at < 0 || isInCode(text, at) || isInLink(text, at)) continue;
    const link = `[${words}](${destination(url)})`;
    text = text.slice(0, at) + link + text.slice(at + words.length);
    places = places.map((place) => (place.at > at ? { ...place, at: place.at + link.length - words.length } : place));
  }
  return { text, places };
}

/** Whether an offset is inside a link: several areas may cover the same words. */
function isInLink(markdown: string, at: number): boolean {
  const start = markdown.lastIndexOf('[', at);
  const link = start < 0 ? null : /^\[[^[\]\n]*\]\([^()\s]*\)/.exec(markdown.slice(start, start + 2 * MAX_LENGTH));
  return link !== null && start + link[0].length > at;
}

/** Whether an offset is inside a fenced block. */
const isInCode = (markdown: string, at: number): boolean => (markdown.slice(0, at).match(/^```/gm) ?? []).length % 2 === 1;

function findWords(text: string, words: string, before: string): number {
  const known = before === '' ? -1 : text.indexOf(`${before} ${words}`);
  const at = known >= 0 ? known + before.length + 1 : text.indexOf(words);
  if (at < 0 || (known < 0 && text.indexOf(words, at + 1) >= 0)) return -1;
  const isWhole = !/[\p{L}\p{N}]/u.test((text[at - 1] ?? '') + (text[at + words.length] ?? ''));
  return isWhole ? at : -1;
}

const destination = (url: string): string => url.replace(/[\s()<>]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
