import { KbError, toErrorItem } from '../../base/errors.ts';
import type { DocumentReader } from '../../ports/reading.ts';
import type { Document } from '../../schema/items.ts';
import type { Stage } from '../../schema/results.ts';
import { contentHash, type Candidate, type Extracted } from './candidate.ts';
import { toDocument } from './document.ts';
import { withFrontmatter } from './frontmatter.ts';
import { sourceOf } from './network.ts';
import { readPage, type LoadedPage, type PageOptions, type PageParts } from './page.ts';
import type { RememberedPage } from './page-memory.ts';

/** What a page is stored under, and how many links lead to it. */
export interface Placed {
  source: string;
  depth: number;
}

/** Hash of what the page says, not of its bytes: what a server puts into a page with every visit does not make it another one. */
export const pageHash = ({ parsed: { text, title = '', metadata } }: LoadedPage, { frontmatter }: PageParts['settings']): string =>
  contentHash(JSON.stringify([text, title, metadata]), { frontmatter });

/** The candidate of a page that was read. */
export function pageCandidate(page: LoadedPage, { source, depth }: Placed, settings: PageParts['settings']): Candidate {
  return {
    source,
    source_kind: 'url',
    content_hash: pageHash(page, settings),
    document: async () => documentOf(page, source, settings),
    page: { depth, status_code: page.status_code },
  };
}

/** The candidate of a page that is as it was. Only where it is not stored any more it is read after all. */
export function unchangedCandidate(
  { source, content_hash, status_code }: RememberedPage,
  { url, depth }: { url: string; depth: number },
  { parts, options }: { parts: PageParts; options?: PageOptions },
): Candidate {
  const document = async () => {
    const read = await readPage(url, { ...parts, memory: undefined }, { ...options, redirect: 'follow' });
    if ('page' in read) return documentOf(read.page, source, parts.settings);
    throw 'failed' in read ? read.failed : unreadable(source, 'unreadable' in read ? read.unreadable : '', parts.reader);
  };
  return { source, source_kind: 'url', content_hash, document, page: { depth, status_code } };
}

function documentOf({ parsed, file_type, bytes_hash }: LoadedPage, source: string, { frontmatter }: PageParts['settings']): Document {
  const made = toDocument(parsed, { source, source_kind: 'url', file_type, content_hash: bytes_hash });
  return frontmatter ? withFrontmatter(made) : made;
}

/** What is remembered of a page. */
export const remembered = (
  page: LoadedPage,
  { source, links, settings }: { source: string; links: readonly string[]; settings: PageParts['settings'] },
): RememberedPage => ({
  source,
  status_code: page.status_code,
  content_hash: pageHash(page, settings),
  bytes_hash: page.isRendered ? undefined : page.bytes_hash,
  etag: page.isRendered ? undefined : page.headers.etag,
  last_modified: page.isRendered ? undefined : page.headers['last-modified'],
  isRendered: page.isRendered,
  links,
});

/** A page that could not be read, as an item of the errors; one that answers 404 or 410 is gone. */
export function failedPage(error: unknown, url: string, stage: Stage): Extract<Extracted, { error: unknown }> {
  const source = sourceOf(url);
  const known =
    error instanceof KbError
      ? error
      : new KbError('invalid', `${source} could not be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  const item = toErrorItem(known, { source, source_kind: 'url', stage });
  return {
    error: item.isRetryable ? { ...item, retry_input: { url: source } } : item,
    ...(isGone(error) ? { isGone: true } : {}),
  };
}

/** Whether a failure says that the page is not there any more. */
export const isGone = (error: unknown): boolean => error instanceof KbError && error.code === 'not_found';

/** A page of a kind that nothing reads. Its media type names it. */
export const unreadable = (source: string, content_type: string, { extensions }: DocumentReader): KbError =>
  new KbError('invalid', `${source} is «${content_type || 'of no named type'}», which kb cannot read.`, {
    hint: `It reads web pages and ${extensions.join(', ')}.`,
  });
