import { childElementsOf, type XmlElement } from '../../xml.ts';
import { formatNumber } from '../numbers.ts';

/** A level of a list or of the outline (OpenDocument 1.3 part 3, 16.31 to 16.34). */
interface Level {
  /** Format of its numbers as Word calls it; undefined for a bullet. */
  format: string | undefined;
  prefix: string;
  suffix: string;
  /** The label with the numbers of its levels, as `%1%.%2%`, in newer files. */
  pattern: string | undefined;
  /** Number of levels that the label shows. */
  shown: number;
  start: number;
}

export type ListStyle = ReadonlyMap<number, Level>;

const FORMATS: Readonly<Record<string, string>> = { a: 'lowerLetter', A: 'upperLetter', i: 'lowerRoman', I: 'upperRoman', '': 'none' };
/** More levels are a mistake, or an attack. */
const MAX_LEVELS = 10;

/** Reads the levels of a list style or of the outline, from 0. */
export const levelsOf = (style: XmlElement): ListStyle =>
  new Map(
    childElementsOf(style).flatMap(({ name, attributes }): [number, Level][] => {
      const level = Number(attributes['text:level']) - 1;
      if (!(level >= 0 && level < MAX_LEVELS)) return [];
      const format = attributes['style:num-format'] ?? '';
      return [
        [
          level,
          {
            format: name.includes('number') || name.includes('outline') ? (FORMATS[format] ?? 'decimal') : undefined,
            prefix: attributes['style:num-prefix'] ?? '',
            suffix: attributes['style:num-suffix'] ?? '',
            pattern: attributes['style:num-list-format'] ?? attributes['loext:num-list-format'],
            shown: Number(attributes['text:display-levels']) || 1,
            start: startOf(attributes['text:start-value']) ?? 1,
          },
        ],
      ];
    }),
  );

export function startOf(value: string | undefined): number | undefined {
  const start = Number(value ?? Number.NaN);
  return Number.isSafeInteger(start) && start >= 0 ? start : undefined;
}

/** The numbers of a list. */
export class Counters {
  readonly #numbers: number[] = [];

  /** Counts an item; returns its label, empty for a bullet. `start` is the number that the item declares. */
  next(style: ListStyle, depth: number, start?: number): string {
    const level = style.get(depth);
    for (let above = 0; above < depth; above++) this.#numbers[above] ??= style.get(above)?.start ?? 1;
    this.#numbers[depth] = start ?? (this.#numbers[depth] ?? (level?.start ?? 1) - 1) + 1;
    this.#numbers.length = depth + 1;
    if (!level || level.format === undefined || level.format === 'none') return '';
    const numberAt = (index: number): string => formatNumber(this.#numbers[index] ?? 1, style.get(index)?.format ?? 'none');
    if (level.pattern !== undefined)
      return level.pattern.replace(/%(\d{1,2})%/g, (_, digits: string) => numberAt(Number(digits) - 1)).trim();
    const first = Math.max(0, depth + 1 - level.shown);
    const numbers = Array.from({ length: depth + 1 - first }, (_, index) => numberAt(first + index)).filter(Boolean);
    return `${level.prefix}${numbers.join('.')}${level.suffix}`.trim();
  }
}
