import { renamedKeys } from '../reserved-metadata.ts';
import { advice, formatHint, ocrAdvice, setting } from '../../core/advice/advice.ts';
import { count as formatCount, listNames } from '../../text/count.ts';
import { pagesIn } from '../../text/passage-location.ts';
import type { IngestDocument, DocumentOutcome } from './read-documents.ts';
import type { ErrorItem, Metadata } from '../../schema/items.ts';
import { describe, type KbError, toErrorItem } from '../../core/errors.ts';
import type { RetryPause } from '../../core/retry.ts';
import { errorEvent, type Progress } from '../../core/run.ts';
import type { IngestResult } from '../../schema/results.ts';
import type { PageInWork } from '../../ports/reading.ts';
import type { StoredSource } from '../../ports/stores.ts';
import type { SourceName } from '../extract/extract.ts';
import { emptyFilesNotice } from '../extract/files/documents.ts';
import { pageEvent } from '../extract/pages/page.ts';

/** Maximum number of pages that a notice names. */
const MAX_NAMED = 3;

/** Extracts from metadata the share of a document that was left out besides navigation. */
export const leftOutShare = ({ left_out }: Metadata = {}): { left_out?: number } => (typeof left_out === 'number' ? { left_out } : {});

/** Metadata keys that list badly read pages as ranges, and the notice about each. */
const PAGE_NOTICES: readonly (readonly [key: string, tell: (pages: string, documents: string) => string])[] = [
  [
    'pages_without_text',
    (pages, documents) =>
      `${pages} without a readable text layer (scans, or letters that the file does not name) of ${documents}. ${formatHint(ocrAdvice('them'))}`,
  ],
  ['ocr_unsure_pages', (pages, documents) => `OCR is unsure of ${pages} (confidence below .7) of ${documents}.`],
  ['unreadable_pages', (pages, documents) => `${pages} are damaged and were lost, of ${documents}.`],
];

/** Collects documents that were not read completely, for notices at the end: omitted content (`left_out` in their metadata) and badly read pages. */
export class OmittedContent {
  readonly #partialPages: { source: string; share: number }[] = [];
  readonly #partialFiles: { source: string; words: number }[] = [];
  /** Sources by the key of their own metadata that was renamed. */
  readonly #renamed = new Map<string, string[]>();
  readonly #uncalculated: { source: string; formulas: number }[] = [];
  readonly #scans = new Map(PAGE_NOTICES.map(([key]) => [key, [] as { source: string; pages: string }[]]));

  add(source: string, metadata: Metadata): void {
    for (const key of renamedKeys(metadata)) this.#renamed.set(key, [...(this.#renamed.get(key) ?? []), source]);
    for (const [key, found] of this.#scans) if (typeof metadata[key] === 'string') found.push({ source, pages: metadata[key] });
    const { left_out } = leftOutShare(metadata);
    if (left_out !== undefined) this.#partialPages.push({ source, share: left_out });
    if (typeof metadata['formulas_without_result'] === 'number')
      this.#uncalculated.push({ source, formulas: metadata['formulas_without_result'] });
    if (typeof metadata['missing_words'] === 'number') this.#partialFiles.push({ source, words: metadata['missing_words'] });
  }

  /** Makes the notices. */
  notices(): string[] {
    const scans = PAGE_NOTICES.flatMap(([key, tell]) => {
      const found = this.#scans.get(key)!;
      if (found.length === 0) return [];
      const pages = found.reduce((sum, one) => sum + pagesIn(one.pages), 0);
      const named = found.map(({ source, pages: ranges }) => `${source} (page ${ranges})`);
      return [tell(formatCount(pages, 'page'), listNames(named, MAX_NAMED))];
    });
    return [...this.#shareNotices(), ...this.#wordNotices(), ...this.#formulaNotices(), ...this.#renamedNotices(), ...scans];
  }

  /** The notices of metadata keys that documents share with kb. */
  *#renamedNotices(): Generator<string, void, void> {
    for (const [key, sources] of this.#renamed)
      yield `The metadata key "${key}" of documents is stored as "document_${key}", because kb sets "${key}" itself: ${listNames(sources, MAX_NAMED)}.`;
  }

  /** The notice of documents whose text lacks words that their files show. */
  *#wordNotices(): Generator<string, void, void> {
    const files = this.#partialFiles.toSorted((a, b) => b.words - a.words);
    if (files.length === 0) return;
    const words = files.reduce((sum, file) => sum + file.words, 0);
    const named = files.map(({ source, words: missing }) => `${source} (${formatCount(missing, 'word')})`);
    yield `${formatCount(words, 'word')} that ${files.length === 1 ? 'a file shows' : `${files.length} files show`} could not be read: ${listNames(named, MAX_NAMED)}.`;
  }

  /** The notice of workbooks whose program did not calculate them. */
  *#formulaNotices(): Generator<string, void, void> {
    const books = this.#uncalculated;
    if (books.length === 0) return;
    const formulas = formatCount(
      books.reduce((sum, book) => sum + book.formulas, 0),
      'formula',
    );
    const named = books.map(({ source, formulas: count }) => `${source} (${count})`);
    yield `The results of ${formulas} are not stored in the file, so that kb shows the formulas: ${listNames(named, MAX_NAMED)}. Open and save it in Excel or LibreOffice to calculate them.`;
  }

  #shareNotices(): string[] {
    const pages = this.#partialPages.toSorted((a, b) => b.share - a.share);
    if (pages.length === 0) return [];
    const named = pages.map(({ source, share }) => `${source} (${Math.round(share * 100)}%)`);
    return [
      `Menus, teasers, comments and the like were left out of ${formatCount(pages.length, 'page')}, more than 2% of the text: ${listNames(named, MAX_NAMED)}. ${formatHint(advice`To keep them, add ${setting('ingestion.html', 'whole')}.`)}`,
    ];
  }
}

/** Maximum entries of a list of the report: a list of a million chunks would not fit into memory. Counts are always complete. */
export const REPORT_LIMIT = 10_000;

interface ReportOptions {
  names: readonly SourceName[];
  provider: string;
  collection: string;
  /** Whether `items` and `outputs` are filled. */
  lists: boolean;
  /** Whether events of pages have a message. */
  verbose?: boolean;
}

/** Number and bytes of documents that give no chunks. */
interface Size {
  count?: number;
  bytes?: number | undefined;
}

/** Writes the notice of stored sources that no longer have text. */
function emptiedNotice(emptied: readonly StoredSource[], { dry_run }: { dry_run: boolean }): string {
  const chunks = emptied.reduce((sum, one) => sum + one.chunks, 0);
  const removed = `${formatCount(chunks, 'chunk')} ${dry_run ? 'would be' : chunks === 1 ? 'was' : 'were'} removed`;
  const named = listNames(
    emptied.map(({ source }) => source),
    MAX_NAMED,
  );
  return emptied.length === 1
    ? `${named} is empty now: its ${removed}.`
    : `${formatCount(emptied.length, 'file')} are empty now, and their ${removed}: ${named}.`;
}

/** Writes the notice of files whose format is not read, with the way to convert the first one. */
function unsupportedFilesNotice(files: readonly { source: string; reason: KbError }[]): string {
  if (files.length === 1) return describe(files[0]!.reason);
  const named = listNames(
    files.map(({ source }) => source),
    MAX_NAMED,
  );
  return `${formatCount(files.length, 'file')} of old formats were skipped: ${named}. ${describe(files[0]!.reason)}`;
}

/** The report of a running ingest: the one place that counts. */
/** Seconds of a pause from which it is shown. */
const MIN_SHOWN_PAUSE = 3;

export class IngestReport {
  readonly result: IngestResult;
  readonly #lists: boolean;
  readonly #verbose: boolean;
  readonly #isCrawl: boolean;
  #expected = 0;
  /** Number of documents that were found and not read yet. */
  #queued = 0;
  #done = 0;
  /** Of the expected documents: the number with known length, the bytes of those to read, and the bytes that were read. */
  readonly #sizes = { known: 0, bytes: 0, read: 0 };
  #stored = 0;
  #pendingEvents: Progress[] = [];
  #page: PageInWork | undefined;
  /** The last pause, and when it ends (`performance.now`). */
  #pause = { end: 0, reason: '' };
  readonly #omitted = new OmittedContent();
  readonly #emptied: StoredSource[] = [];
  readonly #skipped: { source: string; reason: KbError }[] = [];

  constructor({ names, provider, collection, lists, verbose = false }: ReportOptions) {
    this.#lists = lists;
    this.#verbose = verbose;
    this.#isCrawl = names.length === 1 && names[0] === 'urls';
    const failures = () => ({ failed: 0, errors: [] });
    this.result = {
      sources: 0,
      unchanged: 0,
      chunks: 0,
      embedded: 0,
      reused: 0,
      stored: 0,
      gone: [],
      pruned: [],
      passed_over: [],
      notices: [],
      source_results: Object.fromEntries(names.map((name) => [name, createSourceResult(name)])),
      chunk_result: { inputs: 0, chunks: 0, items: [], ...failures() },
      embed_result: { inputs: 0, embedded: 0, items: [], ...failures() },
      store_result: { inputs: 0, stored: 0, items: [], ...failures(), provider, collection },
      ...failures(),
    };
  }

  /** Number of documents known to be written. */
  get storedDocuments(): number {
    return this.#stored;
  }

  /** Adds expected documents and, if known, their bytes. */
  expect(count: number, bytes?: number): void {
    if (bytes !== undefined || count < 0) this.#sizes.known += count;
    this.#sizes.bytes += bytes ?? 0;
    this.#expected += count;
    this.#queued += count;
  }

  /** Adds a file that no parser reads. */
  addPassedOver(source: string): void {
    if (this.result.passed_over.length < REPORT_LIMIT) this.result.passed_over.push(source);
  }

  /** Shows a page of a scan, whose recognition begins, in the progress events until a document is read. */
  showPage(page: PageInWork): void {
    this.#page = page;
  }

  /** Shows a pause, which begins, in the progress events until it ends. */
  showPause({ seconds, reason }: RetryPause): void {
    const end = performance.now() + seconds * 1000;
    if (seconds >= MIN_SHOWN_PAUSE && end > this.#pause.end) this.#pause = { end, reason };
  }

  /** Adds a notice for the user: it is reported at once, and kept. */
  addNotice(message: string): void {
    this.result.notices.push(message);
    this.#pendingEvents.push({ type: 'progress', stage: 'ingest', message, data: { notice: true } });
  }

  /** Adds the notices at the end of reading: about incomplete pages, and about sources that are empty now, whose chunks are removed. */
  finishReading({ dry_run }: { dry_run: boolean }): void {
    for (const sentence of [...this.#omitted.notices(), ...this.#skippedNotices()]) this.addNotice(sentence);
    if (this.#emptied.length === 0) return;
    this.addGone(
      this.#emptied.map(({ source }) => source),
      { pruned: true },
    );
    this.addNotice(emptiedNotice(this.#emptied, { dry_run }));
  }

  *#skippedNotices(): Generator<string, void, void> {
    const [empty, unsupported] = [
      this.#skipped.filter(({ reason }) => reason.hasNoText),
      this.#skipped.filter(({ reason }) => reason.isUnsupported),
    ];
    if (empty.length > 0) yield emptyFilesNotice(empty.map(({ source }) => source));
    if (unsupported.length > 0) yield unsupportedFilesNotice(unsupported);
  }

  /** Adds a source that gave no chunks. */
  addUnread(name: SourceName, error: ErrorItem, size: Size = {}): void {
    this.#finish(size);
    this.#fail(error.stage === 'chunk' ? this.result.chunk_result : this.#source(name), error);
  }

  /** Adds one of several files that has no text, or is of a format that is not read. */
  addSkipped(source: string, reason: KbError, size: Size): void {
    this.#finish(size);
    this.addPassedOver(source);
    this.#skipped.push({ source, reason });
  }

  /** Adds a source that was read and no longer has text. */
  addEmptied(stored: StoredSource, size: Size): void {
    this.#finish(size);
    this.#emptied.push(stored);
  }

  /** Adds a document that was read, or is unchanged. */
  addRead({ name, source, status, count, chunks, reused, documents, page, bytes }: IngestDocument): void {
    const { result } = this;
    this.#page = undefined;
    this.#queued -= count;
    if (page) this.#pendingEvents.push(pageEvent(page, { verbose: this.#verbose }));
    const part = this.#source(name);
    if (part && 'documents' in part) part.documents += count;
    else if (part) part.pages += count;
    for (const document of documents) this.#add(result.source_results.markdown!, document);
    if (status === 'unchanged') {
      result.unchanged += count;
      this.#sizes.bytes -= bytes;
      return;
    }
    this.#sizes.read += bytes;
    this.#omitted.add(source, chunks[0]?.metadata ?? {});
    result.sources += count;
    result.reused += reused;
    result.chunk_result.inputs += count;
    result.chunk_result.chunks = result.chunks += chunks.length;
    for (const { id, text, metadata } of chunks) this.#add(result.chunk_result.items, { id, text, source, metadata });
  }

  /** Adds embedded chunks. */
  addEmbedded(count: number): void {
    this.result.embed_result.embedded = this.result.embedded += count;
  }

  /** Adds the outcome of a document. */
  addOutcome({ document, stored, error: refused }: DocumentOutcome): void {
    this.#done += document.count;
    const { embed_result, store_result } = this.result;
    this.#count(document, stored);
    for (const { chunk, error } of document.lost)
      this.#fail(embed_result, toErrorItem(error, { source: chunk.source, source_kind: 'chunk', stage: 'embed' }));
    if (refused) this.#fail(store_result, toErrorItem(refused, { source: document.source, source_kind: 'embedded_chunk', stage: 'store' }));
    const status = document.lost.length > 0 || refused ? 'failed' : document.status;
    this.#add(this.#source(document.name)?.outputs ?? [], {
      source: document.source,
      status,
      ...leftOutShare(document.chunks[0]?.metadata),
    });
  }

  /** Adds sources that are gone: with `pruned`, their chunks are removed (in a dry run, they would be); without, they stay. */
  addGone(sources: readonly string[], { pruned }: { pruned: boolean }): void {
    const list = pruned ? this.result.pruned : this.result.gone;
    for (const source of sources) list.push(source);
  }

  /** Returns the events since the last call: pages and failures in order, then the counts. */
  takeEvents(): Progress[] {
    const { sources, unchanged, chunks, embedded, reused, stored, failed, source_results } = this.result;
    const pages = this.#isCrawl ? { pages: source_results.urls!.pages, queued: Math.max(0, this.#queued) } : {};
    const { known, bytes, read } = this.#sizes;
    const sizes = known === this.#expected && bytes > 0 ? { expected_bytes: bytes, bytes: read } : {};
    const left = Math.ceil((this.#pause.end - performance.now()) / 1000);
    const data = {
      expected: this.#expected,
      done: this.#done,
      ...sizes,
      ...pages,
      sources,
      unchanged,
      chunks,
      embedded,
      reused,
      stored,
      failed,
      ...(this.#page && { recognizing: this.#page }),
      ...(left > 0 && { pause: { seconds: left, reason: this.#pause.reason } }),
    };
    const events: Progress[] = [...this.#pendingEvents, { type: 'progress', stage: 'ingest', message: '', data }];
    this.#pendingEvents = [];
    return events;
  }

  #count({ count, chunks, lost, reused }: IngestDocument, stored: boolean): void {
    const { result } = this;
    const { embed_result, store_result } = result;
    embed_result.inputs += chunks.length + lost.length - reused;
    store_result.inputs += chunks.length;
    for (const { id, source, vector } of chunks) if (vector) this.#add(embed_result.items, { id, source });
    if (!stored) return;
    this.#stored += count;
    store_result.stored = result.stored += chunks.length;
    for (const { id, source } of chunks) this.#add(store_result.items, { id, source });
  }

  #finish({ count = 1, bytes = 0 }: Size): void {
    this.#page = undefined;
    this.#sizes.bytes -= bytes;
    this.#done += count;
    this.#queued -= count;
  }

  #add<Item>(list: Item[], item: Item): void {
    if (this.#lists && list.length < REPORT_LIMIT) list.push(item);
  }

  #fail(part: { failed: number; errors: ErrorItem[] } | undefined, error: ErrorItem): void {
    for (const list of part ? [part, this.result] : [this.result]) {
      list.failed++;
      if (list.errors.length < REPORT_LIMIT) list.errors.push(error);
    }
    this.#pendingEvents.push(errorEvent(error));
  }

  #source(name: SourceName) {
    const part = this.result.source_results[name];
    return Array.isArray(part) ? undefined : part;
  }
}

function createSourceResult(name: SourceName): unknown {
  if (name === 'markdown') return [];
  return { [name === 'urls' ? 'pages' : 'documents']: 0, failed: 0, outputs: [], errors: [] };
}
