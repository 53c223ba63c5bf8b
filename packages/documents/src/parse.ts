import { decompress, extensionOf } from './archives/compressed-files.ts';
import { isArchive, openArchive, trimArchive } from './office/archive.ts';
import {
  brokenFileError,
  emptyFileError,
  encryptedFileError,
  nothingReadableError,
  noTextError,
  unknownTypeError,
  wrongTypeError,
  DocumentError,
} from './errors.ts';
import type { ParsedMember } from './types.ts';
import type { InnerFile, ParsedContent, ParseOutcome, ParserRow, ParseTask } from './parser.ts';
import { typeOfName } from './file-types.ts';
import { parsers } from './formats.ts';
import { countMissing } from './visible-words.ts';
import { hasStream, readBeginning, isCompound, isZip, looksLikeText } from './bytes.ts';

/**
 * Finds the parser of a file by its bytes: that of its name if they fit, else that of the format that they have.
 * Throws a DocumentError: `invalid` (empty, encrypted, of a type that is not read), `too_large` for an archive.
 */
async function identifyParser({ bytes, source }: ParseTask, file_type: string | undefined): Promise<ParserRow> {
  const named = file_type === undefined ? undefined : findParser(source, file_type);
  if (bytes.length === 0) throw emptyFileError(source);
  if (isCompound(bytes) && hasStream(bytes, 'EncryptedPackage')) throw encryptedFileError(source);
  if (named && (await fitsFormat(bytes, source, named))) return named;
  const actual = await identifyContent(bytes, source);
  const text_type = named ? named.text_type : 'text';
  if (actual === PLAIN_TEXT && text_type) return findParser(source, text_type);
  if (!named) {
    if (typeof actual === 'string') throw unknownTypeError(source, actual);
    return actual;
  }
  if (typeof actual === 'string' || actual.is_picture || actual.is_archive) throw wrongTypeError(source, { expected: named, actual });
  return actual;
}

async function fitsFormat(bytes: Uint8Array, source: string, row: ParserRow): Promise<boolean> {
  if (!isArchiveFormat(row)) return row.recognizes?.(bytes) ?? looksLikeText(bytes);
  if (!isArchive(bytes)) return false;
  const actual = await identifyArchive(bytes, source, row.largest_part);
  return actual === undefined || actual === row;
}

/** What a file is whose format no signature tells. */
const PLAIN_TEXT = 'plain text';

const isArchiveFormat = ({ archive_folder, archive_mimetype, is_archive }: ParserRow): boolean =>
  archive_folder !== undefined || archive_mimetype !== undefined || is_archive === true;

async function identifyArchive(bytes: Uint8Array, source: string, largest_part?: number): Promise<ParserRow | undefined> {
  const archive = await openArchive(bytes, { source, largest_part });
  const mimetype = (await archive.text('mimetype').catch(() => undefined))?.slice(0, MAX_TITLE_LENGTH);
  return parsers.find(({ archive_folder: folder, archive_mimetype: type }) =>
    type ? mimetype !== undefined && type.test(mimetype) : folder && archive.names.some((name) => name.toLowerCase().startsWith(folder)),
  );
}

async function identifyContent(bytes: Uint8Array, source: string): Promise<ParserRow | string> {
  const recognized = parsers.find((row) => row.recognizes?.(bytes));
  if (recognized) return recognized;
  if (isCompound(bytes)) return 'a file of an old Office version';
  if (isZip(bytes)) return (await identifyArchive(bytes, source)) ?? parsers.find(({ is_archive }) => is_archive)!;
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (known) return `a file of the type ${known.mime} (${known.ext.toUpperCase()})`;
  if (!looksLikeText(bytes)) return 'a binary file of an unknown kind';
  return parsers.find(({ signature }) => signature?.test(readBeginning(bytes))) ?? PLAIN_TEXT;
}

/** Maximum characters of a title and of any other property: each chunk of a document holds them. */
const MAX_TITLE_LENGTH = 1_000;
const MAX_PROPERTY_LENGTH = 100_000;

/**
 * Checks and parses a file and the files in it, in a process that can be killed. A web page may lack text (its links matter, and a browser may find more);
 * XML of an API has a value instead.
 * @throws DocumentError that names the file and what is wrong with it.
 */
export async function parseDocument(task: ParseTask): Promise<ParsedContent> {
  const named = task.file_type ?? typeOfName(task.source);
  const { file_type } = await identifyParser(task, named).catch(failAsFile(task.source, named));
  const parsed = await parseChecked({ ...task, file_type });
  return file_type === named ? parsed : { ...parsed, file_type };
}

/** Parses a file whose content is known to be of its type. */
export async function parseChecked(task: ParseTask & { file_type: string }): Promise<ParsedContent> {
  const { source, ...options } = task;
  const row = findParser(source, task.file_type);
  const bytes = isArchiveFormat(row) ? trimArchive(task.bytes) : task.bytes;
  const { files = [], visible, ...own } = await row.parse(bytes, { source, ...options }).catch(failAsFile(source, task.file_type));
  const { members, left_out } = await readMembers(files, task);
  if (own.text.trim() === '' && !own.page && own.value === undefined && !own.pictured_pages && members.length === 0)
    throw left_out.length > 0 ? nothingReadableError(source, left_out[0]!) : noTextError(source, row);
  const missing_words = visible === undefined ? undefined : countMissing(visible, own.text);
  const metadata = { ...own.metadata, ...(left_out.length > 0 && { left_out }), ...(missing_words && { missing_words }) };
  return boundProperties({ ...own, metadata, ...(members.length > 0 ? { members } : {}) });
}

/** Maximum depth of files within files, such as an attachment of a mail in a mailbox. */
const MAX_DEPTH = 2;
/** Maximum number of left-out files that the metadata lists. */
const MAX_NAMED = 100;
const MAX_REASON_LENGTH = 300;

/** Reads the files in a file in turn, and lists the reasons why others cannot be read. */
async function readMembers(files: readonly InnerFile[], task: ParseTask): Promise<{ members: ParsedMember[]; left_out: string[] }> {
  const members: ParsedMember[] = [];
  const left_out: string[] = [];
  for (const file of files) {
    try {
      members.push(await readMember(file, task));
    } catch (error) {
      if (left_out.length < MAX_NAMED) left_out.push(describeFailure(file, error));
    }
  }
  return { members, left_out };
}

async function readMember(file: InnerFile, { depth = 0, html }: ParseTask): Promise<ParsedMember> {
  const { path, bytes } = file;
  const row = findMemberParser(file);
  if (!row) throw new Error('is of a kind that is not supported');
  if (row.is_archive) throw new Error('is an archive within another file');
  if (depth === MAX_DEPTH) throw new Error('lies too deep');
  const {
    page: _,
    pictured_pages,
    ...parsed
  } = await parseDocument({ bytes: await decompress(await bytes(), path), source: path, file_type: row.file_type, depth: depth + 1, html });
  if (parsed.text.trim() === '' && !parsed.members) throw new Error(pictured_pages ? 'is a picture without a text layer' : 'has no text');
  return { path, file_type: parsed.file_type ?? row.file_type, parsed };
}

/** Finds the parser of an inner file by its name, or by its media type if the name has no extension. */
function findMemberParser({ path, file_type, media_type }: InnerFile): ParserRow | undefined {
  if (file_type) return parsers.find((row) => row.file_type === file_type);
  const extension = extensionOf(path);
  if (extension === '') return parsers.find(({ media_types = [] }) => media_type !== undefined && media_types.includes(media_type));
  return (
    parsers.find(({ extensions }) => extensions.includes(extension)) ??
    parsers.find(({ more_extensions }) => more_extensions?.test(extension))
  );
}

/** Describes why a file was left out. */
function describeFailure({ path }: InnerFile, error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_LENGTH).replace(/\.$/, '');
  return reason.startsWith(path) ? reason : `${path} ${error instanceof DocumentError ? `(${reason})` : reason}`;
}

function findParser(source: string, file_type: string): ParserRow {
  const row = parsers.find((candidate) => candidate.file_type === file_type);
  if (!row) throw new DocumentError('unknown_type', `${source}: there is no reader for files of the kind "${file_type}".`);
  return row;
}

/** Cuts the title and properties, which each chunk of the document holds. */
function boundProperties(parsed: ParsedContent): ParsedContent {
  const properties = Object.entries(parsed.metadata).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.slice(0, MAX_PROPERTY_LENGTH) : value,
  ]);
  const title = parsed.title?.slice(0, MAX_TITLE_LENGTH);
  return { ...parsed, ...(title !== undefined && { title }), metadata: Object.fromEntries(properties) };
}

const failAsFile =
  (source: string, file_type: string | undefined) =>
  (error: unknown): never => {
    throw asDocumentError(error, source, file_type);
  };

const asDocumentError = (error: unknown, source: string, file_type: string | undefined): DocumentError =>
  error instanceof DocumentError
    ? error
    : brokenFileError(source, parsers.find((row) => row.file_type === file_type) ?? { file_type: '', name: 'a document' }, error);

/** Libraries that take long to load, by the extensions of files that need them. */
const LIBRARIES: Readonly<Record<string, () => Promise<unknown>>> = {
  '.pdf': () => import('./pdf/library.ts'),
  '.html': () => import('linkedom'),
  '.htm': () => import('linkedom'),
  '.xlsx': () => import('xlsx'),
};

/** Loads the library for files with this extension. */
export async function preload(extension: string): Promise<void> {
  await LIBRARIES[extension]?.();
}

/** Parses one document after another. Throws nothing. */
export async function parseTasks(tasks: readonly ParseTask[]): Promise<ParseOutcome[]> {
  const outcomes: ParseOutcome[] = [];
  for (const task of tasks) outcomes.push(await parseTask(task));
  return outcomes;
}

async function parseTask(task: ParseTask): Promise<ParseOutcome> {
  try {
    return { parsed: await parseDocument(task) };
  } catch (error) {
    const { code, message, hint } = asDocumentError(error, task.source, task.file_type);
    return { failed: { code, message, hint } };
  }
}
