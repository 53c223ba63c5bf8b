import type { Engine, RunOptions } from '../../ports/engines.ts';
import { type OperationName, operations, type RequestOf, type ResultOf } from '../../schema/operations.ts';
import type { Event } from '../../schema/results.ts';
import type { Log } from '../request-log.ts';
import type { Metrics } from './metrics.ts';

/** How a run ended: `stopped` by its caller, before its end. */
type OperationOutcome = 'done' | 'failed' | 'stopped';

/** The parts of results that are counted. */
interface Countable {
  retrieved?: number;
  retrieval?: { retrieved: number };
  stored?: number;
  llm?: { input_tokens?: number; output_tokens?: number };
}

/** An engine whose runs are counted, and of which each that writes leaves a line in the log: who, what, where, how much; no text. */
export function observeEngine<E extends Pick<Engine, 'run'>>(engine: E, { log, metrics }: { log: Log; metrics: Metrics }): E {
  async function* run<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: RunOptions = {},
  ): AsyncGenerator<Event, ResultOf<Name>, void> {
    let collections: readonly string[] | undefined;
    let outcome: OperationOutcome = 'stopped';
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
      count(result, metrics);
      metrics.count('kb_operations_total', { operation, outcome });
      if (collections && collections.length > 0 && operations[operation].scope !== 'read')
        log.info({ who: options.access?.name ?? 'anyone', operation, collections, outcome, ...amounts(result) }, 'wrote');
    }
  }
  return { ...engine, run };
}

function count({ retrieved, retrieval, stored, llm }: Countable, metrics: Metrics): void {
  metrics.count('kb_chunks_retrieved_total', {}, retrieval?.retrieved ?? retrieved ?? 0);
  metrics.count('kb_chunks_stored_total', {}, stored ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'input' }, llm?.input_tokens ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'output' }, llm?.output_tokens ?? 0);
}

/** The counts of a result: its fields that are numbers. */
const amounts = (result: object): { counts?: Record<string, number> } => {
  const numbers = Object.entries(result).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return numbers.length > 0 ? { counts: Object.fromEntries(numbers) } : {};
};
