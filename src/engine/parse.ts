import { isAbort, KbError } from '../base/errors.ts';
import { mapOrdered } from '../base/pool.ts';
import { progress, throwIfAborted, type Run } from '../base/run.ts';
import type { Document } from '../schema/items.ts';
import type { ApiInput, DocsInput, FetchRequest, ParseRequest, ScrapeRequest } from '../schema/requests.ts';
import type { DocumentsResult, ErrorItem, PagesResult } from '../schema/results.ts';
import type { Extracted } from '../stages/extract/candidate.ts';
import { extractAll } from '../stages/extract/extract.ts';
import { unreadItem } from '../stages/inventory.ts';
import type { Context } from './context.ts';
import { openExtractors, type Sources } from './extractors.ts';

/** Documents made at once. */
const AT_ONCE = 4;

/** Files to normalized documents. */
export async function* parse({ files, folder }: ParseRequest, context: Context): Run<DocumentsResult> {
  if ((files === undefined) === (folder === undefined))
    throw new KbError('usage', 'Exactly one of files and folder must be given.', { hint: 'For example: kb parse ./manuals' });
  const docs: DocsInput = folder === undefined ? files! : { folder };
  return yield* documents({ docs }, context);
}

/** Web pages to normalized documents. */
export async function* scrape({ url }: ScrapeRequest, context: Context): Run<PagesResult> {
  const { documents: pages, ...rest } = yield* documents({ urls: url }, context);
  const retryable = rest.errors.filter((error) => error.isRetryable);
  return { pages, ...rest, dlq: retryable.length > 0 ? retryable : null };
}

/** Answers of HTTP APIs to normalized documents. */
export async function* fetchApis({ apis, url, ...one }: FetchRequest, context: Context): Run<DocumentsResult> {
  if ((apis === undefined) === (url === undefined))
    throw new KbError('usage', 'Exactly one of url and apis must be given.', {
      hint: 'For example: kb fetch https://example.com/api/articles',
    });
  const api: ApiInput = url === undefined ? apis! : { ...one, url };
  return yield* documents({ api }, context);
}

/** The documents of one kind of source, without storing them. Each is handed out as an `item` as soon as it is made. */
async function* documents(sources: Sources, context: Context): Run<DocumentsResult> {
  const result: DocumentsResult = { documents: 0, failed: 0, outputs: [], errors: [] };
  const { extractors, close } = await openExtractors(sources, context);
  try {
    const extracted = extractAll(extractors, context.settings.concurrency);
    for await (const { document, error, expected } of mapOrdered(extracted, AT_ONCE, ({ item }) => made(item))) {
      throwIfAborted(context.signal);
      if (expected !== undefined) yield progress('parse', { expected, done: result.documents });
      if (error) {
        result.failed++;
        result.errors.push(error);
        yield { type: 'error', stage: error.stage, message: error.error, data: error };
      }
      if (!document) continue;
      result.documents++;
      if (context.lists) result.outputs.push(document);
      yield { type: 'item', stage: 'parse', message: '', data: document };
    }
  } finally {
    await close();
  }
  return result;
}

interface Made {
  document?: Document;
  error?: ErrorItem;
  expected?: number;
}

async function made(item: Extracted): Promise<Made> {
  if ('error' in item) return { error: item.error };
  if ('expected' in item) return { expected: item.expected };
  if (!('candidate' in item)) return {};
  try {
    return { document: await item.candidate.document() };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { error: unreadItem(item.candidate, error) };
  }
}
