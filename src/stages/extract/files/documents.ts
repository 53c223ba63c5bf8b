import pLimit from 'p-limit';
import { advice, formatHint, setting, ocrAdvice } from '../../../core/advice/advice.ts';
import { stat, readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { mapOrdered, yieldToEventLoop } from '../../../core/concurrency.ts';
import { KbError, toErrorItem } from '../../../core/errors.ts';
import { describeFileError, encodePath } from '../../../core/file-names.ts';
import type { DocsInput } from '../../../schema/source-entries.ts';
import type { Stage, Metadata, SourceKind } from '../../../schema/items.ts';
import { type Extracted, type Candidate, contentHash } from '../extract.ts';
import { type FoundFile, listDocs, type Listing, READABLE_KINDS } from './list-files.ts';
import { absolutePath, fileSource } from './local-path.ts';
import { SIDECAR, sidecarReader } from './folder-rules.ts';
import { type DocumentReader, GIVEN_TYPES, type ReadingOptions } from '../../../ports/reading.ts';
import { count, listNames } from '../../../text/count.ts';
import { readFileSync } from 'node:fs';
import { hash } from '../../../core/ids.ts';
import { makeDocument } from '../../text-thread.ts';

/** Files and links that are read at once, ahead of the parser: enough to hide the latency of the disk. */
const READ_AHEAD = 8;

interface DocsParts extends Listing, FileParts, PictureSettings {
  /** Whether a file, by its absolute path, is known to be unchanged, and is not read. If given, links are not read either. Absent: everything is read. */
  isUnchanged?: ((path: string) => boolean) | undefined;
  /** Whether something is stored under a source: a stored file that is empty now is read like any other change. Absent: nothing is stored. */
  isStored?: ((source: string) => boolean) | undefined;
  /** Extracts the document behind a link. */
  link: (
    url: string,
    given: { title?: string | undefined; description?: string | undefined; frontmatter: boolean },
  ) => AsyncIterable<Extracted>;
}

/** Extracts local documents: every supported file that `docs` names. Unsupported and empty files are passed over unless they are named themselves. */
export async function* extractDocs(docs: DocsInput, parts: DocsParts): AsyncGenerator<Extracted, void, void> {
  const found: FoundFile[] = [];
  for await (const item of listDocs(docs, parts)) if (!('path' in item) || item.named || basename(item.path) !== SIDECAR) found.push(item); // a metadata file is no document unless it is named itself
  const isRead = ({ path, named, kinds }: FoundPath) =>
    (named || parts.reader.fileType(path, kinds) !== undefined) && !parts.isUnchanged?.(path);
  const files = found.flatMap((item) => ('path' in item && isRead(item) ? [item.path] : []));
  yield { expected: files.length, bytes: await totalBytes(files) };
  const [first, ...others] = found.filter((item) => !('input' in item));
  const mayBeEmpty = !(others.length === 0 && first && 'path' in first && first.named);
  const empty: string[] = [];
  const pictures: string[] = [];
  const yieldIfBusy = yieldToEventLoop(parts.signal);
  const metadataOf = sidecarReader(parts);
  for await (const item of mapOrdered(found, READ_AHEAD, (one) => extractOne(one, { ...parts, metadataOf }))) {
    await yieldIfBusy();
    if (Array.isArray(item)) yield* item;
    else if (mayBeEmpty && 'candidate' in item && item.candidate.isEmpty && !parts.isStored?.(item.candidate.source)) {
      empty.push(item.candidate.source);
      yield { passed_over: item.candidate.source };
      yield { expected: -1 };
    } else if ('candidate' in item) yield { candidate: { ...item.candidate, is_skippable: mayBeEmpty } };
    else yield item;
    if ('passed_over' in item && !item.isExcluded && parts.ocr === 'report' && parts.reader.pictures.fileType(item.passed_over))
      pictures.push(item.passed_over);
  }
  const { fileType, pictures: pictureTypes } = parts.reader;
  const isUnknown = ({ path, named }: FoundPath) => !named && fileType(path) === undefined && pictureTypes.fileType(path) === undefined;
  const unknown = found.flatMap((item) => ('path' in item && isUnknown(item) ? [fileSource(item.path, parts)] : []));
  if (unknown.length > 0) yield { notice: unknownKindsNotice(unknown, parts.reader) };
  if (pictures.length > 0) yield { notice: unreadPicturesNotice(pictures) };
  if (empty.length > 0) yield { notice: emptyFilesNotice(empty) };
}

async function totalBytes(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const size of mapOrdered(files, READ_AHEAD, async (file) => (await stat(encodePath(file)).catch(() => undefined))?.size ?? 0))
    bytes += size;
  return bytes;
}

type FoundPath = Extract<FoundFile, { path: string }>;

async function extractOne(
  item: FoundFile,
  parts: DocsParts & { metadataOf: ReturnType<typeof sidecarReader> },
): Promise<Extracted | Extracted[]> {
  if ('failed' in item) return failedItem(item.failed, item.error, 'validate');
  if ('link' in item)
    return parts.isUnchanged ? [] : await Array.fromAsync(parts.link(item.link, { ...item, frontmatter: parts.frontmatter }));
  if (!('path' in item)) return item;
  const { path, named, kinds, title, description } = item;
  const source = fileSource(path, parts);
  const file_type = parts.reader.fileType(path, kinds);
  if (file_type === undefined && !named) return { passed_over: source };
  if (parts.isUnchanged?.(path)) return { unchanged: source };
  // since the path was listed and resolved, a link may have replaced it
  const recheck = () => parts.authorize?.(absolutePath(path, parts), source);
  const metadata = parts.metadataOf(path); // an unreadable file ends the run: documents would lose their metadata
  try {
    if (file_type === undefined) throw unsupportedFile(source, parts.reader);
    recheck();
    return {
      candidate: await fileCandidate(path, { source, source_kind: 'path', file_type, title, description, metadata, recheck }, parts),
    };
  } catch (error) {
    return failedItem(source, error, isRefusal(error) ? 'validate' : 'fetch');
  }
}

const isRefusal = (error: unknown): boolean => error instanceof KbError && (error.code === 'usage' || error.code === 'forbidden');

const failedItem = (source: string, error: unknown, stage: Stage): Extracted => ({
  error: toErrorItem(error, { source, source_kind: 'path', stage }),
});

/** How pictures and scans are treated. */
interface PictureSettings {
  ocr: 'auto' | 'report' | 'off';
}

/** Maximum pictures that a notice names. */
const MAX_NAMED = 3;

/** Returns the reader, for which pictures are documents if OCR is on. */
export function withPictures(reader: DocumentReader, { ocr }: PictureSettings): DocumentReader {
  if (ocr !== 'auto') return reader;
  const { pictures } = reader;
  return {
    ...reader,
    extensions: [...reader.extensions, ...pictures.extensions],
    fileType: (path, kinds) => reader.fileType(path, kinds) ?? pictures.fileType(path),
  };
}

/** Notice of pictures that were not read. */
const unreadPicturesNotice = (sources: readonly string[]): string =>
  `${count(sources.length, 'picture')} ${sources.length === 1 ? 'was' : 'were'} not read: ${listNames(sources, MAX_NAMED)}. ${formatHint(advice`${setting('ingestion.docs.ocr', 'auto')} reads the text in them.`)}`;

/** Notice of empty files. */
export const emptyFilesNotice = (sources: readonly string[]): string =>
  sources.length === 1
    ? `A file has no text and was passed over: ${listNames(sources, MAX_NAMED)}.`
    : `${sources.length.toLocaleString('en')} files have no text and were passed over: ${listNames(sources, MAX_NAMED)}.`;

/** Notice of files that no parser reads: their names if they are few, else their extensions. */
export const unknownKindsNotice = (sources: readonly string[], { conversionOf }: Pick<DocumentReader, 'conversionOf'>): string => {
  const endings = [...new Set(sources.map((source) => extname(source) || 'no ending'))].toSorted();
  const named = listNames(sources.length <= MAX_NAMED ? sources : endings, MAX_NAMED);
  const [command] = sources.flatMap((source) => conversionOf(source) ?? []);
  const skipped = `${count(sources.length, 'file')} of kinds that kb does not read ${sources.length === 1 ? 'was' : 'were'} passed over: ${named}.`;
  return command ? `${skipped} A command that converts one: ${command}` : skipped;
};

/** The dependencies of reading a file. */
export interface FileParts {
  reader: DocumentReader;
  frontmatter: boolean;
  signal?: AbortSignal | undefined;
  onPage?: ReadingOptions['onPage'];
}

interface KnownFile {
  source: string;
  source_kind: SourceKind;
  file_type: string;
  /** Derives the document id from the hash of its bytes. Default: it is derived from the source. */
  id?: ((content_hash: string) => string) | undefined;
  title?: string | undefined;
  description?: string | undefined;
  /** Metadata of the caller, which wins over that of the file. */
  metadata?: Metadata | undefined;
  /** Throws a KbError if the path has been replaced by a link that may not be followed. */
  recheck?: (() => void) | undefined;
}

/**
 * Makes the candidate of a local file. It is read now for its hash, and a large one again for its document. Throws a KbError that names the source,
 * not the path.
 */
export async function fileCandidate(
  path: string,
  known: KnownFile,
  { reader, frontmatter, signal, onPage }: FileParts,
): Promise<Candidate> {
  const { source, source_kind, file_type, id, title, description, metadata } = known;
  const examine = (bytes: Uint8Array) => ({
    content_hash: contentHash(bytes, { title, description, frontmatter, metadata, revision: reader.revisionOf?.(file_type) }),
    isEmpty: isBlank(bytes) || (file_type === GIVEN_TYPES.markdown && isFrontMatter(bytes)),
    bytes: bytes.length,
  });
  const parse = async (bytes: Uint8Array) => {
    const parsed = await reader.read(bytes, { source, file_type, signal, onPage });
    const content_hash = hash(bytes);
    const own = { ...parsed, metadata: { ...parsed.metadata, ...metadata } };
    const provenance = { id: id?.(content_hash), source, source_kind, file_type, content_hash, title, description, frontmatter };
    return makeDocument(own, provenance);
  };
  const size = await sizeOf(path, source);
  if (size <= MAX_KEPT_BYTES) {
    const bytes = await readLocalFile(path, known, size);
    return { source, source_kind, ...examine(bytes), document: () => parse(bytes) };
  }
  const withBytes = <Result>(use: (bytes: Uint8Array) => Promise<Result> | Result) =>
    limitLargeFiles(async () => use(await readLocalFile(path, known, size)));
  return { source, source_kind, ...(await withBytes(examine)), document: () => withBytes(parse) };
}

const BLANKS = new Set(Buffer.from(' \t\r\n\f\v\ufeff'));

/** Whether a file has only white space and perhaps a byte order mark. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => BLANKS.has(byte));

/** Front matter without a text after it: lines of YAML mappings and lists between two lines of dashes. */
const FRONT_MATTER = /^(?:ï»¿)?---[ \t]*\r?\n(?:(?!---)(?:[\w-]+:.*|[ \t#-].*)?\r?\n)*---\s*$/;
const MAX_FRONT_MATTER_LENGTH = 4 * 2 ** 10;

/** Whether a Markdown file has only front matter. */
const isFrontMatter = (bytes: Uint8Array): boolean =>
  bytes.length <= MAX_FRONT_MATTER_LENGTH &&
  FRONT_MATTER.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));

/** Makes the error for a file that no parser reads. */
export function unsupportedFile(source: string, { extensions, pictures, conversionOf }: DocumentReader): KbError {
  if (pictures.fileType(source) && !extensions.includes(extname(source).toLowerCase()))
    return new KbError('usage', `${source} is a picture, and was not read.`, { hint: ocrAdvice('its text') });
  const kind = extname(source) ? `of the kind "${extname(source)}"` : 'without an extension';
  const command = conversionOf(source);
  return new KbError('usage', `${source}: files ${kind} are not supported.`, { hint: command ? `Convert it: ${command}` : READABLE_KINDS });
}

/** Maximum bytes of a file, which is read into memory as a whole. */
const MAX_BYTES = 512 * 2 ** 20;
/** Maximum bytes of a file that is read synchronously, which is faster for small files than using other threads. */
const MAX_SYNC_BYTES = 256 * 2 ** 10;
/** Maximum bytes of a file that is kept in memory between hashing and parsing; a larger one is read again. */
const MAX_KEPT_BYTES = 2 ** 20;
/** Limits the large files in memory, including those that wait for a parser. */
const limitLargeFiles = pLimit(2);

async function sizeOf(path: string, source: string): Promise<number> {
  const { size } = await stat(encodePath(path)).catch(throwUnreadable(source));
  if (size <= MAX_BYTES) return size;
  throw new KbError('too_large', `${source} has ${Math.round(size / 2 ** 20)} MiB; at most ${MAX_BYTES / 2 ** 20} are read.`, {
    hint: 'Split it.',
  });
}

/** Reads a file, and then checks that its path may still be read. */
async function readLocalFile(path: string, { source, recheck }: KnownFile, size: number): Promise<Uint8Array> {
  const read = async () => (size <= MAX_SYNC_BYTES ? readFileSync(encodePath(path)) : readFile(encodePath(path)));
  const bytes = await read().catch(throwUnreadable(source));
  recheck?.();
  return bytes;
}

/** Throws the error for an unreadable file without Node's message, which names the absolute path: a server must not reveal it. */
const throwUnreadable =
  (source: string) =>
  (cause: unknown): never => {
    throw new KbError('invalid', `${source} cannot be read: ${describeFileError(cause, 'read')}.`, {
      hint: 'Check its permissions.',
      cause,
    });
  };
