import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import type { CommandContext } from './command-context.ts';
import { EXIT } from './failure.ts';
import type { InputBatch } from './json-lines.ts';
import { showProgress } from './progress.ts';
import { failureLine } from './printers/show-ingest.ts';

type Summable = { failed: number; errors: unknown[] };

interface PipeOptions<Name extends OperationName> {
  /** Standard input in batches; throws if it is empty. */
  batches: AsyncGenerator<InputBatch<unknown>, void, void>;
  /** The request for one batch of what came in. */
  request: (batch: never[]) => RequestOf<Name>;
  /** What is waited for while a batch is worked on. */
  waiting?: string;
  /** What is printed of a batch, unless `--json` wants it all in one document. */
  show?: (result: ResultOf<Name>) => void;
  /** What is printed in the end, unless `--json`. */
  summary?: (total: ResultOf<Name>) => void;
}

/** Passes standard input through an operation batch by batch, so that a long pipe needs little memory; `--json` gathers one result. The next batch is read while one is worked on. */
export async function piped<Name extends OperationName>(
  context: CommandContext,
  name: Name,
  { batches, request, waiting, show, summary }: PipeOptions<Name>,
): Promise<void> {
  const { engine, screen, signal, flags } = context;
  let total: ResultOf<Name> | undefined;
  const pass = async ({ items, hasMore }: InputBatch<unknown>) => {
    const running = engine.run(name, request(items as never[]), { signal, lists: true, hasMore });
    const result = await showProgress(running, { screen, waiting });
    for (const error of (result as unknown as Summable).errors) if (!screen.json) screen.warn(`Error: ${failureLine(error as never)}`);
    if (!screen.json) show?.(result);
    total = total === undefined ? result : added(total, result, screen.json);
  };
  try {
    let coming = batches.next();
    for (let batch = await coming; !batch.done; batch = await coming) {
      coming = batches.next();
      coming.catch(() => {}); // told where it is awaited, if this batch does not fail first
      await pass(batch.value);
    }
  } catch (error) {
    process.stdin.destroy(); // nobody reads what is yet to come
    throw error;
  }
  if (screen.json) screen.printJson(total);
  else summary?.(total!);
  if ((total as unknown as Summable).failed > 0 && !flags['allow-failures']) process.exitCode = EXIT.failed;
}

/** Merges two results of an operation: counts are added, lists joined (if wanted), the rest is the same in both. */
function added<R>(a: R, b: R, lists: boolean): R {
  const join = (key: string, value: unknown): unknown => {
    const before = (a as Record<string, unknown>)[key];
    if (typeof value === 'number' && typeof before === 'number') return before + value;
    return Array.isArray(value) && Array.isArray(before) ? (lists ? [...before, ...value] : []) : value;
  };
  return Object.fromEntries(Object.entries(b as object).map(([key, value]) => [key, join(key, value)])) as R;
}
