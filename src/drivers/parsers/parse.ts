import { openArchive } from './office/archive.ts';
import { brokenFile, emptyFile, encryptedFile, KINDS, withoutText, wrongKind } from './parse-failures.ts';
import { KbError } from '../../core/errors.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { parsers } from './parsers.ts';
import type { ParseTask } from './process/parse-messages.ts';
import { isCompound, isHtml, isPdf, isZip, looksLikeText } from './signatures.ts';

/** The folder in the archive that tells each kind of Office file. */
const OFFICE_FOLDERS: Record<string, string> = { docx: 'word/', pptx: 'ppt/', xlsx: 'xl/' };

interface Named {
  source: string;
  /** The kind that the name promises. */
  file_type: string;
}

/**
 * Passes when the bytes are of the kind that the file's name promises.
 * @throws KbError `invalid`: empty, encrypted, or of another kind, which it names; `too_large` for an archive that unpacks beyond the bounds.
 */
async function checkContent(bytes: Uint8Array, named: Named): Promise<void> {
  const { source, file_type } = named;
  if (bytes.length === 0) throw emptyFile(source);
  if (file_type in OFFICE_FOLDERS) return checkOffice(bytes, named);
  if (file_type === 'pdf') {
    if (!isPdf(bytes)) await refuse(bytes, named);
  } else if (!looksLikeText(bytes)) await refuse(bytes, named);
}

async function checkOffice(bytes: Uint8Array, named: Named): Promise<void> {
  const { source, file_type } = named;
  if (isCompound(bytes) && Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'))) throw encryptedFile(source);
  if (!isZip(bytes)) return refuse(bytes, named);
  const archive = await openArchive(bytes, { source });
  const actual = officeKind(archive.names);
  if (actual && actual !== file_type) throw wrongKind(source, { expected: file_type, found: KINDS[actual]!.name, actual });
  await archive.verify();
}

const officeKind = (names: readonly string[]): string | undefined =>
  Object.keys(OFFICE_FOLDERS).find((kind) => names.some((name) => name.toLowerCase().startsWith(OFFICE_FOLDERS[kind]!)));

/** Names what the bytes are instead. */
async function refuse(bytes: Uint8Array, { source, file_type: expected }: Named): Promise<never> {
  if (isPdf(bytes)) throw wrongKind(source, { expected, found: KINDS.pdf!.name, actual: 'pdf' });
  if (isCompound(bytes)) throw wrongKind(source, { expected, found: 'a file of an old Office version (DOC, PPT, XLS)' });
  if (isZip(bytes)) {
    const actual = officeKind((await openArchive(bytes, { source })).names);
    throw wrongKind(source, { expected, found: actual ? KINDS[actual]!.name : 'a ZIP archive', actual });
  }
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (known) throw wrongKind(source, { expected, found: `a file of the type ${known.mime} (${known.ext.toUpperCase()})` });
  if (!looksLikeText(bytes)) throw wrongKind(source, { expected, found: 'a binary file of an unknown kind' });
  throw wrongKind(source, isHtml(bytes) ? { expected, found: KINDS.html!.name, actual: 'html' } : { expected, found: 'plain text' });
}

/** Characters of a title, and of any other property: each chunk of a document holds them, so that megabytes would be multiplied. */
const MOST_OF_TITLE = 1_000;
const MOST_OF_PROPERTY = 100_000;

/**
 * Reads one file: is it what its name says, what is in it, is there any text. To be run where it can be stopped. A web page may come without
 * text: what it links to is worth knowing, and a browser may find more in it; XML comes as a value.
 * @throws KbError that names the file and what is wrong with it.
 */
export async function parseDocument(task: ParseTask): Promise<ParsedDocument> {
  const { bytes, source, file_type } = task;
  await checkContent(bytes, { source, file_type }).catch(failAsFile(task));
  return parseChecked(task);
}

/** The same of a file that is known to be what its name says. */
export async function parseChecked(task: ParseTask): Promise<ParsedDocument> {
  const { bytes, source, file_type } = task;
  const parser = parsers.find((candidate) => candidate.file_type === file_type);
  if (!parser) throw new KbError('usage', `${source}: there is no reader for files of the kind «${file_type}».`);
  const parsed = await parser.parse(bytes, { source }).catch(failAsFile(task));
  if (parsed.text.trim() === '' && !parsed.page && parsed.value === undefined) throw withoutText(source, file_type);
  return withBoundedProperties(parsed);
}

/** The document with a title and properties that each of its chunks can hold. */
function withBoundedProperties(parsed: ParsedDocument): ParsedDocument {
  const { title, metadata } = parsed;
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > MOST_OF_PROPERTY;
  if ((title?.length ?? 0) <= MOST_OF_TITLE && !Object.values(metadata).some(isLong)) return parsed;
  const cut = Object.entries(metadata).map(([key, value]) => [key, isLong(value) ? value.slice(0, MOST_OF_PROPERTY) : value]);
  return { ...parsed, title: title?.slice(0, MOST_OF_TITLE), metadata: Object.fromEntries(cut) };
}

const failAsFile =
  ({ source, file_type }: ParseTask) =>
  (error: unknown): never => {
    throw error instanceof KbError ? error : brokenFile(source, file_type, error);
  };
