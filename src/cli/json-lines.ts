import type { z } from 'zod';
import { explainJsonError } from '../core/json.ts';
import { KbError } from '../core/errors.ts';
import { parsePart } from '../core/parse-request.ts';
import type { ErrorItem } from '../schema/items.ts';
import { type OperationName, operations, type RequestOf, type ResultOf } from '../schema/operations.ts';
import type { CommandContext } from './command-context.ts';
import { EXIT } from './failure.ts';
import { readRequestFlags } from './flags.ts';
import { showProgress } from './progress.ts';
import { formatFailure } from './printers/show-ingest.ts';
import type { Screen } from './screen.ts';

const PIPE_EXAMPLE = 'For example: kb parse ./docs | kb chunk | kb embed | kb store';

/** Yields the lines of standard input. Throws a KbError if standard input is a terminal. */
export async function* readInputLines(what: string): AsyncGenerator<string, void, void> {
  if (process.stdin.isTTY)
    throw new KbError('usage', `This command reads ${what} as JSON Lines on standard input, and nothing is piped into it.`, {
      hint: PIPE_EXAMPLE,
    });
  yield* splitLines(process.stdin.setEncoding('utf8'));
}

/** Splits streamed text into lines at line feeds only: JSON may contain U+2028 and U+2029, at which `node:readline` splits too. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let unfinished: string[] = [];
  for await (const piece of pieces) {
    const [end, ...rest] = piece.split('\n');
    unfinished.push(end!);
    for (const next of rest) {
      yield joinPieces(unfinished);
      unfinished = [next];
    }
  }
  const last = joinPieces(unfinished);
  if (last !== '') yield last;
}

const joinPieces = (pieces: readonly string[]): string => pieces.join('').replace(/\r$/, '');

/** The items on standard input: their schema, what messages call them, and their number in a batch. */
interface InputItems<T> {
  schema: z.ZodType<T>;
  what: string;
  size: number;
}

/** A batch of the items on standard input. */
interface InputBatch<T> {
  items: T[];
  /** Whether more items have arrived already. */
  hasMore: boolean;
}

/**
 * Yields the items of standard input, `size` at a time. Throws a KbError that names an invalid line, or (`invalid`) if there is no item.
 */
async function* readInputItems<T>({ schema, what, size }: InputItems<T>): AsyncGenerator<InputBatch<T>, void, void> {
  let items: T[] = [];
  let number = 0;
  for await (const line of readInputLines(what)) {
    number++;
    if (line.trim() === '') continue;
    if (items.length === size) {
      yield { items, hasMore: true };
      items = [];
    }
    items.push(parseItem(schema, line, number));
  }
  if (items.length === 0)
    throw new KbError('invalid', `Standard input is empty: it holds no ${what}, so nothing was done.`, { hint: PIPE_EXAMPLE });
  yield { items, hasMore: false };
}

function parseItem<T>(schema: z.ZodType<T>, line: string, number: number): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new KbError('usage', `Line ${number} of standard input ${explainJsonError(line, cause)}.`, { cause });
  }
  return parsePart(schema, value, { where: `Line ${number} of standard input`, whole: 'the line' });
}

/** Reads all of standard input. */
export async function readInputText(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += part;
  return text;
}

type BatchResult = { failed: number; errors: ErrorItem[] };

/** How an operation runs over the items on standard input, and how its results are shown. */
export interface Pipe<Name extends OperationName, Item> {
  input: InputItems<Item>;
  /** Makes the request for a batch; the request fields that flags set are added. */
  request(items: Item[]): RequestOf<Name>;
  /** Text beside a spinner during a batch. */
  waiting?: string;
  /** Prints the result of a batch; not called with `--json`. */
  show?(result: ResultOf<Name>, screen: Screen): void;
  /** Prints the merged result; not called with `--json`. */
  summary?(total: ResultOf<Name>, screen: Screen): void;
}

/** Runs an operation over standard input batch by batch, to bound memory; `--json` merges the results. The next batch is read meanwhile. */
export async function runPipe<Name extends OperationName, Item>(
  { engine, screen, signal, flags }: CommandContext,
  name: Name,
  { input, request, waiting, show, summary }: Pipe<Name, Item>,
): Promise<void> {
  const given = readRequestFlags(operations[name].input, flags);
  let total: ResultOf<Name> | undefined;
  const runBatch = async ({ items, hasMore }: InputBatch<Item>) => {
    const running = engine.run(name, { ...request(items), ...given }, { signal, lists: true, hasMore });
    const result = await showProgress(running, { screen, waiting });
    for (const error of (result as unknown as BatchResult).errors) if (!screen.json) screen.warn(`Error: ${formatFailure(error)}`);
    if (!screen.json) show?.(result, screen);
    total = total === undefined ? result : mergeResults(total, result, screen.json);
  };
  try {
    const batches = readInputItems(input);
    let upcoming = batches.next();
    for (let batch = await upcoming; !batch.done; batch = await upcoming) {
      upcoming = batches.next();
      upcoming.catch(() => {}); // rethrown when it is awaited
      await runBatch(batch.value);
    }
  } catch (error) {
    process.stdin.destroy(); // the rest is not read
    throw error;
  }
  if (screen.json) screen.printJson(total);
  else summary?.(total!, screen);
  if ((total as unknown as BatchResult).failed > 0 && !flags['allow-failures']) process.exitCode = EXIT.failed;
}

/** Merges two results of an operation: counts are added, lists joined (if wanted), the rest is the same in both. */
function mergeResults<R>(a: R, b: R, lists: boolean): R {
  const join = (key: string, value: unknown): unknown => {
    const before = (a as Record<string, unknown>)[key];
    if (typeof value === 'number' && typeof before === 'number') return before + value;
    return Array.isArray(value) && Array.isArray(before) ? (lists ? [...before, ...value] : []) : value;
  };
  return Object.fromEntries(Object.entries(b as object).map(([key, value]) => [key, join(key, value)])) as R;
}
