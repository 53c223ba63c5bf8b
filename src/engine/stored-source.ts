import { basename } from 'node:path';
import { call, optionalAdvice } from '../core/advice/advice.ts';
import { documentId } from '../core/ids.ts';
import { yieldToEventLoop } from '../core/concurrency.ts';
import { KbError } from '../core/errors.ts';
import { didYouMean, isWithinDistance, findNearest } from '../core/nearest.ts';
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
import { joinChunks, joinInSteps, type JoinedText, type Passage } from '../stages/chunk/join-chunks.ts';
import { deleteChunks } from '../stages/ingest/store-chunks.ts';
import { existingCollection, withLock } from './collections.ts';
import { listNames } from '../text/count.ts';
import { type Block, blocksOf, heading as writeHeading, newlinesIn } from '@citekb/documents/markdown';

const textField = (metadata: Metadata, key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');

function describeSource(source: string, { metadata, characters, chunks }: SourceContent): StoredSourceSummary {
  const text = (key: string) => textField(metadata, key);
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

/** Maximum names that a misspelt one is compared with: more would take seconds. */
const MAX_COMPARED = 20_000;

/** Finds a stored source by name, another spelling of its path, id (which reads all names) or, with `byEnding`, its last parts if they are unique. Throws a KbError (`not_found`) with the nearest name. */
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
  const meant = ending[0] ?? suggestSource(id, sources.slice(0, MAX_COMPARED));
  throw new KbError('not_found', `The collection "${collection.info.name}" has no source "${id}".`, {
    hint:
      ending.length > 1
        ? `Several end in it: ${listNames(ending, MAX_NAMED)}.`
        : meant
          ? `Did you mean "${meant}"?`
          : optionalAdvice`${call('list_sources')} lists them all.`,
  });
}

/** A part of an id, or an id with an extra letter. */
const ALMOST_ID = /^[0-9a-f]{6,17}$/;
/** Maximum wrong letters of an id. */
const MAX_ID_ERRORS = 2;

/** Finds the source that was probably meant: by its whole name, by as many of its last parts as were given, by these without the extension, or by its id. */
function suggestSource(given: string, sources: readonly string[]): string | undefined {
  const { length } = given.split('/');
  const lastParts = (source: string): string => source.replace(/\/$/, '').split('/').slice(-length).join('/');
  const withoutExtension = (name: string): string => name.replace(/(?<=[^/])\.\w+$/, '');
  const nearestBy = (name: string, nameOf: (source: string) => string): string | undefined => {
    const named = new Map(sources.toReversed().map((source) => [nameOf(source), source]));
    const found = findNearest(name, [...named.keys()]);
    return found === undefined ? undefined : named.get(found);
  };
  const found =
    nearestBy(given, (source) => source) ??
    nearestBy(given, lastParts) ??
    nearestBy(withoutExtension(given), (source) => withoutExtension(lastParts(source)));
  if (found !== undefined || !ALMOST_ID.test(given)) return found;
  return sources.find((source) => {
    const id = documentId(source);
    return id.startsWith(given) || isWithinDistance(id, given, MAX_ID_ERRORS);
  });
}

/** One of the documents of a source. */
interface StoredDocument {
  /** The name of its file inside an archive or mail; else empty. */
  member: string;
  passages: (Passage & { id: string })[];
}

/** Writes the text of a document, below the name of its file if it is one of several in an archive or mail. */
const withMemberHeading = (text: string, { member }: StoredDocument): string => (member ? `${writeHeading(1, member)}\n\n${text}` : text);

/** Returns a stored document: its text or the requested part, and its chunks. */
export async function* getSource({ name, id, offset, max_characters, ...part }: GetSourceRequest, context: Context): Run<GetSourceResult> {
  const collection = await existingCollection(context, name);
  const source = await findSource(id, collection, { ...context, byEnding: true });
  const stored: StoredChunk[] = [];
  for await (const page of collection.all({ source })) stored.push(...page);
  const takeTurns = yieldToEventLoop(context.signal);
  const documents = await groupDocuments(stored, takeTurns);
  const characters = stored.reduce((sum, { text }) => sum + text.length, 0);
  const described = describeSource(source, { metadata: stored[0]?.metadata ?? {}, characters, chunks: stored.length });
  const selection = await narrowText(part, { documents, source, takeTurns });
  const excerpt = await cutExcerpt(selection, { offset, max_characters }, takeTurns);
  return { ...described, ...excerpt, chunks: documents.flatMap(({ passages }) => passages) };
}

/** Orders "message 2" before "message 10". */
const naturalOrder = new Intl.Collator('en', { numeric: true });

/** Awaited at each step of work on a long document, which gives others their turn. */
type TakeTurns = () => Promise<void>;

/** Groups chunks by document, in the order of the text. */
async function groupDocuments(stored: readonly StoredChunk[], takeTurns: TakeTurns): Promise<StoredDocument[]> {
  const memberOf = ({ metadata }: StoredChunk): string => (typeof metadata.member === 'string' ? metadata.member : '');
  const documents = [...Map.groupBy(stored, (chunk) => `${chunk.metadata.content_hash}\n${memberOf(chunk)}`).values()];
  const ordered = documents.toSorted(([one], [other]) => naturalOrder.compare(memberOf(one!), memberOf(other!)));
  const grouped: StoredDocument[] = [];
  for (const chunks of ordered) {
    const passages: StoredDocument['passages'] = [];
    for (const { id, text, metadata } of chunks) {
      await takeTurns();
      passages.push({ id, text, location: Location.safeParse(metadata.location ?? {}).data ?? {} });
    }
    passages.sort((a, b) => (a.location.offset ?? Infinity) - (b.location.offset ?? Infinity) || 0);
    grouped.push({ member: memberOf(chunks[0]!), passages });
  }
  return grouped;
}

async function joinInTurns(passages: readonly Passage[], takeTurns: TakeTurns): Promise<JoinedText> {
  const steps = joinInSteps(passages);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await takeTurns();
  }
}

/** Blocks of a text between two turns: some milliseconds of work. */
const BLOCKS_PER_TURN = 1_000;

/** Yields the headings of a text. */
async function* headingsOf(text: string, takeTurns: TakeTurns): AsyncGenerator<Block, void> {
  let count = 0;
  for (const block of blocksOf(text)) {
    if (++count % BLOCKS_PER_TURN === 0) await takeTurns();
    if (block.kind === 'heading') yield block;
  }
}

/** Removes a document with its chunks. The next ingest of its source stores it again. */
export async function* deleteSource({ name, id }: DeleteSourceRequest, context: Context): Run<DeleteResult> {
  const { settings } = context;
  const collectionContext = inCollection(context, name);
  return yield* withLock(collectionContext, async function* () {
    const collection: Collection = await existingCollection(collectionContext, name);
    const source = await findSource(id, collection, collectionContext);
    return await deleteChunks(collection, { source }, { provider: settings.storage.vector_db, collection: name });
  });
}

/** Returns a page of the documents of a collection, ordered by source. It begins after the source of the cursor, even if that was removed. */
export async function* listSources(request: ListSourcesRequest, context: Context): Run<ListSourcesResult> {
  const { name, prefix = '', kind, filter, limit, cursor } = request;
  const after = cursor === undefined ? undefined : parseCursor(cursor);
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
    cursor: found.length > page.length ? formatCursor(page.at(-1)!) : null,
  };
}

const formatCursor = (source: string): string => Buffer.from(JSON.stringify([source])).toString('base64url');

function parseCursor(cursor: string): string {
  try {
    const [source] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof source === 'string' && formatCursor(source) === cursor) return source;
  } catch {
    // not JSON: no cursor
  }
  throw new KbError('usage', 'cursor: the cursor of a page is expected.', { hint: 'Leave it out to begin at the first page.' });
}

type Part = Pick<GetSourceRequest, 'lines' | 'page' | 'heading'>;

/** A text with what tells its line numbers: unknown for a page, and for several documents. */
interface Selection {
  text: string;
  lines?: JoinedText['lines'];
  /** Index of its first line in the document. */
  first?: number;
}

/** Maximum headings of an outline, and their characters in all. */
const MAX_OUTLINE = 40;
const MAX_OUTLINE_CHARACTERS = 2_000;

/** Cuts a text to the requested length, and says how to go on. */
async function cutExcerpt(
  { text: whole, lines, first = 0 }: Selection,
  { offset = 0, max_characters = Infinity }: Pick<GetSourceRequest, 'offset' | 'max_characters'>,
  takeTurns: TakeTurns,
): Promise<Pick<GetSourceResult, 'text' | 'next' | 'outline'>> {
  const text = whole.slice(offset);
  if (text.length <= max_characters) return { text, next: null, outline: [] };
  const headings: Block[] = [];
  let headingsBehind = 0;
  for await (const heading of headingsOf(text, takeTurns)) {
    headings.push(heading);
    if (heading.start > max_characters && ++headingsBehind === MAX_OUTLINE) break;
  }
  const cut = findCut(text, max_characters, headings.map(({ start }) => start)); // prettier-ignore
  const at = offset + cut;
  const lineOf = (end: number) => sourceLine(first + newlinesIn(whole.slice(0, end)), lines!);
  const next = lines && whole[at - 1] === '\n' ? { lines: `${lineOf(at)}-${lineOf(whole.length)}` } : { offset: at };
  const outline: string[] = [];
  for (const { title } of headings.filter(({ start }) => start >= cut).slice(0, MAX_OUTLINE)) {
    if (outline.join('').length + title.length > MAX_OUTLINE_CHARACTERS) break;
    outline.push(title);
  }
  return { text: text.slice(0, cut).trimEnd(), next, outline };
}

/** Finds where a text is cut: before the last heading, else after the last blank line, else the last line, of the second half of `limit`. */
function findCut(text: string, limit: number, headings: readonly number[]): number {
  const half = limit / 2;
  const heading = headings.findLast((start) => start <= limit) ?? 0;
  if (heading > half) return heading;
  for (const separator of ['\n\n', '\n', ' ']) {
    const end = text.lastIndexOf(separator, limit - separator.length) + separator.length;
    if (end > half) return end;
  }
  return text.slice(0, limit).toWellFormed().endsWith('\ufffd') ? limit - 1 : limit;
}

/** The documents of a source, and how work on them gives others their turn. */
interface WholeSource {
  documents: readonly StoredDocument[];
  source: string;
  takeTurns: TakeTurns;
}

/** The text of a source, or the requested part. Throws a KbError: `usage` for an invalid range, `not_found` for a part that does not exist. */
async function narrowText({ lines, page, heading }: Part, whole: WholeSource): Promise<Selection> {
  const { documents, source, takeTurns } = whole;
  if ([lines, page, heading].filter((part) => part !== undefined).length > 1)
    throw new KbError('usage', 'Only one of lines, page and heading can be given.');
  if (page !== undefined) return { text: selectPage(page, documents, source) };
  const range = lines === undefined ? undefined : parseLineRange(lines);
  const joined: JoinedDocument[] = [];
  for (const document of documents) joined.push({ document, ...(await joinInTurns(document.passages, takeTurns)) });
  if (range) return selectLines(range, joined, source);
  if (heading !== undefined) return await selectSection(heading, joined, whole);
  return merge(joined.map(({ document, ...text }) => ({ text: withMemberHeading(text.text, document), lines: text.lines, first: 0 })));
}

type JoinedDocument = JoinedText & { document: StoredDocument };

/** Joins the parts of several documents, which have line numbers of their own. */
const merge = (parts: readonly Selection[]): Selection =>
  parts.length === 1 ? parts[0]! : { text: parts.map(({ text }) => text).join('\n\n') };

type LineRange = readonly [first: number, last: number];

function parseLineRange(lines: string): LineRange {
  const [, first, last = first] = /^\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?$/.exec(lines) ?? [];
  const range = [Number(first), Number(last)] as const;
  if (range[0] >= 1 && range[1] >= range[0]) return range;
  throw new KbError('usage', 'lines: a line or a range of lines such as 10-40 is expected.');
}

/** Each of several documents has its own line numbers. */
function selectLines([first, last]: LineRange, joined: readonly JoinedDocument[], source: string): Selection {
  const parts = joined.flatMap(({ text, lines, document }) => {
    const start = lineIndex(first, lines);
    const selected = linesBetween(text, start, lineIndex(last + 1, lines));
    return selected === undefined ? [] : [{ text: withMemberHeading(selected, document), lines, first: start }];
  });
  if (parts.length > 0) return merge(parts);
  const end = Math.max(...joined.map(({ lines }) => lines.at(-1)!.line - 1));
  throw notFoundError(`${source} has no lines ${first}–${last}.`, `Its last line is ${end}.`);
}

/** Returns the lines of a text from an index to another, exclusive; undefined if there are none. */
function linesBetween(text: string, first: number, after: number): string | undefined {
  let [at, line, start] = [0, 0, first === 0 ? 0 : -1];
  for (; line < after; line++) {
    if (line === first) start = at;
    const newline = text.indexOf('\n', at);
    if (newline < 0) return start < 0 ? undefined : text.slice(start);
    at = newline + 1;
  }
  return start < 0 || first >= after ? undefined : text.slice(start, at - 1);
}

/** Returns the index in the text of a line of the source, counted from the last known line before it, but not beyond the next known one. */
function lineIndex(line: number, lines: JoinedText['lines']): number {
  const next = lines.findIndex((known) => known.line > line);
  const known = lines.at(next < 0 ? -1 : next - 1)!;
  if (next === 0) return 0;
  return Math.min(known.at + line - known.line, lines[next]?.at ?? Infinity);
}

/** Returns the source line of a line of the text; `lineIndex` of it is that line or one before. */
function sourceLine(index: number, lines: JoinedText['lines']): number {
  const { at, line } = lines.findLast((known) => known.at <= index) ?? lines[0]!;
  const next = lines.find((known) => known.at > index);
  const exact = Math.min(line + Math.max(0, index - at), next?.line ?? Infinity);
  return lineIndex(exact, lines) <= index ? exact : line;
}

function selectPage(page: number, documents: readonly StoredDocument[], source: string): string {
  const found = documents.flatMap((document) => {
    const on = document.passages.filter(({ location }) => isOnPage(location, page));
    return on.length > 0 ? [withMemberHeading(joinChunks(on).text, document)] : [];
  });
  if (found.length > 0) return found.join('\n\n');
  const locations = documents.flatMap(({ passages }) => passages).map(({ location }) => location);
  const pages = [...new Set(locations.flatMap(({ page: first, page_end = first }) => [first ?? [], page_end ?? []].flat()))].toSorted(
    (a, b) => a - b,
  );
  if (pages.length === 0) throw notFoundError(`${source} has no pages.`, 'PDF and PPTX files have them; take lines or heading.');
  const near = pages.findLast((other) => other < page) ?? pages[0]!;
  throw notFoundError(`No passage of ${source} is on page ${page}.`, `The nearest page with one is ${near}, the last ${pages.at(-1)}.`);
}

const normalizeTitle = (title: string): string => title.normalize().trim().replace(/\s+/g, ' ').toLowerCase();

/** Removes the number of a heading: "3.2 Span check" becomes "span check". */
const withoutNumber = (title: string): string => normalizeTitle(title).replace(/^\d{1,3}(?:\.\d{1,3}){0,5}[.)]?\s/, '');

interface Section {
  start: number;
  /** Where the next section begins; absent for the last. */
  end?: number;
  level: number;
}

/** Returns the first section with this heading, with its subsections. Numbers of headings are ignored only if no heading matches exactly. */
async function selectSection(heading: string, joined: readonly JoinedText[], { source, takeTurns }: WholeSource): Promise<Selection> {
  const titles = new Set<string>();
  for (const { text, lines } of joined) {
    const section = await findSection(text, heading, { titles, takeTurns });
    if (section) return { text: text.slice(section.start, section.end).trimEnd(), lines, first: newlinesIn(text.slice(0, section.start)) };
  }
  throw notFoundError(`${source} has no heading "${heading}".`, didYouMean(heading, [...titles]) ?? describeTitles([...titles]));
}

/** Finds a section by its heading, and collects the titles of others, at most `MAX_COMPARED`. */
async function findSection(
  text: string,
  heading: string,
  { titles, takeTurns }: { titles: Set<string>; takeTurns: TakeTurns },
): Promise<Section | undefined> {
  const wanted = normalizeTitle(heading);
  let [exact, similar]: (Section | undefined)[] = [];
  for await (const { start, level, title } of headingsOf(text, takeTurns)) {
    if (exact && level <= exact.level) return { ...exact, end: start };
    if (exact) continue;
    if (normalizeTitle(title) === wanted) exact = { start, level };
    else if (similar && similar.end === undefined && level <= similar.level) similar.end = start;
    else if (!similar && withoutNumber(title) === wanted) similar = { start, level };
    if (titles.size < MAX_COMPARED) titles.add(title);
  }
  return exact ?? similar;
}

function describeTitles(titles: readonly string[]): string {
  if (titles.length === 0) return 'It has no headings.';
  return titles.length < MAX_COMPARED ? `It has ${listNames(titles.map(quote), MAX_NAMED)}.` : 'It has too many headings to list.';
}

const quote = (title: string): string => `"${title}"`;

/** Maximum headings in a message. */
const MAX_NAMED = 8;

const notFoundError = (message: string, hint: string): KbError => new KbError('not_found', message, { hint });
