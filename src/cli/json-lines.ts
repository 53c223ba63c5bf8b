import type { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { parsePart } from '../core/parse-request.ts';

const PIPE = 'For example: kb parse ./docs | kb chunk | kb embed | kb store';

/** Yields the lines of standard input. Throws a KbError if standard input is a terminal. */
export async function* inputLines(what: string): AsyncGenerator<string, void, void> {
  if (process.stdin.isTTY)
    throw new KbError('usage', `This command reads ${what} as JSON Lines on standard input, and nothing is piped into it.`, {
      hint: PIPE,
    });
  yield* jsonLinesOf(process.stdin.setEncoding('utf8'));
}

/** The lines of a text that comes in pieces. A line ends with a line feed alone: JSON may hold the other separators that `node:readline` ends one at (U+2028, U+2029). */
export async function* jsonLinesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let unfinished: string[] = [];
  for await (const piece of pieces) {
    const [end, ...begun] = piece.split('\n');
    unfinished.push(end!);
    for (const next of begun) {
      yield lineOf(unfinished);
      unfinished = [next];
    }
  }
  const last = lineOf(unfinished);
  if (last !== '') yield last;
}

const lineOf = (pieces: readonly string[]): string => pieces.join('').replace(/\r$/, '');

/** Some of the items on standard input. */
export interface InputBatch<T> {
  items: T[];
  /** Whether more of them have come already. */
  hasMore: boolean;
}

/**
 * Yields the items of standard input, `size` at a time. Throws a KbError that names an invalid line, or (`invalid`) if there is no item.
 */
export async function* inputItems<T>(
  schema: z.ZodType<T>,
  { what, size }: { what: string; size: number },
): AsyncGenerator<InputBatch<T>, void, void> {
  let items: T[] = [];
  let number = 0;
  for await (const line of inputLines(what)) {
    number++;
    if (line.trim() === '') continue;
    if (items.length === size) {
      yield { items, hasMore: true };
      items = [];
    }
    items.push(parseItem(schema, line, number));
  }
  if (items.length === 0)
    throw new KbError('invalid', `Standard input is empty: it holds no ${what}, so nothing was done.`, { hint: PIPE });
  yield { items, hasMore: false };
}

function parseItem<T>(schema: z.ZodType<T>, line: string, number: number): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new KbError('usage', `Line ${number} of standard input is not JSON: ${(cause as Error).message}.`, { cause });
  }
  return parsePart(schema, value, { where: `Line ${number} of standard input`, whole: 'the line' });
}

/** All of standard input. */
export async function inputText(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += part;
  return text;
}
