import type { Http } from '../../http/message.ts';
import type { DocumentReader } from '../../ports/reading.ts';
import { prefetch, yieldToEventLoop } from '../../core/concurrency.ts';
import { KbError } from '../../core/errors.ts';
import { hash } from '../../core/ids.ts';
import { count } from '../../text/count.ts';
import type { Document, ErrorItem, Metadata, SourceKind } from '../../schema/items.ts';

/** The kinds of sources, in the order in which their documents are merged (service.md 4.1). */
export const SOURCE_KINDS = ['docs', 'urls', 'api', 'markdown'] as const;
/** Kind of source, as a request names it. */
export type SourceName = (typeof SOURCE_KINDS)[number];

/** Extractors by kind; a kind that was not given is absent. */
export type Extractors = { [Name in SourceName]?: (() => AsyncGenerator<Extracted, void, void>) | undefined };

/** Maximum items of a kind that are prefetched while another kind is read. */
const MAX_PREFETCHED = 16;

/**
 * Yields the items of all extractors in the order of the kinds, which are read one after another or at the same time (`parallel`). Yields to the event loop
 * between items: thousands that are refused at once are one chain of settled promises.
 */
export async function* extractAll(
  extractors: Extractors,
  concurrency: 'serial' | 'parallel',
): AsyncGenerator<{ name: SourceName; item: Extracted }, void, void> {
  const given = SOURCE_KINDS.flatMap((name) => (extractors[name] ? [{ name, open: extractors[name] }] : []));
  const started = concurrency === 'parallel' ? given.map(({ name, open }) => ({ name, items: prefetch(open(), MAX_PREFETCHED) })) : [];
  const yieldIfBusy = yieldToEventLoop(undefined);
  try {
    for (const [i, { name, open }] of given.entries()) {
      for await (const item of started[i]?.items ?? open()) {
        await yieldIfBusy();
        yield { name, item };
      }
    }
  } finally {
    await Promise.all(started.map(({ items }) => items.return()));
  }
}

/** The dependencies of fetching. */
export interface NetworkParts {
  http: Http;
  reader: DocumentReader;
  signal?: AbortSignal | undefined;
}

/** Adds notices of the hosts that asked for a slower pace to the items of an extractor. */
export async function* withRefusals(items: AsyncIterable<Extracted>, { takeRefusals }: Http): AsyncGenerator<Extracted, void, void> {
  yield* items;
  for (const [origin, requests] of takeRefusals?.() ?? [])
    yield { notice: `${origin} refused ${count(requests, 'request')} as too many, and was asked at a slower pace.` };
}

/** A document and the further documents in its file (`members`). All have the same source. */
export interface FoundDocument extends Document {
  members?: Document[];
}

/** A document that was found and not read yet, with the hash that shows whether it has changed. */
export interface Candidate {
  /** The source that the document is stored under: a path, an address or a name. */
  source: string;
  source_kind: SourceKind;
  /** Hash of everything that determines the document (`contentHash`). */
  content_hash: string;
  /** Reads the document, which is expensive. Throws a KbError on failure. Called at most once. */
  document(): Promise<FoundDocument>;
  /** Length of the file; absent if it is not a file. */
  bytes?: number;
  /** One of several files: if it has no text, or is of a format that is not read, it is skipped instead of failing. */
  is_skippable?: boolean;
  /** The file contains only white space or front matter. */
  isEmpty?: boolean;
  /** For a page: its distance in links from the start of the crawl, and its HTTP status. */
  page?: { depth: number; status_code: number };
  /** It came over the network: a few words in its place may be a notice of the server, and no new version. */
  isFetched?: boolean;
  /** Several documents share this source (texts without a name): a new one is added to the others and replaces none. */
  shares_source?: boolean;
  /** Further documents with this source in the same request: all are stored together and replace what is stored under it. */
  siblings?: readonly Candidate[];
}

/**
 * A folder, site or API that was listed: a stored source that it covers and that was not found is gone, unless the list is incomplete. The list of a site or
 * API is also incomplete if anything that came from it could not be read.
 */
export interface Scope {
  source_kind: SourceKind;
  covers(source: string): boolean;
  /** Why the list may be incomplete, as a part of a sentence: then nothing in it counts as gone. */
  doubt?: string;
}

/**
 * An item of an extractor. `input`: the entry, without credentials, that the following items come from. `candidate`: a document. `error`: a
 * document that failed (`isGone`: it no longer exists, so that its chunks may be removed; `stored_as`: the source it is stored under, if
 * another). `passed_over`: a file that no parser reads, or that an ignore file excludes (`isExcluded`). `unchanged`: the source of a file that was not read because it has not changed.
 * `gone`: a stored source that no longer exists, of a document that nothing named. `scope`: follows the items that it covers. `expected`: how many more documents are coming (negative: fewer), and their bytes, if known.
 * `notice`: a sentence for the user that is not about a failure.
 */
export type Extracted =
  | { input: string }
  | { candidate: Candidate }
  | { error: ErrorItem; isGone?: boolean; stored_as?: string }
  | { passed_over: string; isExcluded?: true }
  | { unchanged: string }
  | { gone: string }
  | { scope: Scope }
  | { expected: number; bytes?: number }
  | { notice: string };

/** The caller's information about a document besides its content. */
export interface GivenContent {
  title?: string | undefined;
  description?: string | undefined;
  frontmatter?: boolean | undefined;
  metadata?: Metadata | undefined;
  /** Version of the reader of its file type (`DocumentReader.revisionOf`). */
  revision?: string | undefined;
}

/** Hashes the content of a document with the caller's information about it: a change of either makes another document. */
export const contentHash = (
  content: Uint8Array | string,
  { title = '', description = '', frontmatter = false, metadata = {}, revision }: GivenContent = {},
): string =>
  hash(content, title, description, String(frontmatter), ...metadataParts(metadata), ...(revision === undefined ? [] : [revision]));

/** Writes metadata as parts of a hash, sorted by key. */
export const metadataParts = (metadata: Metadata): string[] =>
  Object.entries(metadata)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((entry) => JSON.stringify(entry));

/** Wraps an error so that its message names the source; a KbError stays as it is. */
export const unreadError = (source: string, error: unknown): KbError =>
  error instanceof KbError
    ? error
    : new KbError('invalid', `${source} could not be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
