import { linkTarget, oneLine } from '../markdown/write.ts';
import type { PdfAnnotation, PdfFile } from './file.ts';
import { FIELD_FONT, type PageText, type PageTurn, type PdfItem } from './lines.ts';

/** Types of annotations of pdf.js: links, text that is typed onto a page, and fields of a form. */
const LINK_ANNOTATION = 2;
const FREE_TEXT_ANNOTATION = 3;
const FIELD_ANNOTATION = 20;
/** Maximum fields of a page. */
const MAX_FIELDS = 3000;
/** Size of the letters of a field that does not tell it, as a share of its height; and the largest. */
const LETTERS = 0.6;
const MAX_SIZE = 12;
/** Space between a label and its field, and the width of most letters, in font sizes. */
const SPACE = 0.4;
const LETTER_WIDTH = 0.5;
/** Distance of lines of a field, in font sizes. */
const LEADING = 1.2;
/** Maximum links and runs of a page that are read; a page for people has fewer. */
const MAX_LINKS = 300;
const MAX_ITEMS = 5_000;
const MAX_LENGTH = 2_000;
/** Characters before a link that distinguish it from the same words elsewhere. */
const CONTEXT = 20;
/** Minimum gap between two runs that is a space, in font sizes. */
const WORD_GAP = 0.2;
/** Width of most small letters in most fonts, in font sizes. */
const USUAL_WIDTH = 0.53;

/** Flags of annotations that nobody sees (ISO 32000-1, 12.5.3): hidden, and not shown on a screen. */
const UNSEEN = 2 | 32;

/** A text in a rectangle, in the coordinates of upright text. */
interface Filled {
  lines: string[];
  isBox: boolean;
  size: number;
  left: number;
  right: number;
  lower: number;
  upper: number;
}

/** Lists the links, fields and typed texts of all pages; none if a page is damaged. */
export const annotationsIn = async (file: PdfFile): Promise<PdfAnnotation[]> =>
  (await file.getAnnotationsByType(new Set([LINK_ANNOTATION, FREE_TEXT_ANNOTATION, FIELD_ANNOTATION]), new Set()).catch(() => null)) ?? [];

/** Inserts what is filled into the fields of a form, and what is typed onto a page, into its runs: behind the label on the left, in front of that on the right of a box, or below. */
export function insertAnnotations(items: readonly PdfItem[], annotations: readonly PdfAnnotation[], turn: PageTurn): readonly PdfItem[] {
  const filled = annotations.slice(0, MAX_FIELDS).flatMap((annotation) => readAnnotation(annotation, turn) ?? []);
  if (filled.length === 0) return items;
  const placed = items.map((item) => ({ item, ...placeOf(item, turn), isFilled: false }));
  for (const field of filled.toSorted((a, b) => b.upper - a.upper || a.left - b.left)) insertField(placed, field, turn);
  return placed.map(({ item }) => item);
}

/** Reads the text of an annotation; undefined if it shows none. */
function readAnnotation(annotation: PdfAnnotation, turn: PageTurn): Filled | undefined {
  const { rect, defaultAppearanceData } = annotation;
  const text = filledText(annotation);
  if (text === undefined) return undefined;
  const corners = [turnBack(rect[0]!, rect[1]!, turn), turnBack(rect[2]!, rect[3]!, turn)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [lower, upper] = [Math.min(...ys), Math.max(...ys)];
  const size = defaultAppearanceData?.fontSize || Math.min(MAX_SIZE, LETTERS * (upper - lower)) || MAX_SIZE;
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return { lines, isBox: isBox(annotation), size, left: Math.min(...xs), right: Math.max(...xs), lower, upper };
}

/** Returns the text that an annotation shows; undefined if it shows none. */
export function filledText(annotation: PdfAnnotation): string | undefined {
  const isSeen = ((annotation.annotationFlags ?? 0) & UNSEEN) === 0;
  return (isSeen && textOf(annotation).trim()) || undefined;
}

const isBox = ({ checkBox, radioButton }: PdfAnnotation): boolean => checkBox === true || radioButton === true;

function textOf(annotation: PdfAnnotation): string {
  const { annotationType, fieldType, fieldValue, options = [], contentsObj, textContent = [] } = annotation;
  const shown = textContent.join('\n');
  if (annotationType === FREE_TEXT_ANNOTATION) return contentsObj?.str || shown;
  if (annotationType !== FIELD_ANNOTATION || annotation.password) return '';
  if (isBox(annotation)) return isTicked(annotation) ? '[x]' : '[ ]';
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return shown; // buttons and signatures
  const values = [fieldValue].flat().filter((value) => typeof value === 'string');
  return values.map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value).join(', ');
}

const isTicked = ({ fieldValue, exportValue, buttonValue, checkBox }: PdfAnnotation): boolean =>
  typeof fieldValue === 'string' && fieldValue !== '' && fieldValue !== 'Off' && fieldValue === (checkBox ? exportValue : buttonValue);

const turnBack = (x: number, y: number, [cos, sin]: PageTurn): [x: number, y: number] => [cos * x + sin * y, cos * y - sin * x];

interface PlacedItem {
  item: PdfItem;
  x: number;
  right: number;
  y: number;
  isFilled: boolean;
}

function placeOf({ transform, width }: PdfItem, turn: PageTurn): Pick<PlacedItem, 'x' | 'right' | 'y'> {
  const [x, y] = turnBack(transform[4]!, transform[5]!, turn);
  return { x, right: x + width, y };
}

function insertField(placed: PlacedItem[], field: Filled, turn: PageTurn): void {
  const { left, lower, upper, size, isBox: isTick, lines } = field;
  const row = placed.filter(({ item, y }) => y >= lower - size / 2 && y <= upper && item.str.trim() !== '');
  const before = nearest(
    row.filter((item) => item.right <= left + size),
    ({ right }) => left - right,
  );
  const behind = isTick
    ? nearest(
        row.filter((item) => item.x >= left + size / 2 && !item.isFilled),
        ({ x }) => x - left,
      )
    : undefined;
  const isInFront = behind !== undefined && (before === undefined || behind.x - field.right < left - before.right);
  const label = isInFront ? behind : before;
  const above =
    label ??
    nearest(
      placed.filter(({ y }) => y > lower),
      ({ x, y }) => y - lower + Math.abs(x - left) / 10,
    );
  const first = label?.y ?? (lines.length > 1 ? upper - size : (lower + upper) / 2 - size / 3);
  const x = before && !isInFront && !before.isFilled ? Math.min(left, before.right + SPACE * size) : left;
  const made = lines.map((str, i): PlacedItem => {
    const y = first - i * LEADING * size;
    const width = LETTER_WIDTH * size * str.length;
    return { item: toItem(str, { x, y, size, width }, turn), x, right: Math.max(x + width, field.right), y, isFilled: true };
  });
  const at = above ? placed.indexOf(above) + Number(!isInFront) : 0;
  if (!isInFront && above) moveLineEnd(above, made.at(-1)!);
  placed.splice(at, 0, ...made);
}

const nearest = (items: readonly PlacedItem[], distanceOf: (item: PlacedItem) => number): PlacedItem | undefined =>
  items.reduce<PlacedItem | undefined>((best, item) => (best && distanceOf(best) <= distanceOf(item) ? best : item), undefined);

/** Ends a line behind what is inserted at its end. */
function moveLineEnd(before: PlacedItem, last: PlacedItem): void {
  last.item.hasEOL = before.item.hasEOL;
  before.item = { ...before.item, hasEOL: false };
}

function toItem(str: string, { x, y, size, width }: { x: number; y: number; size: number; width: number }, [cos, sin]: PageTurn): PdfItem {
  const transform = [size * cos, size * sin, -size * sin, size * cos, cos * x - sin * y, sin * x + cos * y];
  return { str: ` ${str} `, transform, width, height: size, hasEOL: false, fontName: FIELD_FONT };
}

/** A link, with the words before it in its line. */
export interface PageLink {
  before: string;
  words: string;
  url: string;
}

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
  const isApart = !isInLine || x - previous.transform[4]! - previous.width > WORD_GAP * size;
  const above = start < CONTEXT && isInLine ? `${previous.str}${isApart ? ' ' : ''}` : '';
  return { before: oneLine((above + str.slice(0, start)).slice(-CONTEXT)), inside: str.slice(start, end), isApart };
}

/** Widths of other letters in most fonts, in font sizes. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijl'’|]/, 0.24],
  [/[\s.,:;!ftI()[\]/]/, 0.28],
  [/[r"“”-]/, 0.34],
  [/[mwMW@%—]/, 0.83],
  [/[\p{Lu}&]/u, 0.69],
];

const widthOf = (letter: string): number => WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? USUAL_WIDTH;

/** Finds the words of a run between two places. Letters are taken to be as wide as in most fonts, or equally wide; the guess whose words end nearer to the places is used. */
function wordsBetween({ str, transform, width }: PdfItem, left: number, right: number): [start: number, end: number] {
  const edges = Array.from({ length: str.length + 1 }, (_, i) => i).filter((i) => isWordEdge(str, i));
  const guesses = [widthOf, () => 1].map((widthIn) => {
    const places = [0];
    for (const letter of str.split('')) places.push(places.at(-1)! + widthIn(letter));
    const distance = (i: number, place: number): number => Math.abs(transform[4]! + (places[i]! / places.at(-1)!) * width - place);
    const edgeNear = (place: number): number => edges.reduce((best, i) => (distance(i, place) < distance(best, place) ? i : best));
    const [start, end] = [edgeNear(left), edgeNear(right)];
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
    const link = `[${words}](${linkTarget(url)})`;
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
