import { findSorted } from '../../../core/sorted-numbers.ts';

/** Counts of terms by their places (`indexOf`), in ascending order. */
export interface WordCounts {
  places: Uint32Array;
  counts: Int32Array;
}

/** Empty counts. */
export const NO_WORDS: WordCounts = { places: new Uint32Array(), counts: new Int32Array() };

/** Looks up the count of the term at a place; 0 if there is none. */
export function countAt({ places, counts }: WordCounts, place: number): number {
  return counts[findSorted(places, place)] ?? 0;
}

/** Adds up all counts. */
export const countAllWords = ({ counts }: WordCounts): number => counts.reduce((sum, count) => sum + count, 0);

/** Sorts counts by place; drops those of 0. */
export function toWordCounts(found: ReadonlyMap<number, number>): WordCounts {
  const entries = [...found].filter(([, count]) => count !== 0).toSorted(([a], [b]) => a - b);
  return { places: Uint32Array.from(entries, ([place]) => place), counts: Int32Array.from(entries, ([, count]) => count) };
}

/** Adds two counts place by place; drops sums of 0. */
export function mergeCounts(one: WordCounts, other: WordCounts): WordCounts {
  const [places, counts] = [
    new Uint32Array(one.places.length + other.places.length),
    new Int32Array(one.places.length + other.places.length),
  ];
  let [i, j, size] = [0, 0, 0];
  while (i < one.places.length || j < other.places.length) {
    const place = Math.min(one.places[i] ?? Infinity, other.places[j] ?? Infinity);
    let count = 0;
    if (one.places[i] === place) count += one.counts[i++]!;
    if (other.places[j] === place) count += other.counts[j++]!;
    if (count !== 0) [places[size], counts[size++]] = [place, count];
  }
  return { places: places.slice(0, size), counts: counts.slice(0, size) };
}

/** Packs counts as text for a payload: for each term the distance to the place before and the count (zigzag), as varints in base64. */
export function packCounts({ places, counts }: WordCounts): string {
  const bytes = Buffer.alloc(10 * places.length);
  let at = 0;
  const write = (value: number) => {
    for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes[at++] = (value % 0x80) | 0x80;
    bytes[at++] = value;
  };
  for (const [i, place] of places.entries()) {
    write(place - (places[i - 1] ?? 0));
    const count = counts[i]!;
    write(count < 0 ? -2 * count - 1 : 2 * count);
  }
  return bytes.toString('base64', 0, at);
}

/** Reads what `packCounts` writes. */
export function unpackCounts(text: string): WordCounts {
  const bytes = Buffer.from(text, 'base64');
  const [places, counts]: [number[], number[]] = [[], []];
  let [at, place] = [0, 0];
  const read = (): number => {
    let [value, scale] = [0, 1];
    for (; bytes[at]! > 0x7f; scale *= 0x80) value += (bytes[at++]! & 0x7f) * scale;
    return value + bytes[at++]! * scale;
  };
  while (at < bytes.length) {
    places.push((place += read()));
    const zigzag = read();
    counts.push(zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2);
  }
  return { places: Uint32Array.from(places), counts: Int32Array.from(counts) };
}

/** The figures of a collection that BM25 needs. */
export interface Weights {
  /** The mean number of terms of a chunk. */
  average: number;
  /** The inverse document frequency of a term. */
  idf(place: number): number;
}
