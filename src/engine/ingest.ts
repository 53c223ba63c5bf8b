import { call, type Hint, formatHint, operatorAdvice } from '../core/advice/advice.ts';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { count } from '../text/count.ts';
import { attachPartialResult, isAbort, KbError } from '../core/errors.ts';
import { withHeartbeat } from '../core/concurrency.ts';
import { listenToPauses } from '../core/retry.ts';
import { progress, type Run, throwIfAborted } from '../core/run.ts';
import type { Embedder } from '../ports/models.ts';
import type { Collection, StoredSource } from '../ports/stores.ts';
import type { IngestRequest, UploadRequest } from '../schema/requests.ts';
import type { IngestResult } from '../schema/results.ts';
import { embedDocuments } from '../stages/ingest/embed-chunks.ts';
import { extractAll, SOURCE_KINDS, type SourceName } from '../stages/extract/extract.ts';
import { extractUploadsBySource } from '../stages/extract/files/inline-documents.ts';
import { IngestReport } from '../stages/ingest/ingest-report.ts';
import { type IngestDocument, LanguageTally, readDocuments, type Unread } from '../stages/ingest/read-documents.ts';
import { Inventory, type Origins, prune, StoredVersions, unreadItem } from '../stages/ingest/inventory.ts';
import { storeDocuments } from '../stages/ingest/store-chunks.ts';
import { openEmbedder, targetCollection, withLock } from './collections.ts';
import { withChunkSize } from './chunk-sizes.ts';
import { type Context, namesSources } from './context.ts';
import { type KnownSources, type OpenExtractors, openExtractors, openUploads } from './extractors.ts';
import { changedOrigins, saveSources, recallSources, openMemory } from './collection-memory.ts';
import { encodePath } from '../core/file-names.ts';
import { filePathOf, fileSource, type PathPlace } from '../stages/extract/files/local-path.ts';

/** Milliseconds between progress events. */
const PROGRESS_INTERVAL = 200;
/** Maximum chunks of a document on a server: all are in memory until they are stored. 100 MiB of text give about 210,000 by default. */
const MAX_DOCUMENT_CHUNKS = 250_000;
/** Share of non-English text from which the multilingual model is suggested. */
const FOREIGN_SHARE = 0.2;

/**
 * Runs the full pipeline: extract, chunk, embed, store. Stored documents stay if it is stopped. Without sources in the request it reads the
 * configured ones, with paths relative to `home`; with `changes`, only those of their files that may have changed.
 */
export async function* ingest(given: IngestRequest, callerContext: Context, changes?: KnownChanges): Run<IngestResult> {
  const isConfigured = !namesSources(given);
  const { sources } = callerContext.settings;
  const request = isConfigured ? { ...given, ...(changes ? { docs: sources.docs } : sources) } : given;
  const context = isConfigured ? { ...callerContext, cwd: callerContext.home } : callerContext;
  const open: IngestTask['open'] = (reading, known) => openExtractors(request, reading, known);
  const names = SOURCE_KINDS.filter((name) => request[name] !== undefined);
  return yield* runIngest({ request, context, report: createReport(names, context), isConfigured, changes, open });
}

/** Runs the same pipeline for uploaded files. */
export async function* ingestUploads(given: UploadRequest, context: Context): Run<IngestResult> {
  const open: IngestTask['open'] = (reading) => openUploads(given, reading, extractUploadsBySource);
  return yield* runIngest({ request: {}, context, report: createReport(['docs'], context), isConfigured: false, open });
}

const createReport = (names: readonly SourceName[], { settings, lists }: Context): IngestReport => {
  const { storage, collection, ingestion } = settings;
  return new IngestReport({ names, provider: storage.vector_db, collection, lists, verbose: ingestion.urls.verbose });
};

interface IngestTask {
  request: IngestRequest;
  context: Context;
  report: IngestReport;
  /** Whether the sources are those of the configuration. */
  isConfigured: boolean;
  changes?: KnownChanges | undefined;
  open(context: Context, known: KnownSources): Promise<OpenExtractors>;
}

async function* runIngest(task: IngestTask): Run<IngestResult> {
  const { request, context, report } = task;
  try {
    const run = request.dry_run ? dryRun(task) : withLock(context, () => storeSources(task));
    yield* listenToPauses(run, (pause) => report.showPause(pause));
  } catch (error) {
    throw attachPartialResult(withProgressHint(error, report), report.result);
  }
  return report.result;
}

/** Adds a hint to the error that ended an ingest: what was stored by then. */
function withProgressHint(error: unknown, { storedDocuments, result }: IngestReport): unknown {
  const progressHint =
    storedDocuments > 0
      ? `What was stored stays (${count(storedDocuments, 'document')}, ${count(result.stored, 'chunk')} in "${result.store_result.collection}"); the same again goes on from there.`
      : undefined;
  if (isAbort(error)) return new KbError('aborted', 'Stopped.', { hint: progressHint ?? 'Nothing was stored.', cause: error });
  if (!(error instanceof KbError) || !progressHint) return error;
  const { code, message, hint, isRetryable, attempts, retryAfter } = error;
  return new KbError(code, message, {
    hint: hint ? `${hint} ${progressHint}` : progressHint,
    isRetryable,
    attempts,
    retryAfter,
    cause: error,
  });
}

async function* storeSources(given: IngestTask): Run<void> {
  const { report, isConfigured } = given;
  const target = await targetCollection(given.context);
  const embedder = await openEmbedder(given.context, target.existing?.info);
  const context = await withChunkSize(given.context, target.existing?.info);
  const { settings, signal } = context;
  const task = { ...given, context };
  const tally = new LanguageTally();
  const state = await readStoredState(task, target.existing);
  let removed: readonly string[] = [];
  try {
    yield* readSources(task, state, (documents, onFailure) => {
      const read = embedder?.english_only ? tally.countEach(documents) : documents;
      const { batch_size } = settings.embedding;
      const onBatch = (embedded: number) => report.addEmbedded(embedded);
      const embedded = embedder ? embedDocuments(read, { embedder, batch_size, signal, onBatch, onFailure }) : read;
      return storeDocuments(embedded, {
        collection: target.get,
        was_empty: !target.existing,
        batch_size: settings.storage.batch_size,
        onWritten: (item) => report.addOutcome(item),
        onFailure,
      });
    });
    if (embedder && tally.foreign_share > FOREIGN_SHARE)
      report.addNotice(multilingualNotice(tally.foreign_share, embedder, settings.collection));
    const { stored, pruned } = report.result;
    const collection = target.existing ?? (stored > 0 ? await target.get(0) : undefined);
    if (stored > 0 || pruned.length > 0) yield progress('ingest', {}, 'Bringing the index up to date.');
    if (collection) await prune(collection, pruned);
    removed = pruned;
    await collection?.optimize(); // also if nothing was written, because a killed run may not have done it
  } finally {
    const origins = changedOrigins({ ...state, found: state.inventory.origins, removed, isConfigured });
    const gone = new Set(removed);
    const unconfirmed = new Map([...state.unconfirmed].filter(([source]) => state.before.has(source) && !gone.has(source)));
    const hasChanged = isConfigured || origins.size !== state.known.size || unconfirmed.size + state.unconfirmedBefore > 0;
    if (hasChanged) await saveSources({ origins, unconfirmed }, context, state.onProblem);
  }
}

const multilingualNotice = (share: number, { model, english_only }: Embedder, collection: string): string =>
  `${Math.round(100 * share)}% of what was read is not in English, and ${model} compares the meaning of English alone. ${formatHint(otherModel(english_only!, collection))}`;

const otherModel = ({ reads, other_model }: NonNullable<Embedder['english_only']>, name: string): Hint =>
  operatorAdvice`The other bundled model reads ${reads}: "${call('reembed_collection', { name, embedding_model: other_model })}".`;

/** Does everything except embedding, writing and removing. */
async function* dryRun(given: IngestTask): Run<void> {
  const { existing } = await targetCollection(given.context); // creates nothing, and fails where the real run would
  const task = { ...given, context: await withChunkSize(given.context, existing?.info) };
  yield* readSources(task, await readStoredState(task, existing), (documents) => reportUnwritten(documents, task.report));
}

/** State of the collection before a run, and the inventory of the sources that the run finds. */
interface StoredState {
  existing: Collection | undefined;
  before: ReadonlyMap<string, StoredSource>;
  known: Origins;
  /** Versions that wait for a second run, and their number before this one. */
  unconfirmed: Map<string, string>;
  unconfirmedBefore: number;
  inventory: Inventory;
  onProblem(message: string): void;
}

async function readStoredState({ context, report }: IngestTask, existing: Collection | undefined): Promise<StoredState> {
  const onProblem = (message: string) => report.addNotice(message);
  const { origins: known, unconfirmed } = existing
    ? await recallSources(context, onProblem)
    : { origins: new Map<string, string>(), unconfirmed: new Map<string, string>() };
  const before = (await existing?.sources()) ?? new Map<string, StoredSource>();
  return { existing, before, known, unconfirmed, unconfirmedBefore: unconfirmed.size, inventory: new Inventory(report), onProblem };
}

/** Processes the documents that were read. It must call `onFailure` with a fatal error before the input closes. */
type FinishDocuments = (read: AsyncIterable<IngestDocument>, onFailure: (error: unknown) => void) => AsyncIterable<void>;

/** Extracts, compares, parses and chunks all sources, and reports the stored ones that are gone. */
async function* readSources(
  { request, context, report, isConfigured, changes, open }: IngestTask,
  { existing, before, known, unconfirmed, inventory, onProblem }: StoredState,
  finish: FinishDocuments,
): Run<void> {
  const { settings, signal } = context;
  const memory = await openMemory(context, { request, before, onProblem });
  const failed = new AbortController();
  const reading: Context = {
    ...context,
    signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal,
    onPage: (page) => report.showPage(page),
  };
  try {
    const { extractors, close } = await open(reading, {
      memory: memory.pages,
      prunable: request.prune ? new Set(before.keys()) : undefined,
      isUnchanged: changes && unchangedFilter(changes, before, context),
      isStored: (source) => before.has(source),
    });
    try {
      const stored = new StoredVersions(before, existing);
      const candidates = inventory.candidates(stored.withVersions(extractAll(extractors, settings.concurrency)));
      const { metadata, force = false } = request;
      const { chunking } = settings;
      const maxChunks = context.surface === 'server' ? MAX_DOCUMENT_CHUNKS : undefined;
      const documents = readDocuments(candidates, { chunking, maxChunks, metadata, before, collection: existing, force, unconfirmed });
      const written = finish(reportUnread(documents, { report, stored, inventory }), (error) => failed.abort(error));
      yield* reportProgress(written, report, signal);
    } finally {
      await close();
    }
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error;
  } finally {
    await memory.close();
  }
  report.finishReading({ dry_run: request.dry_run ?? false });
  const origins = isConfigured ? (changes ? onlyDocsOrigins(known) : known) : undefined;
  if (request.prune) for (const sentence of inventory.explainKept(before, origins)) report.addNotice(sentence);
  const gone = new Set([...inventory.findGone(before, origins), ...(changes ? listRemovedFiles(changes, before, context) : [])]);
  report.addGone([...gone], { pruned: request.prune ?? false });
}

/** Yields the documents, and reports those that could not be read. */
async function* reportUnread(
  documents: AsyncIterable<IngestDocument | Unread>,
  { report, stored, inventory }: { report: IngestReport; stored: StoredVersions; inventory: Inventory },
): AsyncGenerator<IngestDocument, void, void> {
  for await (const document of documents) {
    if (!('candidate' in document)) {
      report.addRead(document);
      yield document;
      continue;
    }
    const { name, candidate, error } = document;
    if (isAbort(error)) throw error;
    const { siblings = [], bytes } = candidate;
    const size = { count: 1 + siblings.length, bytes };
    const emptied = stored.findEmptied(document);
    if (emptied) report.addEmptied(emptied, size);
    else if (candidate.is_skippable && error instanceof KbError && (error.hasNoText || error.isUnsupported))
      report.addSkipped(candidate.source, error, size);
    else {
      inventory.addUnread(name, candidate);
      report.addUnread(name, await stored.withVersion(unreadItem(candidate, error)), size);
    }
  }
}

async function* reportUnwritten(documents: AsyncIterable<IngestDocument>, report: IngestReport): AsyncGenerator<void, void, void> {
  for await (const document of documents) yield report.addOutcome({ document, stored: false });
}

async function* reportProgress(written: AsyncIterable<void>, report: IngestReport, signal: AbortSignal | undefined): Run<void> {
  let reported = 0;
  for await (const _step of withHeartbeat(written, PROGRESS_INTERVAL)) {
    throwIfAborted(signal);
    if (Date.now() - reported < PROGRESS_INTERVAL - 5) continue; // timers may fire some milliseconds early
    reported = Date.now();
    yield* report.takeEvents();
  }
  yield* report.takeEvents();
}

/** Files that a watch has seen change, so that an ingest need not read all of them. */
export interface KnownChanges {
  /** Whether the file at an absolute, real path may have changed since the last run. */
  isChanged(path: string): boolean;
  /** Sources that could not be read and need not be read again. */
  unreadable: ReadonlySet<string>;
}

type Stored = ReadonlyMap<string, StoredSource>;

/** Makes a predicate for files that need not be read: unchanged ones that are stored or known to be unreadable. */
const unchangedFilter =
  ({ isChanged, unreadable }: KnownChanges, before: Stored, place: PathPlace) =>
  (path: string): boolean => {
    const source = fileSource(path, place);
    return !isChanged(path) && (before.has(source) || unreadable.has(source));
  };

/** Lists stored files that were deleted from a folder that still exists; a missing folder may only be unmounted. */
const listRemovedFiles = ({ isChanged }: KnownChanges, before: Stored, place: PathPlace): string[] =>
  [...before.values()].flatMap(({ source, source_kind }) => {
    const path = source_kind === 'path' ? filePathOf(source, place) : undefined;
    return path !== undefined && isChanged(path) && !pathExists(path) && pathExists(dirname(path)) ? [source] : [];
  });

const pathExists = (path: string): boolean => existsSync(encodePath(path));

/** Selects the origins that are files or folders: a run for changes reads nothing else. */
const onlyDocsOrigins = (origins: Origins): Origins => new Map([...origins].filter(([, input]) => input.startsWith('docs ')));
