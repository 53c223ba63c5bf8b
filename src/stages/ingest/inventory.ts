import { count } from '../../text/count.ts';
import { type Candidate, type Extracted, type Scope, type SourceName, unreadError } from '../extract/extract.ts';
import { KbError, toErrorItem } from '../../core/errors.ts';
import { batchCalls, mapOrdered } from '../../core/concurrency.ts';
import { shellWord } from '../../core/advice/advice.ts';
import type { Collection, SourceContent, StoredSource } from '../../ports/stores.ts';
import type { IngestReport } from './ingest-report.ts';
import type { ErrorItem } from '../../schema/items.ts';
import type { Unread } from './read-documents.ts';

/** Maps stored sources to the inputs that they came from: kind and entry, such as `docs manuals/`. */
export type Origins = ReadonlyMap<string, string>;

class Inputs {
  readonly #current = new Map<SourceName, string>();
  /** Whether an input gave a document, only failures, or nothing so far. */
  readonly #outcomes = new Map<string, 'read' | 'failed' | 'empty'>();
  /** How many documents of an input could not be read. */
  readonly #failures = new Map<string, number>();
  /** The first input that gave each source. */
  readonly origins = new Map<string, string>();

  /** Attributes the following items of this kind to an input. */
  begin(name: SourceName, input: string): void {
    const key = `${name} ${input}`;
    this.#current.set(name, key);
    if (!this.#outcomes.has(key)) this.#outcomes.set(key, 'empty');
  }

  /** Records a document. Texts that share a source belong to no input. */
  recordDocument(name: SourceName, { source, shares_source }: { source: string; shares_source?: boolean }): void {
    const key = this.#current.get(name);
    if (key === undefined) return;
    this.#outcomes.set(key, 'read');
    if (!shares_source && !this.origins.has(source)) this.origins.set(source, key);
  }

  /** Records a failure of the current input, or of the one that gave a source. */
  recordFailure(name: SourceName, source?: string): void {
    const key = source === undefined ? this.#current.get(name) : this.origins.get(source);
    if (key === undefined) return;
    this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1);
    if (this.#outcomes.get(key) === 'empty') this.#outcomes.set(key, 'failed');
  }

  current = (name: SourceName): string => this.#current.get(name) ?? '';
  failuresOf = (input: string): number => this.#failures.get(input) ?? 0;

  /** Whether an origin is no longer among the inputs. */
  isDropped(origin: string): boolean {
    return !this.#outcomes.has(origin);
  }

  /** Lists the inputs of a kind (`docs `) from which nothing could be read: they may now contain the documents of another one. */
  unreadInputs(kind: string): string[] {
    return [...this.#outcomes].flatMap(([key, outcome]) => (outcome === 'failed' && key.startsWith(kind) ? [key.slice(kind.length)] : []));
  }
}

/** Maximum sources that are removed in one step. */
const PRUNE_BATCH = 500;

/** Stored versions that are read at once. */
const READ_AT_ONCE = 8;

type Stored = ReadonlyMap<string, StoredSource>;

/** What is known when everything was read. */
interface FinishedRun {
  origins: Origins | undefined;
  /** Sources that could not be read, and may be folders. */
  folders: ReadonlySet<string>;
  /** The inputs of a kind (`docs `) from which nothing could be read. */
  unreadInputs(kind: string): string[];
}

/** The paths or addresses above a source, innermost first. */
function foldersOf(source: string): string[] {
  const folders: string[] = [];
  for (let end = source.lastIndexOf('/'); end > 0; end = source.lastIndexOf('/', end - 1)) folders.push(source.slice(0, end));
  return folders;
}

/** Maximum inputs that are named one by one as a reason. */
const MAX_NAMED = 10;

function unreadInputReasons(inputs: readonly string[], around: readonly string[]): string[] {
  const named = [...new Set(inputs.slice(0, MAX_NAMED + around.length))].filter((input) => !around.includes(input)).slice(0, MAX_NAMED);
  const summary = inputs.length > MAX_NAMED + around.length ? ['Other inputs could not be read.'] : [];
  return [...named.map((input) => `${input} could not be read.`), ...summary];
}

/** Records the sources that an ingest found, to determine which stored sources are gone. */
export class Inventory {
  readonly #inputs = new Inputs();
  readonly #report: IngestReport;
  readonly #foundHashes = new Map<string, string>();
  readonly #failed = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #scopes: (Scope & { input: string })[] = [];

  /** Errors and notices go to `report`. */
  constructor(report: IngestReport) {
    this.#report = report;
  }

  /** The sources that were found, each with the first input that gave it. */
  get origins(): Origins {
    return this.#inputs.origins;
  }

  /** Yields the candidates among the extracted items, each source once; everything else goes into the report. */
  async *candidates(
    extracted: AsyncIterable<{ name: SourceName; item: Extracted }>,
  ): AsyncGenerator<{ name: SourceName; candidate: Candidate }, void, void> {
    for await (const { name, item } of extracted) {
      if ('candidate' in item) {
        this.#inputs.recordDocument(name, item.candidate);
        if (this.#isFirst(name, item.candidate)) yield { name, candidate: item.candidate };
      } else if ('error' in item) {
        if (!item.isGone) this.#inputs.recordFailure(name);
        for (const source of [item.error.source, item.stored_as ?? item.error.source])
          (item.isGone ? this.#gone : this.#failed).add(source);
        this.#report.addUnread(name, item.error);
      } else if ('input' in item) this.#inputs.begin(name, item.input);
      else if ('passed_over' in item) {
        if (!item.isExcluded) this.#failed.add(item.passed_over); // the file exists, so its stored version stays
        this.#report.addPassedOver(item.passed_over);
      } else if ('unchanged' in item) {
        this.#inputs.recordDocument(name, { source: item.unchanged });
        this.#foundHashes.set(item.unchanged, '');
      } else if ('gone' in item) this.#gone.add(item.gone);
      else if ('scope' in item) this.#scopes.push({ ...item.scope, input: this.#inputs.current(name) });
      else if ('notice' in item) this.#report.addNotice(item.notice);
      else this.#report.expect(item.expected, item.bytes);
    }
  }

  /**
   * Lists stored sources that are gone: missing from a scope that was listed completely, reported as gone, or from an input that this run
   * no longer has. A source that could not be read is not gone.
   */
  findGone(before: Stored, origins?: Origins): string[] {
    const run = this.#finished(origins);
    return [...before.values()].filter((stored) => this.#isGone(stored, run)).map(({ source }) => source);
  }

  /** Explains why sources that were not found are kept: a sentence for each reason. */
  explainKept(before: Stored, origins?: Origins): string[] {
    const run = this.#finished(origins);
    const reasons = [...before.values()].flatMap((stored) => (this.#isGone(stored, run) ? [] : this.#doubtsAbout(stored, run)));
    return [...Map.groupBy(reasons, (reason) => reason)].map(
      ([reason, { length }]) => `${count(length, 'stored source was', 'stored sources were')} not found but kept: ${reason}`,
    );
  }

  #isGone(stored: StoredSource, run: FinishedRun): boolean {
    if (!this.#isMissing(stored)) return false;
    if (this.#gone.has(stored.source) || this.#scopes.some((scope) => isInScope(stored, scope) && this.#doubtOf(scope) === undefined))
      return true;
    return this.#isFromDroppedInput(stored, run.origins) && this.#doubtsAbout(stored, run).length === 0;
  }

  /** Collects what could not be read, once for all stored sources. */
  #finished(origins: Origins | undefined): FinishedRun {
    const unread = new Map<string, string[]>();
    const unreadInputs = (kind: string): string[] => {
      const inputs = unread.get(kind) ?? this.#inputs.unreadInputs(kind);
      unread.set(kind, inputs);
      return inputs;
    };
    const folders = new Set([...this.#failed, ...unreadInputs('docs ')].map((source) => source.replace(/\/$/, '')));
    return { origins, folders, unreadInputs };
  }

  /** Lists reasons why a source that was not found may still exist. */
  #doubtsAbout(stored: StoredSource, { origins, folders, unreadInputs }: FinishedRun): string[] {
    if (!this.#isMissing(stored)) return [];
    const doubts = this.#scopes.flatMap((scope) => (isInScope(stored, scope) ? (this.#doubtOf(scope) ?? []) : []));
    const around = foldersOf(stored.source).filter((folder) => folders.has(folder));
    const origin = this.#isFromDroppedInput(stored, origins) ? origins!.get(stored.source)! : undefined;
    const unread = origin === undefined ? [] : unreadInputs(origin.slice(0, origin.indexOf(' ') + 1));
    return [...doubts, ...unreadInputReasons(unread, around), ...around.map(unreadFolderReason)];
  }

  /** Records that a candidate could not be read after all. */
  addUnread(name: SourceName, { source }: Candidate): void {
    this.#inputs.recordFailure(name, source);
  }

  /** Says why a list may be incomplete: an incomplete read never removes anything. A folder is listed without reading its files. */
  #doubtOf({ doubt, source_kind, input }: Scope & { input: string }): string | undefined {
    const failures = source_kind === 'path' ? 0 : this.#inputs.failuresOf(input);
    const place = input.slice(input.indexOf(' ') + 1);
    return doubt ?? (failures === 0 ? undefined : `${place} was not read whole (${count(failures, 'failure')}).`);
  }

  #isMissing({ source }: StoredSource): boolean {
    return !this.#foundHashes.has(source) && !this.#failed.has(source);
  }

  #isFromDroppedInput({ source }: StoredSource, origins: Origins | undefined): boolean {
    const origin = origins?.get(source);
    return origin !== undefined && this.#inputs.isDropped(origin);
  }

  /**
   * Accepts the first of several documents with one source. A later one with other content is an error: each would replace the one before.
   */
  #isFirst(name: SourceName, { source, source_kind, content_hash, shares_source }: Candidate): boolean {
    const before = shares_source ? undefined : this.#foundHashes.get(source);
    this.#foundHashes.set(source, before ?? content_hash);
    if (before === undefined) return true;
    if (before === content_hash || source_kind !== 'markdown') this.#report.expect(-1);
    else this.#report.addUnread(name, toErrorItem(duplicateSourceError(source), { source, source_kind, stage: 'validate' }));
    return false;
  }
}

const unreadFolderReason = (folder: string): string => {
  const prefix = `${folder}/`;
  const value = /^[\w./-]+$/.test(prefix) ? prefix : JSON.stringify(prefix);
  return `${folder} has no documents now, or could not be read. To remove them all the same: kb delete --where ${shellWord(`source ^= ${value}`)}.`;
};

const isInScope = ({ source, source_kind }: StoredSource, scope: Scope): boolean =>
  scope.source_kind === source_kind && scope.covers(source);

const duplicateSourceError = (source: string): KbError =>
  new KbError('invalid', `The source "${source}" was given twice, with different texts: the first was taken.`, {
    hint: 'Give each text a source of its own.',
  });

/** Removes the chunks of these sources. */
export async function prune(collection: Collection, sources: readonly string[]): Promise<void> {
  for (let i = 0; i < sources.length; i += PRUNE_BATCH)
    await collection.delete({ filter: { source: { in: sources.slice(i, i + PRUNE_BATCH) } } });
}

/** Makes the error item of a candidate that could not be read. */
export function unreadItem(candidate: Candidate, error: unknown) {
  return toErrorItem(unreadError(candidate.source, error), {
    source: candidate.source,
    source_kind: candidate.source_kind,
    stage: 'convert',
  });
}

/** The stored versions of sources before a run, for sources that give no text now. */
export class StoredVersions {
  readonly #before: ReadonlyMap<string, StoredSource>;
  /** Reads what is stored of a source; undefined for a new collection. */
  readonly #read: ((source: string) => Promise<SourceContent | undefined>) | undefined;

  constructor(before: ReadonlyMap<string, StoredSource>, collection: Collection | undefined) {
    this.#before = before;
    this.#read =
      collection &&
      batchCalls(READ_AT_ONCE, async (sources: string[]) => {
        const contents = await collection.contents(sources);
        return sources.map((source) => contents.get(source));
      });
  }

  /**
   * Finds the stored version of a local file that was read and no longer has text. Undefined for pages and uploads, where a server or a browser may
   * have failed.
   */
  findEmptied({ candidate, error }: Unread): StoredSource | undefined {
    const isRead = candidate.source_kind === 'path' && error instanceof KbError && error.hasNoText;
    return isRead ? this.#before.get(candidate.source) : undefined;
  }

  /** Adds to the error of an unreadable source that its earlier version stays stored. */
  async withVersion(item: ErrorItem, source = item.source): Promise<ErrorItem> {
    if (!this.#read || !this.#before.has(source)) return item;
    const found = await this.#read(source);
    if (!found) return item;
    const { ingested_at } = found.metadata;
    const version = typeof ingested_at === 'string' ? `version of ${ingested_at.slice(0, 10)}` : 'earlier version';
    return { ...item, error: `${item.error} The ${version} stays stored.` };
  }

  /** Applies `withVersion` to the errors among extracted items. */
  async *withVersions(
    items: AsyncIterable<{ name: SourceName; item: Extracted }>,
  ): AsyncGenerator<{ name: SourceName; item: Extracted }, void, void> {
    if (!this.#read) return yield* items;
    yield* mapOrdered(items, READ_AT_ONCE, async ({ name, item }) =>
      'error' in item && !item.isGone
        ? { name, item: { ...item, error: await this.withVersion(item.error, item.stored_as ?? item.error.source) } }
        : { name, item },
    );
  }
}
