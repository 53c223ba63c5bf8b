/** A level of a list. */
export interface ListLevel {
  /** Format of its numbers, as Word calls it: `decimal`, `lowerLetter`, `bullet`, `none`. */
  format: string;
  start: number;
  /** What its label consists of: text, and the levels (from 0) whose numbers it shows. */
  label: readonly (string | number)[];
  /** Whether all numbers of the label are decimal. */
  isLegal?: boolean;
  /** The level from 1 whose items start it again, 0 if none does. Default: each above it. */
  restart?: number | undefined;
}

/** The levels of a list, from 0. */
export type ListLevels = ReadonlyMap<number, ListLevel>;

/** Counts the items of a list. */
export class ListCounters {
  readonly #numbers: (number | undefined)[] = [];

  /** Counts an item; returns its label, empty for a bullet. `start` is the number that the item declares. */
  next(levels: ListLevels, depth: number, start?: number): string {
    const numbers = this.#numbers;
    const level = levels.get(depth);
    for (let above = 0; above < depth; above++) numbers[above] ??= levels.get(above)?.start ?? 1;
    numbers[depth] = start ?? (numbers[depth] ?? (level?.start ?? 1) - 1) + 1;
    for (let below = depth + 1; below < numbers.length; below++) {
      const restart = levels.get(below)?.restart;
      if (restart === undefined || (restart > 0 && depth < restart)) numbers[below] = undefined;
    }
    if (!level || level.format === 'bullet') return '';
    const formatOf = (index: number): string => (level.isLegal ? 'decimal' : (levels.get(index)?.format ?? 'decimal'));
    return level.label
      .map((part) => (typeof part === 'string' ? part : formatNumber(numbers[part] ?? 1, formatOf(part))))
      .join('')
      .trim();
  }
}

/** Han numerals, by digit and by power of ten. */
const HAN = '〇一二三四五六七八九';
const HAN_UNITS = ['', '十', '百', '千'];
const ROMAN = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 };
const CIRCLED = 0x2460;

/** Formats the number of an item; `format` is one of Word's (ECMA-376 part 1, 17.18.59). One that is not listed here counts in digits. */
export function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
    case 'bullet':
      return '';
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'ordinal':
      return number + ordinalEnding(number);
    case 'upperLetter':
    case 'lowerLetter': {
      const letter = String.fromCharCode(65 + ((Math.max(1, number) - 1) % 26)).repeat(Math.ceil(number / 26)); // Z is followed by AA, BB
      return format === 'upperLetter' ? letter : letter.toLowerCase();
    }
    case 'upperRoman':
      return roman(number);
    case 'lowerRoman':
      return roman(number).toLowerCase();
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return number > 0 && number <= 20 ? String.fromCharCode(CIRCLED + number - 1) : String(number);
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'japaneseCounting':
    case 'taiwaneseCountingThousand':
      return han(number);
    default:
      return String(number);
  }
}

const ordinalEnding = (number: number): string =>
  ['th', 'st', 'nd', 'rd'][number % 100 > 10 && number % 100 < 14 ? 0 : number % 10] ?? 'th';

function roman(number: number): string {
  let left = number;
  return Object.entries(ROMAN)
    .map(([letters, value]) => {
      const times = Math.floor(left / value);
      left -= times * value;
      return letters.repeat(times);
    })
    .join('');
}

function han(number: number): string {
  const digits = String(number);
  if (number === 0 || digits.length > HAN_UNITS.length) return digits.replace(/\d/g, (digit) => HAN[Number(digit)]!);
  const words = [...digits].map((digit, index) => (digit === '0' ? HAN[0]! : HAN[Number(digit)]! + HAN_UNITS[digits.length - 1 - index]!));
  return words.join('').replace(/〇+/g, '〇').replace(/〇$/, '').replace(/^一十/, '十');
}
