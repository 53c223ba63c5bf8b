import type { Engine, RunOptions } from '../../ports/engines.ts';
import { type OperationName, operations, type RequestOf, type ResultOf } from '../../schema/operations.ts';
import type { Event } from '../../schema/results.ts';
import type { Log } from '../request-log.ts';
import type { Metrics } from './metrics.ts';

interface FinishedRun {
  operation: OperationName;
  /** `stopped`: by its caller, before its end. */
  outcome: 'done' | 'failed' | 'stopped';
  who: string;
  /** Collections of the run; undefined if it did not begin. */
  collections: readonly string[] | undefined;
  result: object;
}

/** The metrics and the log to which runs are reported. */
export interface Observers {
  log: Log;
  metrics: Metrics;
}

interface Countable {
  retrieved?: number;
  retrieval?: { retrieved: number };
  stored?: number;
  llm?: { input_tokens?: number; output_tokens?: number };
}

/** An engine whose runs are counted, and of which each that writes leaves a line in the log: who, what, where, how much; no text. */
export function observeEngine<E extends Pick<Engine, 'run'>>(engine: E, observers: Observers): E {
  async function* run<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: RunOptions = {},
  ): AsyncGenerator<Event, ResultOf<Name>, void> {
    let collections: readonly string[] | undefined;
    let outcome: FinishedRun['outcome'] = 'stopped';
    let result: object = {};
    try {
      const done = yield* engine.run(operation, request, { ...options, onBegin: (about) => (collections = about) });
      outcome = 'done';
      result = done;
      return done;
    } catch (error) {
      if (!options.signal?.aborted) outcome = 'failed';
      throw error;
    } finally {
      observeRun({ operation, outcome, who: options.access?.name ?? 'anyone', collections, result }, observers);
    }
  }
  return { ...engine, run };
}

/** Counts a run and, if it writes, logs it. */
export function observeRun({ operation, outcome, who, collections, result }: FinishedRun, { log, metrics }: Observers): void {
  count(result, metrics);
  metrics.count('kb_operations_total', { operation, outcome });
  if (collections && collections.length > 0 && operations[operation].scope !== 'read')
    log.info({ who, operation, collections, outcome, ...amounts(result) }, 'wrote');
}

function count({ retrieved, retrieval, stored, llm }: Countable, metrics: Metrics): void {
  metrics.count('kb_chunks_retrieved_total', {}, retrieval?.retrieved ?? retrieved ?? 0);
  metrics.count('kb_chunks_stored_total', {}, stored ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'input' }, llm?.input_tokens ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'output' }, llm?.output_tokens ?? 0);
}

const amounts = (result: object): { counts?: Record<string, number> } => {
  const numbers = Object.entries(result).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return numbers.length > 0 ? { counts: Object.fromEntries(numbers) } : {};
};
