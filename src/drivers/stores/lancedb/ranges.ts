import { sortableNumber, unmarked } from './fields.ts';

/** Bounds of a range: `lower` and `upper` may be missing; each is within the range or just outside. */
export interface Bounds<Value> {
  lower?: { value: Value; included: boolean } | undefined;
  upper?: { value: Value; included: boolean } | undefined;
}

/** A regular expression that nothing matches. */
const NOTHING = '[^\\x{0}-\\x{10FFFF}]';

/** A text that stands for itself in a regular expression. */
export const literal = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&');

const digit = (text: string): number => Number.parseInt(text[0]!, 16);
const any = (length: number): string => (length > 0 ? `[0-9a-f]{${length}}` : '');

/** Matches the hexadecimal numbers of this length from `from` to `to`, both included. */
function hexBetween(from: string, to: string): string {
  if (from > to) return NOTHING;
  const length = from.length;
  if (/^0*$/.test(from) && /^f*$/.test(to)) return any(length);
  if (from[0] === to[0]) return from[0] + hexBetween(from.slice(1), to.slice(1));
  const middle = '0123456789abcdef'.slice(digit(from) + 1, digit(to));
  const parts = [
    from[0] + hexBetween(from.slice(1), 'f'.repeat(length - 1)),
    ...(middle ? [`[${middle}]${any(length - 1)}`] : []),
    to[0] + hexBetween('0'.repeat(length - 1), to.slice(1)),
  ];
  return `(?:${parts.join('|')})`;
}

const shifted = (hex: string, by: bigint): string => (BigInt(`0x${hex}`) + by).toString(16).padStart(16, '0');

/** Matches `sortableNumber` of the numbers within the bounds. */
export function numberRange({ lower, upper }: Bounds<number>): string {
  const from = sortableNumber(lower?.value ?? -Infinity);
  const to = sortableNumber(upper?.value ?? Infinity);
  return hexBetween(lower?.included === false ? shifted(from, 1n) : from, upper?.included === false ? shifted(to, -1n) : to);
}

const REST = '[^\\x{0}-\\x{3}]*';
const code = (value: number): string => `\\x{${value.toString(16).toUpperCase()}}`;

/** One letter between the two, neither included; surrogates are no letters. Undefined where there is none. */
function letterBetween(after: number, before: number): string | undefined {
  const from = after === 0xd7ff ? 0xe000 : after + 1;
  const to = before === 0xe000 ? 0xd7ff : before - 1;
  return from > to ? undefined : `[${code(from)}-${code(to)}]`;
}

const FIRST = 3; // below all letters: the marks stand there
const LAST = 0x110000;

const alternatives = (parts: readonly (string | undefined)[]): string => {
  const possible = parts.filter((part) => part !== undefined);
  return possible.length > 0 ? `(?:${possible.join('|')})` : NOTHING;
};

/** Matches texts of these letters or beyond; `included`: also the text itself. */
function atLeast(letters: readonly number[], included: boolean): string {
  const [head, ...tail] = letters;
  if (head === undefined) return included ? REST : `[^\\x{0}-\\x{3}]${REST}`;
  const greater = letterBetween(head, LAST);
  return alternatives([greater && greater + REST, code(head) + atLeast(tail, included)]);
}

/** Matches texts before these letters; `included`: also the text itself. */
function atMost(letters: readonly number[], included: boolean): string {
  const [head, ...tail] = letters;
  if (head === undefined) return included ? '' : NOTHING;
  const smaller = letterBetween(FIRST, head);
  return alternatives(['', smaller && smaller + REST, code(head) + atMost(tail, included)]);
}

/** Matches texts within the bounds, by the code points of their letters. */
export function textRange({ lower, upper }: Bounds<string>): string {
  const letters = (text: string) => Array.from(unmarked(text).toWellFormed().slice(0, 200), (letter) => letter.codePointAt(0)!);
  const from = lower && letters(lower.value);
  const to = upper && letters(upper.value);
  if (!from) return to ? atMost(to, upper.included) : REST;
  if (!to) return atLeast(from, lower.included);
  return between(from, to, { lower: lower.included, upper: upper.included });
}

function between(from: readonly number[], to: readonly number[], included: { lower: boolean; upper: boolean }): string {
  const [first, ...afterFirst] = from;
  const [last, ...afterLast] = to;
  if (first === undefined && last === undefined) return included.lower && included.upper ? '' : NOTHING;
  if (last === undefined) return NOTHING;
  if (first === undefined) {
    const smaller = letterBetween(FIRST, last);
    return alternatives([included.lower ? '' : undefined, smaller && smaller + REST, code(last) + atMost(afterLast, included.upper)]);
  }
  if (first > last) return NOTHING;
  if (first === last) return code(first) + between(afterFirst, afterLast, included);
  const inside = letterBetween(first, last);
  return alternatives([
    code(first) + atLeast(afterFirst, included.lower),
    inside && inside + REST,
    code(last) + atMost(afterLast, included.upper),
  ]);
}
