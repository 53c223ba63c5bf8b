import { advice, sayHint, setting } from '../../../core/advice/advice.ts';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { mapOrdered, yieldToEventLoop } from '../../../core/concurrency.ts';
import { KbError, toErrorItem } from '../../../core/errors.ts';
import { systemPath } from '../../../core/file-names.ts';
import type { FileKind } from '../../../schema/config-sources.ts';
import type { DocsInput } from '../../../schema/source-entries.ts';
import type { Stage } from '../../../schema/items.ts';
import type { Extracted } from '../extract.ts';
import { fileCandidate, type FileParts, unsupportedFile } from './file-candidate.ts';
import { type FoundFile, listDocs } from './list-files.ts';
import { absolutePath, fileSource, type GuardedPlace } from './local-path.ts';
import { SIDECAR, sidecarReader } from './sidecar.ts';
import { emptyFiles, unknownKinds } from './list-pattern.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import { count, listNames } from '../../../text/count.ts';

/** Files read at once, ahead of the parser: enough to hide the disk. */
const READ_AHEAD = 8;

interface DocsParts extends GuardedPlace, FileParts, PictureSettings {
  /** Whether links that lead out of a folder or pattern are followed. */
  follow_links: boolean;
  /** Kinds of files that folders are searched for. */
  kinds: readonly FileKind[];
  /** Whether a file (by its absolute path) is known not to have changed: it is not read, nor is any link. Absent: all are read. */
  isUnchanged?: ((path: string) => boolean) | undefined;
  /** Whether something is stored under a source: what became empty since is read like any other change. Absent: nothing is stored. */
  isStored?: ((source: string) => boolean) | undefined;
  /** A document behind a link. */
  link: (
    url: string,
    given: { title?: string | undefined; description?: string | undefined; frontmatter: boolean },
  ) => AsyncIterable<Extracted>;
}

/** Local documents: every supported file that `docs` names. Unsupported and empty ones that were found, and not named, are passed over. */
export async function* extractDocs(docs: DocsInput, parts: DocsParts): AsyncGenerator<Extracted, void, void> {
  const found: FoundFile[] = [];
  for await (const item of listDocs(docs, parts)) if (!isSidecar(item)) found.push(item);
  const isRead = ({ path, named, kinds }: FoundPath) =>
    (named || parts.reader.fileType(path, kinds) !== undefined) && !parts.isUnchanged?.(path);
  const files = found.flatMap((item) => ('path' in item && isRead(item) ? [item.path] : []));
  yield { expected: files.length, bytes: await lengthOf(files) };
  const [first, ...others] = found.filter((item) => !('input' in item));
  const mayBeEmpty = !(others.length === 0 && first && 'path' in first && first.named);
  const empty: string[] = [];
  const pictures: string[] = [];
  const yieldIfBusy = yieldToEventLoop(parts.signal);
  const metadataOf = sidecarReader(parts);
  for await (const item of mapOrdered(found, READ_AHEAD, (one) => extractOne(one, { ...parts, metadataOf }))) {
    await yieldIfBusy();
    if ('link' in item) {
      if (!parts.isUnchanged) yield* parts.link(item.link, { ...item, frontmatter: parts.frontmatter });
    } else if (mayBeEmpty && 'candidate' in item && item.candidate.isEmpty && !parts.isStored?.(item.candidate.source)) {
      empty.push(item.candidate.source);
      yield { passed_over: item.candidate.source };
      yield { expected: -1 };
    } else yield item;
    if ('passed_over' in item && parts.ocr === 'report' && parts.reader.pictures.fileType(item.passed_over))
      pictures.push(item.passed_over);
  }
  const unknown = found.flatMap((item) => ('path' in item && isUnknown(item, parts.reader) ? [fileSource(item.path, parts)] : []));
  if (unknown.length > 0) yield { notice: unknownKinds(unknown) };
  if (pictures.length > 0) yield { notice: unreadPictures(pictures) };
  if (empty.length > 0) yield { notice: emptyFiles(empty) };
}

const isUnknown = ({ path, named }: FoundPath, { fileType, pictures }: DocumentReader): boolean =>
  !named && fileType(path) === undefined && pictures.fileType(path) === undefined;

async function lengthOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const size of mapOrdered(files, READ_AHEAD, async (file) => (await stat(systemPath(file)).catch(() => undefined))?.size ?? 0))
    bytes += size;
  return bytes;
}

type FoundLink = Extract<FoundFile, { link: string }>;
type FoundPath = Extract<FoundFile, { path: string }>;

/** A file of metadata that was not named is no document. */
const isSidecar = (item: FoundFile): boolean => 'path' in item && !item.named && basename(item.path) === SIDECAR;

async function extractOne(
  item: FoundFile,
  parts: DocsParts & { metadataOf: ReturnType<typeof sidecarReader> },
): Promise<Extracted | FoundLink> {
  if ('failed' in item) return failure(item.failed, item.error, 'validate');
  if (!('path' in item)) return item;
  const { path, named, kinds, title, description } = item;
  const source = fileSource(path, parts);
  const file_type = parts.reader.fileType(path, kinds);
  if (file_type === undefined && !named) return { passed_over: source };
  if (parts.isUnchanged?.(path)) return { unchanged: source };
  // the path was real when it was listed; since then a link may have been put in its place
  const recheck = () => parts.authorize?.(absolutePath(path, parts), source);
  const metadata = parts.metadataOf(path); // what can't be read of it ends the work: documents would lose what it gave them
  try {
    if (file_type === undefined) throw unsupportedFile(source, parts.reader);
    recheck();
    return {
      candidate: await fileCandidate(path, { source, source_kind: 'path', file_type, title, description, metadata, recheck }, parts),
    };
  } catch (error) {
    return failure(source, error, isRefusal(error) ? 'validate' : 'fetch');
  }
}

const isRefusal = (error: unknown): boolean => error instanceof KbError && (error.code === 'usage' || error.code === 'forbidden');

const failure = (source: string, error: unknown, stage: Stage): Extracted => ({
  error: toErrorItem(error, { source, source_kind: 'path', stage }),
});

/** What is done with pictures and scans. */
interface PictureSettings {
  ocr: 'auto' | 'report' | 'off';
}

/** Pictures that a notice names. */
const NAMED = 3;

/** The reader, to which pictures are files like others where their text is recognized. */
export function withPictures(reader: DocumentReader, { ocr }: PictureSettings): DocumentReader {
  if (ocr !== 'auto') return reader;
  const { pictures } = reader;
  return {
    ...reader,
    extensions: [...reader.extensions, ...pictures.extensions],
    fileType: (path, kinds) => reader.fileType(path, kinds) ?? pictures.fileType(path),
  };
}

/** What to tell of pictures that were found and not read. */
const unreadPictures = (sources: readonly string[]): string =>
  `${count(sources.length, 'picture')} ${sources.length === 1 ? 'was' : 'were'} not read: ${listNames(sources, NAMED)}. ${sayHint(advice`${setting('ingestion.docs.ocr', 'auto')} reads the text in them.`)}`;
