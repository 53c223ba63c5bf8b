import { cleanText, removeInvisible } from '../../../text/clean-text.ts';
import { KbError, toErrorItem, isAbort } from '../../../core/errors.ts';
import { documentId, hash } from '../../../core/ids.ts';
import { type DocumentReader, GIVEN_TYPES } from '../../../ports/reading.ts';
import { MAX_PATH_LENGTH } from '../../../schema/fields.ts';
import type { Metadata } from '../../../schema/items.ts';
import type { MarkdownEntry, MarkdownInput } from '../../../schema/source-entries.ts';
import { withoutReservedKeys } from '../../reserved-metadata.ts';
import { contentHash, type Candidate, type Extracted } from '../extract.ts';
import { makeDocument } from '../../text-thread.ts';
import { mapOrdered } from '../../../core/concurrency.ts';
import { throwIfAborted } from '../../../core/run.ts';
import type { UploadRequest } from '../../../schema/requests.ts';
import { fileCandidate, unsupportedFile, type FileParts } from './documents.ts';

/** The source of texts without a name (service.md 2.4). */
export const UNNAMED_SOURCE = 'markdown';

/** Derives the id of a document that shares its source with others from its content, so that each has its own chunks. */
export const contentId = (text: string, source = UNNAMED_SOURCE): string => documentId(`${source}\n${text}`);

interface MarkdownParts {
  reader: DocumentReader;
  signal?: AbortSignal | undefined;
}

/** Yields a candidate for each source in the given Markdown texts. */
export async function* extractMarkdown(input: MarkdownInput, parts: MarkdownParts): AsyncGenerator<Extracted, void, void> {
  const entries = [input].flat();
  yield { expected: entries.length };
  const items = entries.map((entry) => extractEntry(entry, parts));
  for (const group of groupBySource(items)) {
    const [first] = group;
    yield { input: 'candidate' in first! ? first.candidate.source : first!.error.source };
    yield* mergeSameSource(group);
  }
}

/** Groups candidates by source; a failure, or a candidate with `shares_source`, is a group of its own. */
export const groupBySource = (items: readonly ExtractedEntry[]): ExtractedEntry[][] => [
  ...Map.groupBy(items, (item) => ('candidate' in item && !item.candidate.shares_source ? item.candidate.source : item)).values(),
];

/** A candidate, or the error instead of it. */
export type ExtractedEntry = Extract<Extracted, { candidate: unknown } | { error: unknown }>;

/** Merges the texts of one source into one candidate, each with its own id; duplicates are dropped. */
export function* mergeSameSource(group: readonly ExtractedEntry[]): Generator<Extracted, void, void> {
  const given = group.flatMap((item) => ('candidate' in item ? [item.candidate] : []));
  const [first, ...others] = new Map(given.map((candidate) => [candidate.content_hash, candidate])).values();
  if (first === undefined || given.length < 2) return yield* group;
  if (others.length + 1 < given.length) yield { expected: others.length + 1 - given.length };
  if (others.length === 0) return yield { candidate: first };
  const [main, ...siblings] = [first, ...others].map((candidate) => ({
    ...candidate,
    document: async () => ({ ...(await candidate.document()), id: contentId(candidate.content_hash, candidate.source) }),
  }));
  const content_hash = hash(...[first, ...others].map((candidate) => candidate.content_hash));
  yield { candidate: { ...main!, content_hash, siblings } };
}

function extractEntry(entry: MarkdownEntry, { reader, signal }: MarkdownParts): ExtractedEntry {
  const given: Exclude<MarkdownEntry, string> = typeof entry === 'string' ? { text: entry } : entry;
  const { text, marks } = given;
  const { source: named, file_type: typed } = given.metadata ?? {}; // of an earlier result
  const name = cleanText(given.source || (typeof named === 'string' ? named : '')) || UNNAMED_SOURCE;
  let metadata: Metadata;
  try {
    metadata = checkedMetadata(given, { name, reader });
  } catch (error) {
    return { error: toErrorItem(error, { source: name, source_kind: 'markdown', stage: 'validate' }) };
  }
  const title = given.title ?? (typeof metadata.title === 'string' ? metadata.title : undefined);
  const file_type = GIVEN_TYPES.markdown;
  const isBare = name === UNNAMED_SOURCE; // also if the caller uses the name, which results show for unnamed texts
  const document = async () => {
    // the text of an earlier result keeps its locations in the original file
    const parsed = marks ? { text, marks, metadata: {} } : await reader.read(Buffer.from(text), { source: name, file_type, signal });
    const id = isBare ? contentId(text) : undefined;
    return await makeDocument(
      { ...parsed, metadata: { ...parsed.metadata, ...metadata } },
      {
        id,
        source: name,
        source_kind: 'markdown',
        file_type: marks && typeof typed === 'string' ? typed : file_type,
        content_hash: hash(text),
        title,
      },
    );
  };
  const candidate: Candidate = {
    source: name,
    source_kind: 'markdown',
    content_hash: contentHash(text + JSON.stringify(metadata) + (marks ? JSON.stringify(marks) : ''), { title }),
    document,
  };
  return { candidate: isBare ? { ...candidate, shares_source: true } : candidate };
}

/** The metadata of an entry without the keys that kb sets. Throws a KbError (`invalid`) for an entry that cannot be a document. */
function checkedMetadata(
  { id, text, metadata = {}, source }: Exclude<MarkdownEntry, string>,
  { name, reader }: { name: string; reader: DocumentReader },
): Metadata {
  if (text.trim() === '') throw new KbError('invalid', `The Markdown "${name}" is empty.`, { hint: 'Give it a text, or leave it out.' });
  const { file_type } = metadata;
  const nameOfType = `a.${String(file_type)}`;
  // a type that kb does not know is a key of the caller, unless an own parser wrote it
  const isType = typeof file_type !== 'string' || id !== undefined || file_type in GIVEN_TYPES || reader.fileType(nameOfType) !== undefined;
  return withoutReservedKeys(metadata, { ...(source ? { source } : {}), ...(isType ? {} : { file_type: GIVEN_TYPES.markdown }) });
}

/** Files read at once, ahead of the parser. */
const READ_AHEAD = 8;
/** Maximum characters of a name in file systems. */
const MAX_NAME = 255;
/** Name of a file whose own name has no visible characters. */
const DEFAULT_NAME = 'upload';

/** Yields a candidate for each uploaded file, under its name. */
export async function* extractUploads(
  { files, ...given }: Pick<UploadRequest, 'files' | 'title' | 'description' | 'metadata'>,
  parts: FileParts,
): AsyncGenerator<Extracted, void, void> {
  const named = files.map(({ name, path }) => ({ path, source: uploadName(name) }));
  const bySource = Map.groupBy(named, ({ source }) => source);
  const extract = async ({ path, source }: (typeof named)[number]): Promise<Extracted> => {
    const { title, description, metadata } = given;
    try {
      throwIfAborted(parts.signal);
      const file_type = parts.reader.fileType(source);
      if (file_type === undefined) throw unsupportedFile(source, parts.reader);
      // two files with one name must not replace each other: each gets an id from its content
      const id = bySource.get(source)!.length === 1 ? undefined : (content_hash: string) => contentId(content_hash, source);
      return { candidate: await fileCandidate(path, { source, title, description, metadata, source_kind: 'bytes', file_type, id }, parts) };
    } catch (error) {
      if (isAbort(error)) throw error;
      const stage = error instanceof KbError && error.code === 'usage' ? 'validate' : 'fetch';
      return { error: toErrorItem(error, { source, source_kind: 'bytes', stage }) };
    }
  };
  yield { expected: named.length };
  yield* mapOrdered(named, READ_AHEAD, extract);
}

/** Yields the candidates of uploaded files for storing: files with the same name are one candidate, so that none replaces another. */
export async function* extractUploadsBySource(request: UploadRequest, parts: FileParts): AsyncGenerator<Extracted, void, void> {
  const entries: ExtractedEntry[] = [];
  for await (const item of extractUploads(request, parts)) {
    if ('candidate' in item || 'error' in item) entries.push(item);
    else yield item;
  }
  for (const group of groupBySource(entries)) yield* mergeSameSource(group);
}

/**
 * Makes the source of an upload from its name. A relative path is kept, without drives, roots and parent folders; of a path with parent folders, what follows
 * the last of them. Never empty.
 */
export function uploadName(given: string): string {
  const parts = removeInvisible(given.normalize())
    .replace(/[\t\n]/g, '')
    .split(/[/\\]/)
    .map((part) => part.trim());
  const [name = '', ...folders] = parts.slice(parts.lastIndexOf('..') + 1).toReversed();
  if (/^\.*$/.test(name)) return DEFAULT_NAME;
  const kept = folders.toReversed().filter((folder) => !/^(?:\.*|[a-z]:|fakepath)$/i.test(folder));
  const short = [...name].slice(-MAX_NAME).join(''); // with its extension
  const path = [...kept, short].join('/');
  return path.length <= MAX_PATH_LENGTH ? path : short;
}
