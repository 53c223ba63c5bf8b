import { type Bitmap, cropBitmap, type Rectangle } from './bitmap.ts';
import { boundingBox, type PixelBox, confidenceOf, type Tesseract, type Line, readLines, shiftBox, type Word } from './tesseract.ts';
import { widenSpaces } from './wide-spaces.ts';

/** Reads again what the first look at a page was not sure of: lines with wider spaces, cells of tables by themselves, the numbers before paragraphs that it passed over. */
export async function readAgain(engine: Tesseract, page: Bitmap, found: readonly Line[]): Promise<Line[]> {
  const lines = found.filter((line) => !isColumn(line));
  for (const line of lines) await readSpread(engine, page, line);
  const read: Line[] = [];
  for (const line of lines) read.push(...(await readUnsureCells(engine, page, { line, lines })));
  for (const line of read) await readNumber(engine, page, { line, lines: read });
  return read;
}

/** Whether a line is the numbers of a list, one below the other, taken for upright text. */
const isColumn = ({ bbox: { x0, y0, x1, y1 }, words }: Line): boolean =>
  y1 - y0 > x1 - x0 && words.length > 1 && confidenceOf(words) < LEAST_SURE;

/** A gap between words that is wider than any space, in heights of the line. */
const WIDE = 1.2;
/** A line is read again where its confidence is less. */
const UNSURE = 0.85;
/** Pixels around a line. */
const MARGIN = 6;
/** By how much less sure the reading with wider spaces may be where it finds more words. */
const SPREAD_LEAD = 0.03;
/** Words of letters alone that are as sure are not taken apart by wider spaces. */
const SURE = 0.9;

/** Reads a line with wider spaces where it has gaps (narrow spaces beside wide ones are overlooked) or is not sure; of each part, the surer reading stays. */
async function readSpread(engine: Tesseract, page: Bitmap, line: Line): Promise<void> {
  const { bbox, words } = line;
  const height = bbox.y1 - bbox.y0;
  if (cellsOf(words, height).length < 2 && confidenceOf(words) >= UNSURE) return;
  const box = within(page, { left: bbox.x0 - 2 * MARGIN, top: bbox.y0 - MARGIN, right: bbox.x1 + 2 * MARGIN, bottom: bbox.y1 + MARGIN });
  const spread = widenSpaces(page, box);
  if (!spread) return;
  const found = (await readLines(engine, spread.picture, 'line'))
    .flatMap((one) => one.words)
    .map((word) => ({
      ...word,
      bbox: { ...shiftBox(word.bbox, 0, box.top), x0: spread.originOf(word.bbox.x0), x1: spread.originOf(word.bbox.x1) },
    }));
  if (found.length === 0) return;
  const { hadLeaders } = spread;
  line.words = partsOf(words, found).flatMap((part) => (isSecondBetter(part, hadLeaders) ? part.second : part.first));
}

/** Words of two readings that stand at the same place. */
interface Part {
  first: Word[];
  second: Word[];
}

function partsOf(first: readonly Word[], second: readonly Word[]): Part[] {
  const all = [...first.map((word) => ({ word, isFirst: true })), ...second.map((word) => ({ word, isFirst: false }))];
  const parts: (Part & { end: number })[] = [];
  for (const { word, isFirst } of all.toSorted((a, b) => a.word.bbox.x0 - b.word.bbox.x0)) {
    const last = parts.at(-1);
    const part = last && word.bbox.x0 < last.end - MARGIN ? last : { first: [], second: [], end: 0 };
    if (part !== last) parts.push(part);
    part[isFirst ? 'first' : 'second'].push(word);
    part.end = Math.max(part.end, word.bbox.x1);
  }
  return parts;
}

const lettersIn = (words: readonly Word[]): string => words.map(({ text }) => text).join('');

/** What wider spaces may take a number with its unit apart into. */
const NUMBER_OR_UNIT = /^(?:\d[\d.,]*|\p{L}+)$/u;

/** Whether the second reading of a part stays. Dots that lead to a page number are only in the first, and disturb it. */
function isSecondBetter({ first, second }: Part, hadLeaders: boolean): boolean {
  const [before, now] = [lettersIn(first), lettersIn(second)];
  if (first.length === 0 || second.length === 0)
    return hadLeaders || (first.length === 0 && /[\p{L}\p{N}]/u.test(now) && confidenceOf(second) >= SURE);
  if (before === now && /\d/.test(before)) return second.every(({ text }) => NUMBER_OR_UNIT.test(text));
  if (before === now && confidenceOf(first) >= SURE) return false;
  return hadLeaders || confidenceOf(second) + (second.length > first.length ? SPREAD_LEAD : 0) >= confidenceOf(first);
}

/** A cell is read by itself where its confidence is less. */
const UNSURE_CELL = 0.75;

/** Words without wide gaps between them. */
function cellsOf(words: readonly Word[], height: number): Word[][] {
  const cells: Word[][] = [];
  for (const [i, word] of words.entries()) {
    const isNext = i > 0 && word.bbox.x0 - words[i - 1]!.bbox.x1 <= WIDE * height;
    if (isNext) cells.at(-1)!.push(word);
    else cells.push([word]);
  }
  return cells;
}

interface Place {
  line: Line;
  /** All lines of the page. */
  lines: readonly Line[];
}

/**
 * Reads the cells of a line that it is not sure of, each with what stands above and below it up to the next sure line: a cell may have several lines.
 * Gives the line, with those that were found above and below it.
 */
async function readUnsureCells(engine: Tesseract, page: Bitmap, { line, lines }: Place): Promise<Line[]> {
  const height = line.bbox.y1 - line.bbox.y0;
  const cells = cellsOf(line.words, height);
  const beside: Line[] = [];
  for (const [i, words] of cells.entries()) {
    if (confidenceOf(words) >= UNSURE_CELL || height > TALLEST * page.height) continue;
    const cell = boundingBox(words);
    const left = cells[i - 1] ? (boundingBox(cells[i - 1]!).x1 + cell.x0) / 2 : line.bbox.x0 - 2 * MARGIN;
    const right = cells[i + 1] ? (boundingBox(cells[i + 1]!).x0 + cell.x1) / 2 : line.bbox.x1 + 2 * MARGIN;
    const box = within(page, { left: Math.round(left), right: Math.round(right), ...freeRows(line, { lines, left, right }) });
    const found = (await readLines(engine, cropBitmap(page, box), 'block'))
      .map((one) => placed(one, box))
      .filter((one) => one.words.length > 0 && confidenceOf(one.words) >= LEAST_SURE);
    const here = found.toSorted((a, b) => distance(a, line) - distance(b, line))[0];
    if (!here || confidenceOf(found.flatMap((one) => one.words)) <= confidenceOf(words)) continue;
    line.words = [...line.words.filter((word) => !words.includes(word)), ...here.words].toSorted((a, b) => a.bbox.x0 - b.bbox.x0);
    beside.push(...found.filter((one) => one !== here));
  }
  const isAbove = ({ bbox }: Line) => bbox.y0 < line.bbox.y0;
  return [...beside.filter(isAbove), line, ...beside.filter((one) => !isAbove(one))];
}

/** Lines that are taller, in heights of the page, are none. */
const TALLEST = 0.05;

const distance = (a: Line, b: Line): number => Math.abs(a.bbox.y0 + a.bbox.y1 - b.bbox.y0 - b.bbox.y1);

/** The rows of a line, and as many above and below it, but for those that a sure line takes between two columns. */
function freeRows({ bbox }: Line, { lines, left, right }: { lines: readonly Line[]; left: number; right: number }) {
  const most = bbox.y1 - bbox.y0;
  let [top, bottom] = [bbox.y0 - most, bbox.y1 + most];
  for (const other of lines) {
    if (other.bbox === bbox || confidenceOf(other.words) < UNSURE_CELL) continue;
    for (const { bbox: taken } of other.words) {
      if (taken.x1 < left || taken.x0 > right) continue;
      if (taken.y1 <= bbox.y0 + most / 2) top = Math.max(top, taken.y1 + 1);
      if (taken.y0 >= bbox.y1 - most / 2) bottom = Math.min(bottom, taken.y0 - 1);
    }
  }
  return { top: Math.round(top), bottom: Math.round(bottom) };
}

/** A line of a part of the page, where it stands on the page; without rules that were taken for letters. */
function placed(line: Line, { left, top }: Rectangle): Line {
  const moved = (box: PixelBox) => shiftBox(box, left, top);
  const words = line.words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).map((word) => ({ ...word, bbox: moved(word.bbox) }));
  return { ...line, words, bbox: moved(line.bbox), baseline: moved(line.baseline) };
}

/** How far before a line its number stands, in heights of the line. */
const BEFORE = 3;
const NUMBER = /^(?:\d{1,3}|[a-z])[.)]$/;
const LEAST_SURE = 0.6;

/** Reads what stands a little before a line, where no word was found: its number in a list. */
async function readNumber(engine: Tesseract, page: Bitmap, { line, lines }: Place): Promise<void> {
  const { y0, y1, x0 } = boundingBox(line.words);
  const height = y1 - y0;
  const box = within(page, { left: Math.round(x0 - BEFORE * height), right: x0 - 1, top: y0 - MARGIN, bottom: y1 + MARGIN });
  const isTaken = lines.some(({ words }) =>
    words.some(
      ({ bbox, confidence }) => confidence > 100 * LEAST_SURE && bbox.x1 > box.left && bbox.x0 < box.right && bbox.y1 > y0 && bbox.y0 < y1,
    ),
  );
  if (isTaken || box.right - box.left < height || !hasInk(page, box)) return;
  const words = (await readLines(engine, cropBitmap(page, box), 'line')).flatMap((one) => placed(one, box).words);
  if (words.length === 1 && NUMBER.test(words[0]!.text) && confidenceOf(words) >= LEAST_SURE) line.words = [...words, ...line.words];
}

/** How much darker than its ground ink is, and how many pixels of it a sign has. */
const DARKER = 90;
const LEAST_INK = 20;

function hasInk(page: Bitmap, box: Rectangle): boolean {
  const { data } = cropBitmap(page, box);
  const ground = data.toSorted()[data.length >> 1] ?? 255;
  return data.reduce((count, shade) => count + (shade < ground - DARKER ? 1 : 0), 0) >= LEAST_INK;
}

const within = ({ width, height }: Bitmap, { left, top, right, bottom }: Rectangle): Rectangle => ({
  left: Math.max(0, left),
  top: Math.max(0, top),
  right: Math.min(width, right),
  bottom: Math.min(height, bottom),
});
