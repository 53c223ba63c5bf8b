import { advice, call } from '../core/advice/advice.ts';
import { attachPartialResult, isAbort, KbError, partialResultOf } from '../core/errors.ts';
import { mapOrdered, withHeartbeat } from '../core/concurrency.ts';
import type { PageInWork } from '../ports/reading.ts';
import { errorEvent, progress, type Run, throwIfAborted } from '../core/run.ts';
import { MAX_RESULT_BYTES } from '../schema/fields.ts';
import type { ErrorItem } from '../schema/items.ts';
import { size } from '../text/count.ts';
import type { FetchRequest, ParseRequest, ScrapeRequest, UploadRequest } from '../schema/requests.ts';
import type { ApiInput, DocsInput, Sources } from '../schema/source-entries.ts';
import type { DocumentsResult, PagesResult } from '../schema/results.ts';
import { type Candidate, type Extracted, extractAll, type Extractors, type FoundDocument } from '../stages/extract/extract.ts';
import { pageEvent } from '../stages/extract/pages/page.ts';
import { withoutMembers } from '../stages/extract/document.ts';
import { extractUploads } from '../stages/extract/files/inline-documents.ts';
import { unreadItem } from '../stages/ingest/inventory.ts';
import { OmittedContent } from '../stages/ingest/ingest-report.ts';
import type { Context } from './context.ts';
import { openExtractors, openUploads } from './extractors.ts';

/** Documents parsed concurrently. */
const CONCURRENCY = 4;
/** Minimum milliseconds between progress events. */
const PROGRESS_INTERVAL = 200;

/** Reads files, folders and links. Throws a KbError (`usage`) unless exactly one of `files` and `folder` is given. */
export async function* parse({ files, folder }: ParseRequest, context: Context): Run<DocumentsResult> {
  if ((files === undefined) === (folder === undefined))
    throw new KbError('usage', 'Exactly one of files and folder must be given.', {
      hint: advice`For example ${call('parse', { files: 'manuals/pump.pdf' })}.`,
    });
  const docs: DocsInput = folder === undefined ? files! : { folder };
  return yield* documents({ docs }, context);
}

/** Parses uploaded files. */
export async function* upload(request: UploadRequest, context: Context): Run<DocumentsResult> {
  return yield* collectDocuments({ extractors: (await openUploads(request, context, extractUploads)).extractors, reading: {} }, context);
}

/** Reads web pages. */
export async function* scrape({ url }: ScrapeRequest, context: Context): Run<PagesResult> {
  try {
    return toPagesResult(yield* documents({ urls: url }, context));
  } catch (error) {
    throw attachPartialResult(error, toPagesResult((partialResultOf(error) as DocumentsResult | undefined) ?? emptyResult()));
  }
}

function toPagesResult({ documents: pages, ...rest }: DocumentsResult): PagesResult {
  const retryable = rest.errors.filter((error) => error.isRetryable);
  return { pages, ...rest, dlq: retryable.length > 0 ? retryable : null };
}

const emptyResult = (): DocumentsResult => ({ documents: 0, failed: 0, outputs: [], notices: [], errors: [] });

/** Reads records of HTTP APIs. */
export async function* fetchApis({ apis, url, ...one }: FetchRequest, context: Context): Run<DocumentsResult> {
  if ((apis === undefined) === (url === undefined))
    throw new KbError('usage', 'Exactly one of url and apis must be given.', {
      hint: advice`For example ${call('fetch', { url: 'https://example.com/api/articles' })}.`,
    });
  const api: ApiInput = url === undefined ? apis! : { ...one, url };
  return yield* documents({ api }, context);
}

async function* documents(sources: Sources, context: Context): Run<DocumentsResult> {
  const reading: Reading = {};
  const { extractors, close } = await openExtractors(sources, { ...context, onPage: (page) => (reading.page = page) });
  try {
    return yield* collectDocuments({ extractors, reading }, context);
  } finally {
    await close();
  }
}

/** The page of a scan that is being recognized. */
interface Reading {
  page?: PageInWork;
}

interface Extraction {
  extractors: Extractors;
  reading: Reading;
}

async function* collectDocuments(extraction: Extraction, context: Context): Run<DocumentsResult> {
  const result = emptyResult();
  try {
    yield* collectInto(result, extraction, context);
  } catch (error) {
    throw attachPartialResult(error, result);
  }
  return result;
}

async function* collectInto(result: DocumentsResult, { extractors, reading }: Extraction, context: Context): Run<void> {
  const { verbose } = context.settings.ingestion.urls;
  const omitted = new OmittedContent();
  let [expected, reportedAt, characters] = [0, 0, 0];
  const extracted = extractAll(extractors, context.settings.concurrency);
  const stage = extractors.urls ? 'crawl' : 'parse';
  const counts = () => countsOf(result, { expected, isCrawl: extractors.urls !== undefined });
  const items = mapOrdered(extracted, CONCURRENCY, ({ item }) => parseItem(item));
  for await (const item of withHeartbeat(items, PROGRESS_INTERVAL)) {
    throwIfAborted(context.signal);
    if (!item) {
      if (reading.page) yield progress(stage, { ...counts(), recognizing: reading.page });
      continue;
    }
    const { document, page, error, newlyExpected, notice } = item;
    if (!document && !error && newlyExpected === undefined && notice === undefined) continue;
    expected += newlyExpected ?? 0;
    if (Date.now() - reportedAt >= PROGRESS_INTERVAL) {
      reportedAt = Date.now();
      yield progress(stage, counts());
    }
    if (notice !== undefined) result.notices.push(notice);
    if (error) {
      result.failed++;
      result.errors.push(error);
      yield errorEvent(error);
    }
    if (!document) continue;
    delete reading.page;
    for (const one of [withoutMembers(document), ...(document.members ?? [])]) {
      result.documents++;
      omitted.add(one.source, one.metadata);
      characters += one.text.length;
      if (context.surface === 'server' && characters > MAX_RESULT_BYTES) throw tooMuchTextError();
      if (context.lists) result.outputs.push(one);
      yield { type: 'item', stage: 'parse', message: '', data: one };
    }
    if (page) yield pageEvent({ url: document.source, title: document.title, document_id: document.id, ...page }, { verbose });
  }
  result.notices.push(...omitted.notices());
}

const tooMuchTextError = (): KbError =>
  new KbError('too_large', `The documents hold more than ${size(MAX_RESULT_BYTES)} of text, the most that one response holds.`, {
    hint: advice`Name fewer at once, or store them with "${call('ingest', {})}".`,
  });

/** Progress counts; for pages also how many are queued. */
function countsOf({ documents: done, failed }: DocumentsResult, { expected, isCrawl }: { expected: number; isCrawl: boolean }) {
  return { expected, done, failed, ...(isCrawl ? { pages: done, queued: Math.max(0, expected - done - failed) } : {}) };
}

/** What one step of an extraction adds to the result. */
interface ParsedItem {
  document?: FoundDocument;
  page?: Candidate['page'] | undefined;
  error?: ErrorItem;
  newlyExpected?: number;
  notice?: string;
}

async function parseItem(item: Extracted): Promise<ParsedItem> {
  if ('error' in item) return { error: item.error };
  if ('expected' in item) return { newlyExpected: item.expected };
  if ('notice' in item) return { notice: item.notice };
  if (!('candidate' in item)) return {};
  try {
    return { document: await item.candidate.document(), page: item.candidate.page };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { error: unreadItem(item.candidate, error) };
  }
}
