import { basename } from 'node:path';
import { call, optionalAdvice } from '../core/advice/advice.ts';
import { documentId } from '../core/ids.ts';
import { KbError } from '../core/errors.ts';
import { didYouMean, editDistance, findNearest } from '../core/nearest.ts';
import type { Collection, SourceContent, StoredChunk } from '../ports/stores.ts';
import { Location, type Metadata } from '../schema/items.ts';
import { isOnPage } from '../text/passage-location.ts';
import { isOwnKey } from '../schema/source-entries.ts';
import type {
  DeleteSourceRequest,
  GetSourceRequest,
  GetSourceResult,
  ListSourcesRequest,
  ListSourcesResult,
  StoredSourceSummary,
} from '../schema/stored/stored-sources.ts';
import { absolutePath, fileSource } from '../stages/extract/files/local-path.ts';
import { type Context, inCollection } from './context.ts';
import type { Run } from '../core/run.ts';
import type { DeleteResult } from '../schema/results.ts';
import { joinChunks, type JoinedText, type Passage } from '../stages/chunk/join-chunks.ts';
import { deleteChunks } from '../stages/ingest/store-chunks.ts';
import { existingCollection, withLock } from './collections.ts';
import { listNames } from '../text/count.ts';
import { heading as writeHeading } from '../text/markdown/write.ts';
import { readBlocks } from '../text/markdown/blocks.ts';

const textAt = (metadata: Metadata, key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');

function describeSource(source: string, { metadata, characters, chunks }: SourceContent): StoredSourceSummary {
  const text = (key: string) => textAt(metadata, key);
  return {
    id: documentId(source),
    source,
    title: text('member') ? basename(source) : text('title') || source,
    source_kind: text('source_kind'),
    file_type: text('file_type'),
    chunks,
    characters,
    content_hash: text('content_hash'),
    ingested_at: text('ingested_at') || null,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !isOwnKey(key) && key !== 'member')),
  };
}

/** Most sources that a misspelt name is compared with: more would take seconds. */
const MOST_COMPARED = 20_000;

/** Finds a stored source by id (which reads all names), name, another spelling of its path or, to be read (`byEnding`), its last parts if no other has them. Throws a KbError (`not_found`) with the nearest name. */
async function findSource(
  id: string,
  collection: Collection,
  { byEnding = false, ...context }: Context & { byEnding?: boolean },
): Promise<string> {
  const path = context.surface === 'cli' ? fileSource(absolutePath(id, context), context) : id;
  const named = await collection.contents([...new Set([id, path])]);
  if (named.size > 0) return named.has(id) ? id : path;
  const sources = [...(await collection.sources()).keys()];
  const found = /^[0-9a-f]{16}$/.test(id) ? sources.find((source) => documentId(source) === id) : undefined;
  if (found !== undefined) return found;
  const ending = sources.filter((source) => source.endsWith(`/${id}`));
  if (byEnding && ending.length === 1) return ending[0]!;
  const meant = ending[0] ?? nearestSource(id, sources.slice(0, MOST_COMPARED));
  throw new KbError('not_found', `The collection «${collection.info.name}» has no source «${id}».`, {
    hint:
      ending.length > 1
        ? `Several end in it: ${listNames(ending, MOST_NAMED)}.`
        : meant
          ? `Did you mean «${meant}»?`
          : optionalAdvice`${call('list_sources')} lists them all.`,
  });
}

/** The beginning of an id, or one with a letter too many. */
const LIKE_AN_ID = /^[0-9a-f]{6,17}$/;
/** Letters of an id that may be wrong. */
const MOST_WRONG = 2;

/** Finds the source that was probably meant: by its whole name, as many of its last parts as were given, these without the file's ending, or its id. */
function nearestSource(asked: string, sources: readonly string[]): string | undefined {
  const { length } = asked.split('/');
  const lastParts = (source: string): string => source.replace(/\/$/, '').split('/').slice(-length).join('/');
  const withoutEnding = (name: string): string => name.replace(/(?<=[^/])\.\w+$/, '');
  const nearestBy = (name: string, nameOf: (source: string) => string): string | undefined => {
    const named = new Map(sources.toReversed().map((source) => [nameOf(source), source]));
    const found = findNearest(name, [...named.keys()]);
    return found === undefined ? undefined : named.get(found);
  };
  const found =
    nearestBy(asked, (source) => source) ??
    nearestBy(asked, lastParts) ??
    nearestBy(withoutEnding(asked), (source) => withoutEnding(lastParts(source)));
  if (found !== undefined || !LIKE_AN_ID.test(asked)) return found;
  return sources.find((source) => {
    const id = documentId(source);
    return id.startsWith(asked) || editDistance(id, asked) <= MOST_WRONG;
  });
}

/** A document among those of a source. */
interface StoredDocument {
  /** The name of its file, if that lies in another one. */
  member: string;
  passages: (Passage & { id: string })[];
}

/** The text of a document, under the name of its file where that lies in another one: else nothing would say where it begins. */
const underMember = (text: string, { member }: StoredDocument): string => (member ? `${writeHeading(1, member)}\n\n${text}` : text);

/** Returns a stored document: its text or the requested part, and its chunks. */
export async function* getSource({ name, id, ...part }: GetSourceRequest, context: Context): Run<GetSourceResult> {
  const collection = await existingCollection(context, name);
  const source = await findSource(id, collection, { ...context, byEnding: true });
  const stored: StoredChunk[] = [];
  for await (const page of collection.all({ source })) stored.push(...page);
  const documents = documentsIn(stored);
  const characters = stored.reduce((sum, { text }) => sum + text.length, 0);
  const described = describeSource(source, { metadata: stored[0]?.metadata ?? {}, characters, chunks: stored.length });
  const text = narrowText(part, documents, source);
  return { ...described, text, chunks: documents.flatMap(({ passages }) => passages) };
}

/** «message 2» stands before «message 10». */
const byNumber = new Intl.Collator('en', { numeric: true });

/** Chunks in the order of the text. Documents with the same source follow each other. */
function documentsIn(stored: readonly StoredChunk[]): StoredDocument[] {
  const memberOf = ({ metadata }: StoredChunk): string => (typeof metadata.member === 'string' ? metadata.member : '');
  const documents = [...Map.groupBy(stored, (chunk) => `${chunk.metadata.content_hash}\n${memberOf(chunk)}`).values()];
  const inOrder = documents.toSorted(([one], [other]) => byNumber.compare(memberOf(one!), memberOf(other!)));
  return inOrder.map((chunks) => ({
    member: memberOf(chunks[0]!),
    passages: chunks
      .map(({ id, text, metadata }) => ({ id, text, location: Location.safeParse(metadata.location ?? {}).data ?? {} }))
      .toSorted((a, b) => (a.location.offset ?? Infinity) - (b.location.offset ?? Infinity) || 0),
  }));
}

/** Removes a document with its chunks. The next ingest of its source stores it again. */
export async function* deleteSource({ name, id }: DeleteSourceRequest, context: Context): Run<DeleteResult> {
  const { settings } = context;
  const its = inCollection(context, name);
  return yield* withLock(its, async function* () {
    const collection: Collection = await existingCollection(its, name);
    const source = await findSource(id, collection, its);
    return await deleteChunks(collection, { source }, { provider: settings.storage.vector_db, collection: name });
  });
}

/** Returns a page of the documents of a collection, ordered by source. It begins after the source of the cursor, even if that was removed. */
export async function* listSources(request: ListSourcesRequest, context: Context): Run<ListSourcesResult> {
  const { name, prefix = '', kind, filter, limit, cursor } = request;
  const after = cursor === undefined ? undefined : sourceOf(cursor);
  const collection = await existingCollection(context, name);
  const conditions = [
    ...(filter ? [filter] : []),
    ...(prefix === '' ? [] : [{ source: { prefix } }]),
    ...(kind === undefined ? [] : [{ source_kind: kind }]),
  ];
  const { sources: found, total } = await collection.sourcePage({
    filter: conditions.length > 0 ? { and: conditions } : undefined,
    after,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const contents = await collection.contents(page);
  return {
    sources: page.flatMap((source) => {
      const content = contents.get(source); // it may have been removed meanwhile
      return content ? [describeSource(source, content)] : [];
    }),
    total,
    cursor: found.length > page.length ? cursorAt(page.at(-1)!) : null,
  };
}

const cursorAt = (source: string): string => Buffer.from(JSON.stringify([source])).toString('base64url');

function sourceOf(cursor: string): string {
  try {
    const [source] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof source === 'string' && cursorAt(source) === cursor) return source;
  } catch {
    // not JSON: no cursor
  }
  throw new KbError('usage', 'cursor: the cursor of a page is expected.', { hint: 'Leave it out to begin at the first page.' });
}

type Part = Pick<GetSourceRequest, 'lines' | 'page' | 'heading'>;

/** The text of a source, or the requested part. Throws a KbError: `usage` for an invalid range, `not_found` for a part that does not exist. */
function narrowText({ lines, page, heading }: Part, documents: readonly StoredDocument[], source: string): string {
  if ([lines, page, heading].filter((part) => part !== undefined).length > 1)
    throw new KbError('usage', 'Only one of lines, page and heading can be given.');
  if (page !== undefined) return pageOf(page, documents, source);
  const range = lines === undefined ? undefined : rangeOf(lines);
  const joined = documents.map((document) => ({ document, ...joinChunks(document.passages) }));
  if (range) return linesOf(range, joined, source);
  if (heading !== undefined) return sectionOf(heading, joined, source);
  return joined.map(({ text, document }) => underMember(text, document)).join('\n\n');
}

type LineRange = readonly [first: number, last: number];

function rangeOf(lines: string): LineRange {
  const [, first, last = first] = /^\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?$/.exec(lines) ?? [];
  const range = [Number(first), Number(last)] as const;
  if (range[0] >= 1 && range[1] >= range[0]) return range;
  throw new KbError('usage', 'lines: a line or a range of lines such as 10-40 is expected.');
}

/** Each of several documents has its own line numbers. */
function linesOf([first, last]: LineRange, joined: readonly (JoinedText & { document: StoredDocument })[], source: string): string {
  const parts = joined.flatMap(({ text, lines, document }) => {
    const found = text.split('\n').slice(indexOf(first, lines), indexOf(last + 1, lines));
    return found.length > 0 ? [underMember(found.join('\n'), document)] : [];
  });
  if (parts.length > 0) return parts.join('\n\n');
  const end = Math.max(...joined.map(({ lines }) => lines.at(-1)!.line - 1));
  throw missing(`${source} has no lines ${first}–${last}.`, `Its last line is ${end}.`);
}

/** Where a line of the source is in the text: as far behind the last known line as in the source, and not behind the next. */
function indexOf(line: number, lines: JoinedText['lines']): number {
  const next = lines.findIndex((known) => known.line > line);
  const known = lines.at(next < 0 ? -1 : next - 1)!;
  if (next === 0) return 0;
  return Math.min(known.at + line - known.line, lines[next]?.at ?? Infinity);
}

function pageOf(page: number, documents: readonly StoredDocument[], source: string): string {
  const found = documents.flatMap((document) => {
    const on = document.passages.filter(({ location }) => isOnPage(location, page));
    return on.length > 0 ? [underMember(joinChunks(on).text, document)] : [];
  });
  if (found.length > 0) return found.join('\n\n');
  const locations = documents.flatMap(({ passages }) => passages).map(({ location }) => location);
  const pages = [...new Set(locations.flatMap(({ page: first, page_end = first }) => [first ?? [], page_end ?? []].flat()))].toSorted(
    (a, b) => a - b,
  );
  if (pages.length === 0) throw missing(`${source} has no pages.`, 'PDF and PPTX files have them; take lines or heading.');
  const near = pages.findLast((other) => other < page) ?? pages[0]!;
  throw missing(`No passage of ${source} is on page ${page}.`, `The nearest page with one is ${near}, the last ${pages.at(-1)}.`);
}

const folded = (title: string): string => title.normalize().trim().replace(/\s+/g, ' ').toLowerCase();

/** A heading without its number: «Span check» of «3.2 Span check». */
const unnumbered = (title: string): string => folded(title).replace(/^\d{1,3}(?:\.\d{1,3}){0,5}[.)]?\s/, '');

/** The first section with this heading, its number aside if there is none with exactly this; including its subsections. */
function sectionOf(heading: string, joined: readonly JoinedText[], source: string): string {
  const titles = new Set<string>();
  for (const { text } of joined) {
    const headings = readBlocks(text).filter(({ kind }) => kind === 'heading');
    const exact = headings.findIndex(({ title }) => folded(title) === folded(heading));
    const at = exact >= 0 ? exact : headings.findIndex(({ title }) => unnumbered(title) === folded(heading));
    if (at >= 0) {
      const { start, level } = headings[at]!;
      const next = headings.slice(at + 1).find((other) => other.level <= level);
      return text.slice(start, next?.start).trimEnd();
    }
    for (const { title } of headings) titles.add(title);
  }
  const there = titles.size > 0 ? `It has ${listNames([...titles].map(inQuotes), MOST_NAMED)}.` : 'It has no headings.';
  const hint = didYouMean(heading, [...titles]) ?? there;
  throw missing(`${source} has no heading «${heading}».`, hint);
}

const inQuotes = (title: string): string => `«${title}»`;

/** Most headings in a message. */
const MOST_NAMED = 8;

const missing = (message: string, hint: string): KbError => new KbError('not_found', message, { hint });
