import { ocrReads } from '../../../core/advice/shared-advice.ts';
import { extname } from 'node:path';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import pLimit from 'p-limit';
import { KbError } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { type DocumentReader, GIVEN_TYPES } from '../../../ports/reading.ts';
import type { Metadata, SourceKind } from '../../../schema/items.ts';
import { type Candidate, contentHash } from '../extract.ts';
import { toDocument, withFrontmatter } from '../document.ts';
import { systemPath } from '../../../core/file-names.ts';

/** What reading a file works with. */
export interface FileParts {
  reader: DocumentReader;
  frontmatter: boolean;
  signal?: AbortSignal | undefined;
}

interface KnownFile {
  source: string;
  source_kind: SourceKind;
  file_type: string;
  /** The document's id, of the hash of its bytes; made of the source where absent. */
  id?: ((content_hash: string) => string) | undefined;
  title?: string | undefined;
  description?: string | undefined;
  /** Given beside the file; it wins over the file's own. */
  metadata?: Metadata | undefined;
  /** Throws a KbError where the path leads somewhere else by now. */
  recheck?: (() => void) | undefined;
}

/**
 * Makes the candidate of a local file: it is read now for its hash, and parsed when its document is requested. Throws a KbError that names
 * the source.
 */
export async function fileCandidate(path: string, known: KnownFile, { reader, frontmatter, signal }: FileParts): Promise<Candidate> {
  const { source, source_kind, file_type, id, title, description, metadata, recheck } = known;
  const looked = (bytes: Uint8Array) => ({
    content_hash: contentHash(bytes, { title, description, frontmatter, metadata, revision: reader.revisionOf?.(file_type) }),
    isEmpty: isBlank(bytes) || (file_type === GIVEN_TYPES.markdown && isFrontMatter(bytes)),
    bytes: bytes.length,
  });
  const file = await openLocalFile(path, looked, { source, recheck });
  const document = () =>
    file.again(async (bytes) => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      const content_hash = hash(bytes);
      const own = { ...parsed, metadata: { ...parsed.metadata, ...metadata } };
      const made = toDocument(own, { id: id?.(content_hash), source, source_kind, file_type, content_hash, title, description });
      return frontmatter ? withFrontmatter(made) : made;
    });
  return { source, source_kind, ...file.first, document };
}

const BLANKS = new Set(Buffer.from(' \t\r\n\f\v\ufeff'));

/** Whether a file holds nothing, or nothing but white space and the mark of its encoding. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => BLANKS.has(byte));

/** Front matter and nothing behind it: lines of YAML's mappings and lists between two of dashes. */
const FRONT_MATTER = /^(?:ï»¿)?---[ \t]*\r?\n(?:(?!---)(?:[\w-]+:.*|[ \t#-].*)?\r?\n)*---\s*$/;
const LONGEST_FRONT_MATTER = 4 * 2 ** 10;

/** Whether a Markdown file only says something about itself, as the index of a folder may. */
const isFrontMatter = (bytes: Uint8Array): boolean =>
  bytes.length <= LONGEST_FRONT_MATTER &&
  FRONT_MATTER.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));

/** What kb reads, in a sentence: the endings of files are more than anyone reads. */
export const READABLE = 'kb reads PDF, Word, Excel, PowerPoint, HTML, Markdown, text, mail and more: see the README.';

/** Makes the error for a file that no parser reads. */
export const unsupportedFile = (source: string, { extensions, pictures }: DocumentReader): KbError =>
  pictures.fileType(source) && !extensions.includes(extname(source).toLowerCase())
    ? new KbError('usage', `${source} is a picture, and was not read.`, {
        hint: ocrReads('its text'),
      })
    : new KbError(
        'usage',
        `${source}: files ${extname(source) ? `of the kind «${extname(source)}»` : 'without an extension'} are not supported.`,
        { hint: READABLE },
      );

/** A larger file is refused: it would be read into memory whole. */
const MAX_BYTES = 512 * 2 ** 20;
/** A file up to this size is read in one go: to hand the steps of that to other threads takes longer than to do them. */
const SMALL_BYTES = 256 * 2 ** 10;
/** A larger file is not kept in memory between its hash and its parsing, but read again. */
const KEPT_BYTES = 2 ** 20;
/** Large files in memory at once, those that wait for a parser among them. */
const largeInTurn = pLimit(2);

/** Hands the bytes of a file to `use`, which may be called again later (`again`). */
interface LocalFile<First> {
  first: First;
  again<Result>(use: (bytes: Uint8Array) => Promise<Result> | Result): Promise<Result>;
}

interface OpenOptions {
  /** Name of the file in errors. */
  source: string;
  /** Throws a KbError where the path leads somewhere else by now. Called after each reading, before the bytes are used. */
  recheck?: (() => void) | undefined;
}

/** Reads a file for `first` (its hash), and lets it be read `again` for its document. Few large files are in memory at once. Throws a KbError that names `source`, and no path. */
async function openLocalFile<First>(
  path: string,
  first: (bytes: Uint8Array) => First,
  { source, recheck }: OpenOptions,
): Promise<LocalFile<First>> {
  const read = async (isSmall: boolean): Promise<Uint8Array> => {
    const bytes = await naming(source, async () => (isSmall ? readFileSync(systemPath(path)) : await readFile(systemPath(path))));
    recheck?.();
    return bytes;
  };
  const { size } = await naming(source, () => stat(systemPath(path)));
  if (size > MAX_BYTES) {
    throw new KbError('too_large', `${source} has ${Math.round(size / 2 ** 20)} MiB; at most ${MAX_BYTES / 2 ** 20} are read.`, {
      hint: 'Split it.',
    });
  }
  if (size > KEPT_BYTES) {
    const again = <Result>(use: (bytes: Uint8Array) => Promise<Result> | Result) => largeInTurn(async () => use(await read(false)));
    return { first: await again(first), again };
  }
  const bytes = await read(size <= SMALL_BYTES);
  return { first: first(bytes), again: async (use) => use(bytes) };
}

/** Node's own words name the absolute path, which is none of the caller's business where a server reads the file. */
async function naming<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new KbError('invalid', `${source} cannot be read: ${fileErrorReason(error)}.`, { hint: 'Check its permissions.', cause: error });
  }
}

/** Why the file system refused, without the path: «permission denied». */
export function fileErrorReason(error: unknown): string {
  const { errno, code } = error as NodeJS.ErrnoException;
  if (errno !== undefined) return getSystemErrorMessage(errno);
  return code === 'ERR_INVALID_ARG_VALUE' ? 'no file can have such a name' : (code ?? 'an unknown error');
}
