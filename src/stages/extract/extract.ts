import { prefetch } from '../../core/concurrency.ts';
import { KbError } from '../../core/errors.ts';
import { hash } from '../../core/ids.ts';
import type { Document, ErrorItem, Metadata, SourceKind } from '../../schema/items.ts';

/** The kinds of sources, in the order in which their documents are merged (service.md 4.1). */
export const SOURCE_KINDS = ['docs', 'urls', 'api', 'markdown'] as const;
export type SourceName = (typeof SOURCE_KINDS)[number];

/** Extractors of the kinds that were given. */
export type Extractors = Partial<Record<SourceName, () => AsyncGenerator<Extracted, void, void>>>;

/** Documents that one kind works ahead while another is read. */
const WORK_AHEAD = 16;

/** Everything that the extractors find, in the order of the kinds: one kind after another, or all at work side by side (`parallel`). */
export async function* extractAll(
  extractors: Extractors,
  concurrency: 'serial' | 'parallel',
): AsyncGenerator<{ name: SourceName; item: Extracted }, void, void> {
  const given = SOURCE_KINDS.flatMap((name) => (extractors[name] ? [{ name, open: extractors[name] }] : []));
  const started = concurrency === 'parallel' ? given.map(({ name, open }) => ({ name, items: prefetch(open(), WORK_AHEAD) })) : [];
  try {
    for (const [i, { name, open }] of given.entries()) {
      for await (const item of started[i]?.items ?? open()) yield { name, item };
    }
  } finally {
    await Promise.all(started.map(({ items }) => items.return()));
  }
}

/** A document, and those that stand by themselves in its file. All of them have one source. */
export interface FoundDocument extends Document {
  members?: Document[];
}

/** A document that was found and not read yet: enough to tell whether it has changed since it was stored. */
export interface Candidate {
  /** What the document is stored under: a path, an address or a name. */
  source: string;
  source_kind: SourceKind;
  /** Of all that decides what the document will be (`contentHash`). */
  content_hash: string;
  /** Reads the document, which is the expensive part. Throws a KbError where that fails. Called at most once. */
  document(): Promise<FoundDocument>;
  /** Length of the file; absent where it was not one. */
  bytes?: number;
  /** The file holds nothing but blanks or front matter. */
  isEmpty?: boolean;
  /** How a page was come upon: how many links from where the crawl began, and the status that it was answered with. */
  page?: { depth: number; status_code: number };
  /** Several documents share this source (texts without a name of their own): a new one stands beside the others and replaces none. */
  shares_source?: boolean;
  /** Further documents of the same request under this source: all of them are stored together, and take the place of what is stored of it. */
  beside?: readonly Candidate[];
}

/** A part of the world that was listed whole: a stored source that lies in it and was not met is gone. */
export interface Scope {
  source_kind: SourceKind;
  covers(source: string): boolean;
  /** Why it may not have been listed whole after all, as a part of a sentence: what was not met in it is not gone then. */
  doubt?: string;
}

/**
 * What an extractor yields: the input (an entry of what was given, without credentials) that all up to the next one comes from; a document, or what failed in the place of one (`isGone`: it is not there any more, so that what is stored of it may go;
 * `stored_as`: under another address, where that is so); a
 * file that no parser reads; the source of a file that is known not to have changed, and was not read; a scope, after everything in it; how many more documents are coming (fewer, where it is negative), as far as that is
 * known, and how long they are together; a sentence that a person should read although nothing failed.
 */
export type Extracted =
  | { input: string }
  | { candidate: Candidate }
  | { error: ErrorItem; isGone?: boolean; stored_as?: string }
  | { passed_over: string }
  | { unchanged: string }
  | { scope: Scope }
  | { expected: number; bytes?: number }
  | { notice: string };

/** What a person said about a document beside its content. */
export interface GivenContent {
  title?: string | undefined;
  description?: string | undefined;
  frontmatter?: boolean | undefined;
  metadata?: Metadata | undefined;
  /** How its file is read now (`DocumentReader.revisionOf`). */
  revision?: string | undefined;
}

/** Hash of a document's content and of what was said about it: another title, description or front matter makes another document of the same bytes. */
export const contentHash = (
  content: Uint8Array | string,
  { title = '', description = '', frontmatter = false, metadata = {}, revision }: GivenContent = {},
): string =>
  hash(content, title, description, String(frontmatter), ...metadataParts(metadata), ...(revision === undefined ? [] : [revision]));

/** Metadata as parts of a hash, in the order of its keys; none where there is none. */
export const metadataParts = (metadata: Metadata): string[] =>
  Object.entries(metadata)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((entry) => JSON.stringify(entry));

/** Why a document could not be read, as an error that says so: what is none of ours names no source. */
export const unreadError = (source: string, error: unknown): KbError =>
  error instanceof KbError
    ? error
    : new KbError('invalid', `${source} could not be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
