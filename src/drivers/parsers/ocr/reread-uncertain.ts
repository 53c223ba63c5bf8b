import { type Bitmap, cropBitmap, type Rectangle } from './bitmap.ts';
import { boundingBox, type PixelBox, confidenceOf, type Tesseract, type Line, readLines, shiftBox, type Word } from './tesseract.ts';

/** Rereads uncertain parts of a page: lines with wider spaces, table cells alone, and missed numbers before paragraphs. */
export async function rereadUncertain(engine: Tesseract, page: Bitmap, found: readonly Line[]): Promise<Line[]> {
  const lines = found.filter((line) => !isColumn(line));
  for (const line of lines) await rereadWithWiderSpaces(engine, page, line);
  const read: Line[] = [];
  for (const line of lines) read.push(...(await rereadUncertainCells(engine, page, { line, lines })));
  for (const line of read) await rereadNumber(engine, page, { line, lines: read });
  return read;
}

/** Whether a line is a column of list numbers that was mistaken for upright text. */
const isColumn = ({ bbox: { x0, y0, x1, y1 }, words }: Line): boolean =>
  y1 - y0 > x1 - x0 && words.length > 1 && confidenceOf(words) < MIN_CONFIDENCE;

/** Minimum gap between cells, wider than any space, in heights of the line. */
const WIDE_GAP = 1.2;
/** Confidence below which a line is read again. */
const UNCERTAIN_LINE = 0.85;
/** Pixels around a line. */
const MARGIN = 6;
/** Maximum loss of confidence by wider spaces if they give more words. */
const MAX_LOSS = 0.03;
/** Confidence from which words of letters alone are not split by wider spaces. */
const CONFIDENT = 0.9;

/** Rereads a line with wider spaces if it is uncertain or has gaps, beside which narrow spaces are missed; keeps the more confident reading of each part. */
async function rereadWithWiderSpaces(engine: Tesseract, page: Bitmap, line: Line): Promise<void> {
  const { bbox, words } = line;
  const height = bbox.y1 - bbox.y0;
  if (groupCells(words, height).length < 2 && confidenceOf(words) >= UNCERTAIN_LINE) return;
  const box = clampToPage(page, {
    left: bbox.x0 - 2 * MARGIN,
    top: bbox.y0 - MARGIN,
    right: bbox.x1 + 2 * MARGIN,
    bottom: bbox.y1 + MARGIN,
  });
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
  line.words = pairReadings(words, found).flatMap((part) => (isSecondBetter(part, hadLeaders) ? part.second : part.first));
}

/** The words of both readings in one part of a line. */
interface ReadingPair {
  first: Word[];
  second: Word[];
}

function pairReadings(first: readonly Word[], second: readonly Word[]): ReadingPair[] {
  const all = [...first.map((word) => ({ word, isFirst: true })), ...second.map((word) => ({ word, isFirst: false }))];
  const parts: (ReadingPair & { end: number })[] = [];
  for (const { word, isFirst } of all.toSorted((a, b) => a.word.bbox.x0 - b.word.bbox.x0)) {
    const last = parts.at(-1);
    const part = last && word.bbox.x0 < last.end - MARGIN ? last : { first: [], second: [], end: 0 };
    if (part !== last) parts.push(part);
    part[isFirst ? 'first' : 'second'].push(word);
    part.end = Math.max(part.end, word.bbox.x1);
  }
  return parts;
}

const joinText = (words: readonly Word[]): string => words.map(({ text }) => text).join('');

/** A part of a number with its unit that wider spaces may split. */
const NUMBER_OR_UNIT = /^(?:\d[\d.,]*|\p{L}+)$/u;

/** Whether the second reading of a part is better. Leader dots before a page number occur only in the first reading, and disturb it. */
function isSecondBetter({ first, second }: ReadingPair, hadLeaders: boolean): boolean {
  const [before, now] = [joinText(first), joinText(second)];
  if (first.length === 0 || second.length === 0)
    return hadLeaders || (first.length === 0 && /[\p{L}\p{N}]/u.test(now) && confidenceOf(second) >= CONFIDENT);
  if (before === now && /\d/.test(before)) return second.every(({ text }) => NUMBER_OR_UNIT.test(text));
  if (before === now && confidenceOf(first) >= CONFIDENT) return false;
  return hadLeaders || confidenceOf(second) + (second.length > first.length ? MAX_LOSS : 0) >= confidenceOf(first);
}

/** Confidence below which a cell is read alone. */
const UNCERTAIN_CELL = 0.75;

/** Groups words without wide gaps between them. */
function groupCells(words: readonly Word[], height: number): Word[][] {
  const cells: Word[][] = [];
  for (const [i, word] of words.entries()) {
    const isNext = i > 0 && word.bbox.x0 - words[i - 1]!.bbox.x1 <= WIDE_GAP * height;
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
 * Rereads each uncertain cell of a line alone, with the space up to the next confident lines, because a cell may have several lines. Returns the line, with
 * those found above and below it.
 */
async function rereadUncertainCells(engine: Tesseract, page: Bitmap, { line, lines }: Place): Promise<Line[]> {
  const height = line.bbox.y1 - line.bbox.y0;
  const cells = groupCells(line.words, height);
  const others: Line[] = [];
  for (const [i, words] of cells.entries()) {
    if (confidenceOf(words) >= UNCERTAIN_CELL || height > TALLEST * page.height) continue;
    const cell = boundingBox(words);
    const left = cells[i - 1] ? (boundingBox(cells[i - 1]!).x1 + cell.x0) / 2 : line.bbox.x0 - 2 * MARGIN;
    const right = cells[i + 1] ? (boundingBox(cells[i + 1]!).x0 + cell.x1) / 2 : line.bbox.x1 + 2 * MARGIN;
    const box = clampToPage(page, { left: Math.round(left), right: Math.round(right), ...freeRows(line, { lines, left, right }) });
    const found = (await readLines(engine, cropBitmap(page, box), 'block'))
      .map((one) => moveToPage(one, box))
      .filter((one) => one.words.length > 0 && confidenceOf(one.words) >= MIN_CONFIDENCE);
    const here = found.toSorted((a, b) => verticalDistance(a, line) - verticalDistance(b, line))[0];
    if (!here || confidenceOf(found.flatMap((one) => one.words)) <= confidenceOf(words)) continue;
    line.words = [...line.words.filter((word) => !words.includes(word)), ...here.words].toSorted((a, b) => a.bbox.x0 - b.bbox.x0);
    others.push(...found.filter((one) => one !== here));
  }
  const isAbove = ({ bbox }: Line) => bbox.y0 < line.bbox.y0;
  return [...others.filter(isAbove), line, ...others.filter((one) => !isAbove(one))];
}

/** Maximum height of a line, in heights of the page. */
const TALLEST = 0.05;

const verticalDistance = (a: Line, b: Line): number => Math.abs(a.bbox.y0 + a.bbox.y1 - b.bbox.y0 - b.bbox.y1);

/** Finds the rows of pixels of a line, and as many above and below it, up to confident words in the same columns. */
function freeRows({ bbox }: Line, { lines, left, right }: { lines: readonly Line[]; left: number; right: number }) {
  const most = bbox.y1 - bbox.y0;
  let [top, bottom] = [bbox.y0 - most, bbox.y1 + most];
  for (const other of lines) {
    if (other.bbox === bbox || confidenceOf(other.words) < UNCERTAIN_CELL) continue;
    for (const { bbox: taken } of other.words) {
      if (taken.x1 < left || taken.x0 > right) continue;
      if (taken.y1 <= bbox.y0 + most / 2) top = Math.max(top, taken.y1 + 1);
      if (taken.y0 >= bbox.y1 - most / 2) bottom = Math.min(bottom, taken.y0 - 1);
    }
  }
  return { top: Math.round(top), bottom: Math.round(bottom) };
}

/** Converts a line of a cropped part to coordinates of the page; removes borders that were mistaken for letters. */
function moveToPage(line: Line, { left, top }: Rectangle): Line {
  const moved = (box: PixelBox) => shiftBox(box, left, top);
  const words = line.words.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).map((word) => ({ ...word, bbox: moved(word.bbox) }));
  return { ...line, words, bbox: moved(line.bbox), baseline: moved(line.baseline) };
}

/** Maximum distance of a number before its line, in heights of the line. */
const NUMBER_REACH = 3;
const NUMBER = /^(?:\d{1,3}|[a-z])[.)]$/;
const MIN_CONFIDENCE = 0.6;

/** Rereads the list number before a line, if no word was found there. */
async function rereadNumber(engine: Tesseract, page: Bitmap, { line, lines }: Place): Promise<void> {
  const { y0, y1, x0 } = boundingBox(line.words);
  const height = y1 - y0;
  const box = clampToPage(page, { left: Math.round(x0 - NUMBER_REACH * height), right: x0 - 1, top: y0 - MARGIN, bottom: y1 + MARGIN });
  const isTaken = lines.some(({ words }) =>
    words.some(
      ({ bbox, confidence }) =>
        confidence > 100 * MIN_CONFIDENCE && bbox.x1 > box.left && bbox.x0 < box.right && bbox.y1 > y0 && bbox.y0 < y1,
    ),
  );
  if (isTaken || box.right - box.left < height || !hasInk(page, box)) return;
  const words = (await readLines(engine, cropBitmap(page, box), 'line')).flatMap((one) => moveToPage(one, box).words);
  if (words.length === 1 && NUMBER.test(words[0]!.text) && confidenceOf(words) >= MIN_CONFIDENCE) line.words = [...words, ...line.words];
}

/** Minimum difference of ink from its background, and minimum pixels of a character. */
const DARKER = 90;
const MIN_INK = 20;

function hasInk(page: Bitmap, box: Rectangle): boolean {
  const { data } = cropBitmap(page, box);
  const background = data.toSorted()[data.length >> 1] ?? 255;
  return data.reduce((count, shade) => count + (shade < background - DARKER ? 1 : 0), 0) >= MIN_INK;
}

const clampToPage = ({ width, height }: Bitmap, { left, top, right, bottom }: Rectangle): Rectangle => ({
  left: Math.max(0, left),
  top: Math.max(0, top),
  right: Math.min(width, right),
  bottom: Math.min(height, bottom),
});

/** A line with wider spaces. */
interface SpreadLine {
  picture: Bitmap;
  /** Maps a column of the picture to the column of the page. */
  originOf(x: number): number;
  /** Whether it had the dots of a table of contents, which are removed. */
  hadLeaders: boolean;
}

/** Minimum gap that is a space, in heights of the ink of its line. */
const SPACE = 0.2;
/** Growth of a space, in the same unit. */
const GROWTH = 0.6;
/** Maximum width of the picture in pixels. */
const MAX_LENGTH = 12_000;

/** Widens the spaces in a part of a page; undefined if there are none to widen. */
export function widenSpaces(page: Bitmap, box: Rectangle): SpreadLine | undefined {
  const part = cropBitmap(page, box);
  const { runs, height, background } = inkOfLine(part);
  const isLeader = findLeaders(runs, height);
  for (const { left, right } of runs.filter((_, i) => isLeader[i]))
    for (let y = 0; y < part.height; y++) part.data.fill(background, y * part.width + left, y * part.width + right + 1);
  const inked = runs.filter((_, i) => !isLeader[i]);
  const gaps = inked.flatMap((run, i) => (i > 0 && run.left - inked[i - 1]!.right > SPACE * height ? [run.left] : []));
  const growth = Math.round(GROWTH * height);
  const width = part.width + gaps.length * growth;
  if (gaps.length === 0 || width > MAX_LENGTH) return undefined;
  const data = new Uint8Array(width * part.height).fill(background);
  const edges = [0, ...gaps, part.width];
  for (let y = 0; y < part.height; y++)
    for (const [i, start] of edges.slice(0, -1).entries())
      data.set(part.data.subarray(y * part.width + start, y * part.width + edges[i + 1]!), y * width + start + i * growth);
  const originOf = (x: number) => {
    const i = gaps.findLastIndex((gap, at) => x >= gap + (at + 1) * growth);
    return box.left + Math.min(x - (i + 1) * growth, gaps[i + 1] ?? part.width);
  };
  return { picture: { width, height: part.height, data }, originOf, hadLeaders: isLeader.includes(true) };
}

/** Adjacent columns of pixels with ink, and the height of the ink. */
interface InkRun {
  left: number;
  right: number;
  tall: number;
}

/** Finds the runs of ink of a line from left to right, the height of all ink, and the shade of the background. */
function inkOfLine({ width, height, data }: Bitmap): { runs: InkRun[]; height: number; background: number } {
  const shades = data.toSorted();
  const background = shades[shades.length >> 1] ?? 255;
  const threshold = (background + (shades[0] ?? 0)) / 2;
  const runs: InkRun[] = [];
  let [top, bottom] = [height, 0];
  let [high, low] = [height, 0];
  for (let x = 0; x < width; x++) {
    let isInked = false;
    for (let y = 0; y < height; y++)
      if (data[y * width + x]! < threshold) {
        if (!isInked && runs.at(-1)?.right !== x - 1) [high, low] = [y, y];
        isInked = true;
        [high, low] = [Math.min(high, y), Math.max(low, y)];
      }
    if (!isInked) continue;
    const run = runs.at(-1);
    if (run?.right === x - 1) Object.assign(run, { right: x, tall: low - high + 1 });
    else runs.push({ left: x, right: x, tall: low - high + 1 });
    [top, bottom] = [Math.min(top, high), Math.max(bottom, low)];
  }
  return { runs, height: Math.max(1, bottom - top + 1), background };
}

/** Maximum size of a dot, in heights of the line. */
const DOT = 0.3;
/** Minimum dots in a row between an entry of a table of contents and its page. */
const MIN_DOTS = 4;

/** Marks the runs that are such dots. */
function findLeaders(runs: readonly InkRun[], height: number): boolean[] {
  const isDot = runs.map(({ left, right, tall }) => right - left < DOT * height && tall <= DOT * height);
  const isLeader = runs.map(() => false);
  for (let start = 0; start < runs.length; start++) {
    let end = start;
    while (isDot[end]) end++;
    if (end - start >= MIN_DOTS) isLeader.fill(true, start, end);
    start = Math.max(start, end);
  }
  return isLeader;
}
