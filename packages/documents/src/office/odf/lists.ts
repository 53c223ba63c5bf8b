import { childElementsOf, type XmlElement } from '../../xml.ts';
import type { ListLevel, ListLevels } from '../list-numbers.ts';

const FORMATS: Readonly<Record<string, string>> = { a: 'lowerLetter', A: 'upperLetter', i: 'lowerRoman', I: 'upperRoman', '': 'none' };
/** More levels are a mistake, or an attack. */
const MAX_LEVELS = 10;

/** Reads the levels of a list style or of the outline (OpenDocument 1.3 part 3, 16.31 to 16.34). */
export function levelsOf(style: XmlElement): ListLevels {
  const levels = new Map<number, ListLevel>();
  for (const { name, attributes } of childElementsOf(style)) {
    const level = Number(attributes['text:level']) - 1;
    if (!(level >= 0 && level < MAX_LEVELS)) continue;
    const isNumbered = name.includes('number') || name.includes('outline');
    const format = isNumbered ? (FORMATS[attributes['style:num-format'] ?? ''] ?? 'decimal') : 'bullet';
    levels.set(level, { format, start: startOf(attributes['text:start-value']) ?? 1, label: [] });
    if (format !== 'none') levels.get(level)!.label = labelOf(attributes, level, levels);
  }
  return levels;
}

/** Reads what a label consists of: newer files have a pattern, such as `%1%.%2%`. */
function labelOf(attributes: XmlElement['attributes'], level: number, levels: ListLevels): ListLevel['label'] {
  const pattern = attributes['style:num-list-format'] ?? attributes['loext:num-list-format'];
  if (pattern !== undefined) return pattern.split(/%(\d{1,2})%/).map((part, i) => (i % 2 === 0 ? part : Number(part) - 1));
  const first = level + 1 - (Number(attributes['text:display-levels']) || 1);
  const isNumbered = (index: number): boolean => !/^(?:bullet|none)$/.test(levels.get(index)?.format ?? 'none');
  const shown = [...levels.keys()].filter((index) => index >= first && index <= level && isNumbered(index)).toSorted((a, b) => a - b);
  const { 'style:num-prefix': prefix = '', 'style:num-suffix': suffix = '' } = attributes;
  return [prefix, ...shown.flatMap((index, i) => (i === 0 ? [index] : ['.', index])), suffix];
}

export function startOf(value: string | undefined): number | undefined {
  const start = Number(value ?? Number.NaN);
  return Number.isSafeInteger(start) && start >= 0 ? start : undefined;
}
