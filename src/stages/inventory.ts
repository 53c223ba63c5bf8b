import { KbError, toErrorItem } from '../base/errors.ts';
import type { Collection, StoredSource } from '../ports.ts';
import type { Candidate, Extracted, Scope } from './extract/candidate.ts';
import type { SourceName } from './extract/extract.ts';
import type { IngestReport } from './ingest-report.ts';

/** Sources removed in one step. */
const PRUNED_AT_ONCE = 500;

/** What an ingest met, so that what it did not meet can be told from what it did. */
export interface Inventory {
  /** The candidates among what was extracted, each source once; everything else goes into the report. */
  candidates(
    extracted: AsyncIterable<{ name: SourceName; item: Extracted }>,
  ): AsyncGenerator<{ name: SourceName; candidate: Candidate }, void, void>;
  /** Stored sources that lie in what was listed whole, and were not there. A source that failed was there. */
  gone(before: ReadonlyMap<string, StoredSource>): string[];
}

export function createInventory(report: IngestReport): Inventory {
  const met = new Set<string>();
  const scopes: Scope[] = [];
  return {
    async *candidates(extracted) {
      for await (const { name, item } of extracted) {
        if ('candidate' in item) {
          const { source, shares_source } = item.candidate;
          if (!shares_source && met.has(source)) continue;
          met.add(source);
          yield { name, candidate: item.candidate };
        } else if ('error' in item) {
          met.add(item.error.source);
          report.unread(name, item.error);
        } else if ('passed_over' in item) report.passedOver(item.passed_over);
        else if ('scope' in item) scopes.push(item.scope);
        else report.expect(item.expected);
      }
    },
    gone: (before) =>
      [...before.values()]
        .filter(
          ({ source, source_kind }) =>
            !met.has(source) && scopes.some((scope) => scope.source_kind === source_kind && scope.covers(source)),
        )
        .map(({ source }) => source),
  };
}

/** Removes the chunks of these sources. */
export async function prune(collection: Collection, sources: readonly string[]): Promise<void> {
  for (let i = 0; i < sources.length; i += PRUNED_AT_ONCE)
    await collection.delete({ filter: { source: { in: sources.slice(i, i + PRUNED_AT_ONCE) } } });
}

/** A document that could not be made, as an item of the report. */
export function unreadItem(candidate: Candidate, error: unknown) {
  const known =
    error instanceof KbError
      ? error
      : new KbError('invalid', `${candidate.source} could not be read: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
  return toErrorItem(known, { source: candidate.source, source_kind: candidate.source_kind, stage: 'convert' });
}
