import { openArchive } from './office/archive.ts';
import { isUtf16 } from './encoding.ts';
import { brokenFile, emptyFile, encryptedFile, KINDS, withoutText, wrongKind } from './parse-failures.ts';
import { KbError } from '../../core/errors.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { parsers } from './parsers.ts';

/** How far into a file its kind is looked for. Readers of PDF look for its header in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1). */
const HEAD = 1024;
const SAMPLE = 4096;
/** A larger share of control characters than this is no text. */
const MOST_CONTROL = 0.1;

/** The folder in the archive that tells each kind of Office file. */
const OFFICE_FOLDERS: Record<string, string> = { docx: 'word/', pptx: 'ppt/', xlsx: 'xl/' };

const startsWith = (bytes: Uint8Array, ...magic: number[]): boolean => magic.every((byte, i) => bytes[i] === byte);
const latin1 = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString('latin1');
const isPdf = (bytes: Uint8Array): boolean => startsWith(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d) || latin1(bytes, HEAD).includes('%PDF-');
const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0x50, 0x4b, 5, 6);
const isCompound = (bytes: Uint8Array): boolean => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);

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

const CONTROL = /[\u0001-\u0008\u000b\u000e-\u001f\ufffd]/g;

/** Not the opening of another format, and hardly a control character. NUL does not count: some programs pad text with it. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d) || isZip(bytes) || isCompound(bytes)) return false;
  const wide = isUtf16(bytes);
  const start = wide ? new TextDecoder(wide).decode(bytes.subarray(0, SAMPLE)) : latin1(bytes, SAMPLE);
  return (start.match(CONTROL)?.length ?? 0) <= start.length * MOST_CONTROL;
}

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
  const isHtml = /^\s*(<!doctype html|<html|<head|<body)/i.test(latin1(bytes, HEAD));
  throw wrongKind(source, isHtml ? { expected, found: KINDS.html!.name, actual: 'html' } : { expected, found: 'plain text' });
}

/** Characters of a title, and of any other property: each chunk of a document holds them, so that megabytes would be multiplied. */
const MOST_OF_TITLE = 1_000;
const MOST_OF_PROPERTY = 100_000;

export interface ParseTask {
  bytes: Uint8Array;
  source: string;
  file_type: string;
}

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
