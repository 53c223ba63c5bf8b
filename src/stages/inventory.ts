import { KbError, toErrorItem } from '../base/errors.ts';
import type { Collection, StoredSource } from '../ports/stores.ts';
import { unreadError, type Candidate, type Extracted, type Scope } from './extract/candidate.ts';
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
  /** Stored sources that lie in what was listed whole and were not there, or that are known to be gone. A source that failed was there. */
  gone(before: ReadonlyMap<string, StoredSource>): string[];
  /** What stays although it was not met, and why: a sentence for each reason. */
  kept(before: ReadonlyMap<string, StoredSource>): string[];
}

export function createInventory(report: IngestReport): Inventory {
  const given = new Map<string, string>();
  const failed = new Set<string>();
  const gone = new Set<string>();
  const scopes: Scope[] = [];
  /** Of several documents under one source the first is taken. Where the others say something else, that is a failure: each would replace the one before. */
  const isFirst = (name: SourceName, { source, source_kind, content_hash, shares_source }: Candidate): boolean => {
    const before = shares_source ? undefined : given.get(source);
    given.set(source, before ?? content_hash);
    if (before === undefined) return true;
    if (before === content_hash || source_kind !== 'markdown') report.expect(-1);
    else report.unread(name, toErrorItem(anotherOf(source), { source, source_kind, stage: 'validate' }));
    return false;
  };
  const isMissed = ({ source }: StoredSource): boolean => !given.has(source) && !failed.has(source);
  const isIn = ({ source, source_kind }: StoredSource, scope: Scope): boolean => scope.source_kind === source_kind && scope.covers(source);
  const isGone = (stored: StoredSource): boolean =>
    isMissed(stored) && (gone.has(stored.source) || scopes.some((scope) => scope.doubt === undefined && isIn(stored, scope)));
  return {
    async *candidates(extracted) {
      for await (const { name, item } of extracted) {
        if ('candidate' in item) {
          if (isFirst(name, item.candidate)) yield { name, candidate: item.candidate };
        } else if ('error' in item) {
          for (const source of [item.error.source, item.stored_as ?? item.error.source]) (item.isGone ? gone : failed).add(source);
          report.unread(name, item.error);
        } else if ('passed_over' in item) {
          failed.add(item.passed_over); // it is there, and what is stored of it stays
          report.passedOver(item.passed_over);
        } else if ('scope' in item) scopes.push(item.scope);
        else if ('notice' in item) report.notice(item.notice);
        else report.expect(item.expected);
      }
    },
    gone: (before) => [...before.values()].filter((stored) => isGone(stored)).map(({ source }) => source),
    kept: (before) =>
      scopes.flatMap((scope) => {
        const { doubt } = scope;
        if (doubt === undefined) return [];
        const count = [...before.values()].filter((stored) => isMissed(stored) && isIn(stored, scope) && !isGone(stored)).length;
        return count > 0
          ? [`${count.toLocaleString('en')} stored ${count === 1 ? 'source was' : 'sources were'} not met and not removed: ${doubt}`]
          : [];
      }),
  };
}

const anotherOf = (source: string): KbError =>
  new KbError('invalid', `The source «${source}» was given twice, with different texts: the first was taken.`, {
    hint: 'Give each text a source of its own.',
  });

/** Removes the chunks of these sources. */
export async function prune(collection: Collection, sources: readonly string[]): Promise<void> {
  for (let i = 0; i < sources.length; i += PRUNED_AT_ONCE)
    await collection.delete({ filter: { source: { in: sources.slice(i, i + PRUNED_AT_ONCE) } } });
}

/** A document that could not be made, as an item of the report. */
export function unreadItem(candidate: Candidate, error: unknown) {
  return toErrorItem(unreadError(candidate.source, error), {
    source: candidate.source,
    source_kind: candidate.source_kind,
    stage: 'convert',
  });
}
