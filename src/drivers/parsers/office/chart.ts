import { childNamed, childrenNamed, type Element, firstNamed, textWithin } from './office-xml.ts';
import { oneLine } from '../../../text/markdown/write.ts';

/** Rows of a chart that are read: more is a curve, not a table. */
const MOST_POINTS = 1000;

/** What a chart shows (DrawingML charts, ECMA-376 part 1, 21.2). */
export interface Chart {
  /** Empty where it has none. */
  title: string;
  /** The names of its series, empty for one without. */
  series: string[];
  /** A header – empty, then the series – and a row for each category. Empty where the chart holds no values. */
  rows: string[][];
}

/** Reads the part of a chart: the values that its program has kept in it. */
export async function readChart(part: Element): Promise<Chart> {
  const { SSF } = await import('xlsx');
  const pointsOf = (reference: Element | undefined): Map<number, string> =>
    keptPoints(reference, (format, value) => String(SSF.format(format, value)));
  const title = firstNamed(part, 'title');
  const series = (firstNamed(part, 'plotArea')?.children ?? []).flatMap((plot) => childrenNamed(plot, 'ser'));
  const columns = series.map((one) => pointsOf(childNamed(one, 'val') ?? childNamed(one, 'yVal')));
  const categories = new Map(series.flatMap((one) => [...pointsOf(childNamed(one, 'cat') ?? childNamed(one, 'xVal'))]));
  const names = series.map((one) => [...pointsOf(childNamed(one, 'tx')).values()].join(' '));
  const indexes = [...new Set(columns.flatMap((points) => [...points.keys()]))].toSorted((a, b) => a - b).slice(0, MOST_POINTS);
  return {
    title: title ? oneLine(textWithin(title, 't')) : '',
    series: names,
    rows:
      indexes.length === 0
        ? []
        : [
            ['', ...names],
            ...indexes.map((index) => [categories.get(index) ?? String(index + 1), ...columns.map((points) => points.get(index) ?? '')]),
          ],
  };
}

/** The kept values of a reference, by their index, as their format shows them. */
function keptPoints(reference: Element | undefined, formatted: (format: string, value: number) => string): Map<number, string> {
  const points = new Map<number, string>();
  const cache =
    reference && (firstNamed(reference, 'numCache') ?? firstNamed(reference, 'strCache') ?? firstNamed(reference, 'multiLvlStrCache'));
  const format = (cache && childNamed(cache, 'formatCode')?.text) ?? 'General';
  const visit = (element: Element): void => {
    for (const point of element.children) {
      if (point.name === 'lvl') visit(point);
      else if (point.name === 'pt') {
        const index = Number(point.attributes['idx']);
        const value = textWithin(point, 'v');
        if (Number.isInteger(index) && !points.has(index))
          points.set(index, shownAs(value, point.attributes['formatCode'] ?? format, formatted));
      }
    }
  };
  if (cache) visit(cache);
  return points;
}

function shownAs(value: string, format: string, formatted: (format: string, value: number) => string): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (format === 'General') return String(Number(number.toPrecision(15))); // as many digits as Excel keeps
  try {
    return formatted(format, number);
  } catch {
    return value; // a format that SheetJS does not know
  }
}
