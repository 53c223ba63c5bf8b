import { oneLine } from '../markdown/write.ts';
import { allText, childElementsOf, childNamed, childrenNamed, findElement, localName, textWithin, type XmlElement } from '../xml.ts';

/** Maximum rows of a chart; more are a curve, not a table. */
const MAX_POINTS = 1000;

/** The content of a chart (DrawingML charts, ECMA-376 part 1, 21.2). */
interface Chart {
  /** Empty if it has none. */
  title: string;
  /** Names of the series, empty for one without. */
  series: string[];
  /** A header (an empty cell, then the series) and a row for each category. Empty if the chart holds no values. */
  rows: string[][];
}

type FormatNumber = (format: string, value: number) => unknown;

/** Reads the part of a chart, with the values that are cached in it. */
export async function readChart(part: XmlElement): Promise<Chart> {
  const { SSF } = await import('xlsx');
  const pointsOf = (reference: XmlElement | undefined): Map<number, string> => cachedPoints(reference, SSF.format);
  const title = findElement(part, 'title');
  const plotArea = findElement(part, 'plotArea');
  const series = (plotArea ? childElementsOf(plotArea) : []).flatMap((plot) => childrenNamed(plot, 'ser'));
  const columns = series.map((one) => pointsOf(childNamed(one, 'val') ?? childNamed(one, 'yVal')));
  const categories = new Map(series.flatMap((one) => [...pointsOf(childNamed(one, 'cat') ?? childNamed(one, 'xVal'))]));
  const names = series.map((one) => [...pointsOf(childNamed(one, 'tx')).values()].join(' '));
  const indexes = [...new Set(columns.flatMap((points) => [...points.keys()]))].toSorted((a, b) => a - b).slice(0, MAX_POINTS);
  const rows = indexes.map((index) => [categories.get(index) ?? String(index + 1), ...columns.map((points) => points.get(index) ?? '')]);
  return { title: title ? oneLine(textWithin(title, 't')) : '', series: names, rows: rows.length > 0 ? [['', ...names], ...rows] : [] };
}

/** Reads the cached values of a reference by their index, formatted as in the chart. */
function cachedPoints(reference: XmlElement | undefined, formatNumber: FormatNumber): Map<number, string> {
  const points = new Map<number, string>();
  const cache = findElement(reference, 'numCache') ?? findElement(reference, 'strCache') ?? findElement(reference, 'multiLvlStrCache');
  const code = childNamed(cache, 'formatCode');
  const format = code ? allText(code) : 'General';
  const visit = (element: XmlElement): void => {
    for (const point of childElementsOf(element)) {
      const index = Number(point.attributes['idx']);
      if (localName(point) === 'lvl') visit(point);
      else if (localName(point) === 'pt' && Number.isInteger(index) && !points.has(index))
        points.set(index, formatValue(textWithin(point, 'v'), point.attributes['formatCode'] ?? format, formatNumber));
    }
  };
  if (cache) visit(cache);
  return points;
}

function formatValue(value: string, format: string, formatNumber: FormatNumber): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (format === 'General') return String(Number(number.toPrecision(15))); // as many digits as Excel keeps
  try {
    return String(formatNumber(format, number));
  } catch {
    return value; // a format that SheetJS does not know
  }
}
