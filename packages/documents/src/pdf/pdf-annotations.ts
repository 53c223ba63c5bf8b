import type { PdfAnnotation } from './pdf-file.ts';
import { FIELD_FONT, type PageTurn, type PdfItem } from './pdf-lines.ts';

/** Types of annotations of pdf.js: text that is typed onto a page, and fields of a form. */
export const FREE_TEXT_ANNOTATION = 3;
export const FIELD_ANNOTATION = 20;

/** Flags of annotations that nobody sees (ISO 32000-1, 12.5.3): hidden, and not shown on a screen. */
const UNSEEN = 2 | 32;
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
