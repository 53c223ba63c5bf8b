import { toErrorItem } from '../base/errors.ts';
import { errorEvent, type Progress } from '../base/run.ts';
import type { ErrorItem, IngestResult } from '../schema/results.ts';
import type { SourceName } from './extract/extract.ts';
import { pageEvent } from './extract/page-event.ts';
import type { Work } from './ingest-work.ts';
import { LeftOut, leftOutOf } from './left-out.ts';
import type { Written } from './write-works.ts';

/** Entries that a list of the report holds at most: the report of a million chunks would not fit into memory. The counts are always whole. */
export const REPORT_LIMIT = 10_000;

export interface ReportOptions {
  names: readonly SourceName[];
  provider: string;
  collection: string;
  /** Whether `items` and `outputs` are filled. */
  lists: boolean;
  /** Whether what is told of a page has a line for people. */
  verbose?: boolean;
}

/** What an ingest has done so far: the one place that counts. */
export class IngestReport {
  readonly result: IngestResult;
  readonly #lists: boolean;
  readonly #verbose: boolean;
  readonly #isCrawl: boolean;
  #expected = 0;
  /** Documents that are known and not read yet. */
  #queued = 0;
  #done = 0;
  /** Of the documents that are coming: how many have a length that is known, those lengths together without what needs no work, and what was read of them. */
  readonly #sizes = { known: 0, bytes: 0, read: 0 };
  #stored = 0;
  #news: Progress[] = [];
  readonly #leftOut = new LeftOut();

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
      source_results: Object.fromEntries(names.map((name) => [name, emptySource(name)])),
      chunk_result: { inputs: 0, chunks: 0, items: [], ...failures() },
      embed_result: { inputs: 0, embedded: 0, items: [], ...failures() },
      store_result: { inputs: 0, stored: 0, items: [], ...failures(), provider, collection },
      ...failures(),
    };
  }

  /** Documents that were written, as far as is known. */
  get storedDocuments(): number {
    return this.#stored;
  }

  /** So many more documents are coming, and so many bytes, where that is known. */
  expect(count: number, bytes?: number): void {
    if (bytes !== undefined || count < 0) this.#sizes.known += count;
    this.#sizes.bytes += bytes ?? 0;
    this.#expected += count;
    this.#queued += count;
  }

  /** A file in a folder that no parser reads. */
  passedOver(source: string): void {
    if (this.result.passed_over.length < REPORT_LIMIT) this.result.passed_over.push(source);
  }

  /** What a person should know although nothing failed: told at once, and kept. */
  notice(message: string): void {
    this.result.notices.push(message);
    this.#news.push({ type: 'progress', stage: 'ingest', message, data: { notice: true } });
  }

  /** When all is read: of which pages not all was. */
  readAll(): void {
    const sentence = this.#leftOut.notice();
    if (sentence !== undefined) this.notice(sentence);
  }

  /** A source that could not be made chunks. */
  unread(name: SourceName, error: ErrorItem, { count = 1, bytes = 0 }: { count?: number; bytes?: number | undefined } = {}): void {
    this.#sizes.bytes -= bytes;
    this.#done += count;
    this.#queued -= count;
    this.#fail(error.stage === 'chunk' ? this.result.chunk_result : this.#source(name), error);
  }

  /** A document that was read, or that is known as it is. */
  read({ name, source, status, count, chunks, reused, documents, page, bytes }: Work): void {
    const { result } = this;
    this.#queued -= count;
    if (page) this.#news.push(pageEvent(page, { verbose: this.#verbose }));
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
    this.#leftOut.add(source, chunks[0]?.metadata ?? {});
    result.sources += count;
    result.reused += reused;
    result.chunk_result.inputs += count;
    result.chunk_result.chunks = result.chunks += chunks.length;
    for (const { id, text, metadata } of chunks) this.#add(result.chunk_result.items, { id, text, source, metadata });
  }

  /** Chunks that have got a vector. */
  embedded(count: number): void {
    this.result.embed_result.embedded = this.result.embedded += count;
  }

  /** A document at the end of its way. */
  written({ work, stored, refused }: Written): void {
    this.#done += work.count;
    const { embed_result, store_result } = this.result;
    this.#count(work, stored);
    for (const { chunk, error } of work.lost)
      this.#fail(embed_result, toErrorItem(error, { source: chunk.source, source_kind: 'chunk', stage: 'embed' }));
    if (refused) this.#fail(store_result, toErrorItem(refused, { source: work.source, source_kind: 'embedded_chunk', stage: 'store' }));
    const status = work.lost.length > 0 || refused ? 'failed' : work.status;
    this.#add(this.#source(work.name)?.outputs ?? [], { source: work.source, status, ...leftOutOf(work.chunks[0]?.metadata) });
  }

  /** Sources that are gone: their chunks are removed with `pruned` (or would be, in a rehearsal), and stay without. */
  gone(sources: readonly string[], { pruned }: { pruned: boolean }): void {
    const list = pruned ? this.result.pruned : this.result.gone;
    for (const source of sources) list.push(source);
  }

  /** What happened since this was last asked: pages and failures as they came, then the counts. */
  events(): Progress[] {
    const { sources, unchanged, chunks, embedded, reused, stored, failed, source_results } = this.result;
    const pages = this.#isCrawl ? { pages: source_results.urls!.pages, queued: Math.max(0, this.#queued) } : {};
    const { known, bytes, read } = this.#sizes;
    const sizes = known === this.#expected && bytes > 0 ? { expected_bytes: bytes, bytes: read } : {};
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
    };
    const events: Progress[] = [...this.#news, { type: 'progress', stage: 'ingest', message: '', data }];
    this.#news = [];
    return events;
  }

  #count({ count, chunks, lost, reused }: Work, stored: boolean): void {
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

  #add<Item>(list: Item[], item: Item): void {
    if (this.#lists && list.length < REPORT_LIMIT) list.push(item);
  }

  #fail(part: { failed: number; errors: ErrorItem[] } | undefined, error: ErrorItem): void {
    for (const list of part ? [part, this.result] : [this.result]) {
      list.failed++;
      if (list.errors.length < REPORT_LIMIT) list.errors.push(error);
    }
    this.#news.push(errorEvent(error));
  }

  #source(name: SourceName) {
    const part = this.result.source_results[name];
    return Array.isArray(part) ? undefined : part;
  }
}

function emptySource(name: SourceName): unknown {
  if (name === 'markdown') return [];
  return { [name === 'urls' ? 'pages' : 'documents']: 0, failed: 0, outputs: [], errors: [] };
}
