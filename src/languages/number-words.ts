const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** What each written number from zero to ninety-nine is worth. English. */
const VALUES: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, i) => [word, i] as const),
  ...TENS.flatMap((word, i) => [
    [word, 20 + 10 * i] as const,
    ...UNITS.slice(1, 10).map((unit, at) => [`${word}-${unit}`, 21 + 10 * i + at] as const),
  ]),
]);

/** The words that numbers up to ninety-nine are written with, in small letters. */
export const numberWords = (): string[] => [...UNITS, ...TENS];

/** Numbers of two words: `twenty four`. */
const APART = new RegExp(String.raw`\b(${TENS.join('|')})[ \u00a0](?=(?:${UNITS.slice(1, 10).join('|')})\b)`, 'g');

const WORD = /(?<![\p{L}\p{N}])([a-z]+)(?:-([a-z]+))?(?![\p{L}\p{N}])(?=[\s-]*(\p{L}*))/gu;

/** The numbers from zero to ninety-nine that a text writes out, in their order, and the word behind each: that of `two-year` is `year`. English. */
export const writtenCounts = (text: string): { value: number; of: string }[] =>
  Array.from(text.toLowerCase().replace(APART, '$1-').matchAll(WORD)).flatMap(([word, first, second, next = '']) => {
    const whole = VALUES.get(word);
    const value = whole ?? VALUES.get(first!);
    return value === undefined ? [] : [{ value, of: whole === undefined ? second! : next }];
  });

/** The numbers from zero to ninety-nine that a text writes out, in their order: `seven`, `twenty-one`, and that of `two-year`. English. */
export const writtenNumbers = (text: string): number[] => writtenCounts(text).map(({ value }) => value);
