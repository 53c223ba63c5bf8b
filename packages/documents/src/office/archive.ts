import { inflateRawSync } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { DocumentError } from '../errors.ts';
import { distinctNames } from '../distinct-names.ts';
import { decodeGuessed, decodeJapanese, decodeStrictly, isZip } from '../bytes.ts';

/** Maximum bytes that unpacking adds to an archive. A parser needs about ten times as much memory. */
const MAX_INFLATED = 256 * 2 ** 20;
/** Maximum parts of an archive; a presentation of a thousand slides has about five thousand. */
const MAX_ENTRIES = 20_000;
/** Bit 0 of the general purpose flags: the part is encrypted (APPNOTE.TXT, 4.4.4). */
const ENCRYPTED = 1;

/** The parts of a ZIP file, such as DOCX, PPTX and XLSX. */
export interface Archive {
  readonly names: readonly string[];
  /** Reads a part as UTF-8; undefined if there is none of this name. */
  text(name: string): Promise<string | undefined>;
  /** Reads the bytes of a part; undefined if there is none of this name. */
  content(name: string): Promise<Buffer | undefined>;
  /** Unpacks every part once. Throws an Error if one has another size than it declares. */
  verify(): Promise<void>;
}

/**
 * Opens an archive whose parts declare a bounded size; `largest_part` limits each XML part. Verify it before a library reads it that trusts declared sizes.
 * @throws DocumentError `too_large` beyond the bounds; an Error of yauzl for a damaged archive.
 */
export async function openArchive(
  bytes: Uint8Array,
  { source, largest_part: largest = MAX_INFLATED }: { source: string; largest_part?: number | undefined },
): Promise<Archive> {
  const { default: yauzl } = await import('yauzl');
  const buffer = bufferOf(trimArchive(bytes));
  const file = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false });
  if (file.entryCount > MAX_ENTRIES) throw tooLarge(source, `holds ${file.entryCount} parts; at most ${MAX_ENTRIES} are read`);
  const entries: Entry[] = [];
  let inflated = 0;
  for await (const entry of file.eachEntry()) {
    inflated += Math.max(0, entry.uncompressedSize - entry.compressedSize);
    if (inflated > MAX_INFLATED) throw tooLarge(source, `unpacks to more than ${MAX_INFLATED / 2 ** 20} MiB`);
    entries.push(entry);
  }
  const names = await partNames(entries);
  const parts = new Map(names.map((name, i): [string, Part] => [name, { name, entry: entries[i]! }]));
  for (const { name, entry } of parts.values())
    if (entry.uncompressedSize > largest && name.endsWith('.xml'))
      throw tooLarge(source, `holds ${name}, which unpacks to more than ${largest / 2 ** 20} MiB`);
  const content: Archive['content'] = async (name) => {
    const part = parts.get(name);
    return part && unpack(file, buffer, part);
  };
  return {
    names,
    text: async (name) => (await content(name))?.toString('utf8'),
    content,
    async verify() {
      for (const part of parts.values()) await unpack(file, buffer, part);
    },
  };
}

/** Signatures of the end of the central directory, of the locator that ZIP64 has before it, and of an entry (APPNOTE.TXT, 4.3). */
const END = Buffer.from('PK\x05\x06', 'latin1');
const LOCATOR = 0x07064b50;
const ENTRY = 0x02014b50;
/** Bytes of the end without its comment, and of the locator. */
const END_BYTES = 22;
const LOCATOR_BYTES = 20;

/** An archive within a file: where it begins, and where the end of its directory is. */
interface ArchiveBounds {
  start: number;
  end: number;
}

/**
 * Finds the last central directory of a file. Office, LibreOffice and Python also ignore bytes behind an archive; that its parts are counted from
 * the beginning of the archive shows how many bytes are before it.
 */
function findArchive(buffer: Buffer): ArchiveBounds | undefined {
  for (let end = buffer.lastIndexOf(END); end >= 0; end = end > 0 ? buffer.lastIndexOf(END, end - 1) : -1) {
    if (end + END_BYTES > buffer.length) continue;
    if (end >= LOCATOR_BYTES && buffer.readUInt32LE(end - LOCATOR_BYTES) === LOCATOR) return { start: 0, end };
    const [size, offset] = [buffer.readUInt32LE(end + 12), buffer.readUInt32LE(end + 16)];
    const directory = end - size;
    if (directory >= offset && (size === 0 || buffer.readUInt32LE(directory) === ENTRY)) return { start: directory - offset, end };
  }
  return undefined;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether a file is an archive, or has one within it. */
export const isArchive = (bytes: Uint8Array): boolean => isZip(bytes) || findArchive(bufferOf(bytes)) !== undefined;

/** Returns the archive in a file without the bytes before and behind it; a file without a central directory as it is. */
export function trimArchive(bytes: Uint8Array): Uint8Array {
  const bounds = findArchive(bufferOf(bytes));
  if (!bounds) return bytes;
  const { start, end } = bounds;
  const comment = bufferOf(bytes).readUInt16LE(end + END_BYTES - 2);
  const archive = bytes.subarray(start, end + END_BYTES + comment);
  if (end + END_BYTES + comment <= bytes.length) return archive;
  const whole = Buffer.from(archive);
  whole.writeUInt16LE(bytes.length - end - END_BYTES, end - start + END_BYTES - 2);
  return whole;
}

interface Part {
  name: string;
  entry: Entry;
}

const tooLarge = (source: string, what: string): DocumentError =>
  new DocumentError('too_large', `${source} ${what}.`, { hint: 'Split it, or leave it out.' });

/** Maximum bytes of a part that is unpacked at once, which takes a tenth of the time of a stream. */
const AT_ONCE = 16 * 2 ** 20;
const DEFLATED = 8;

/** Unpacks a part. Throws an Error if it has another size than it declares. */
async function unpack(file: ZipFile, buffer: Buffer, { name, entry }: Part): Promise<Buffer> {
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw new Error(`its part ${name} is encrypted`);
  // yauzl counts the bytes of a stream
  if (compressionMethod !== DEFLATED || uncompressedSize === 0 || uncompressedSize > AT_ONCE)
    return Buffer.concat(await Array.fromAsync<Buffer>(await file.openReadStreamPromise(entry)));
  const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
  const content = inflate(buffer.subarray(fileDataStart, fileDataStart + compressedSize), uncompressedSize);
  if (content?.length !== uncompressedSize) throw new Error(`its part ${name} holds too many bytes or too few`);
  return content;
}

/** Inflates data; undefined if it is larger than `size`. */
function inflate(packed: Buffer, size: number): Buffer | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: size });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/** Bit 11 of the general purpose flags: the name is UTF-8. Many programs that write UTF-8 do not set it. */
const UTF8 = 0x800;
const NEWLINE = 0x0a;
/** The character of code page 437 for it. */
const NEWLINE_SIGN = '◙';
const SPACE = 0x20;

/** Encodings of names in scripts other than Latin, with their characters. The first that fits is used. */
const ENCODINGS: readonly (readonly [string, RegExp])[] = [
  ['ibm866', /^[\p{ASCII}А-яЁё№]+$/u],
  ['euc-kr', /^[\p{ASCII}\p{Script=Hangul}]+$/u],
  ['gbk', /^[\p{ASCII}\p{Script=Han}\u3000-\u303f\uff01-\uff5e]+$/u],
  ['big5', /^[\p{ASCII}\p{Script=Han}\u3000-\u303f\uff01-\uff5e]+$/u],
];
const LATIN = /^[\p{ASCII}\p{Script=Latin}]+$/u;
/** A Latin letter beside another character: part of a Latin word that was decoded as Japanese. */
const MIXED = /[a-z][^\p{ASCII}]|[^\p{ASCII}][a-z]/iu;

/**
 * Decodes the names of parts: as UTF-8, or in the field of Info-ZIP for it; else as the characters of all undecoded names suggest. Of parts with the same
 * name, the last keeps it (programs append newer versions); the others get a number.
 */
async function partNames(entries: readonly Entry[]): Promise<string[]> {
  const { default: yauzl } = await import('yauzl');
  const names = entries.map(({ fileName, generalPurposeBitFlag, extraFields }) =>
    yauzl.getFileNameLowLevel(generalPurposeBitFlag | UTF8, fileName, extraFields, false),
  );
  const unknown = entries.filter((_, i) => names[i]!.includes('\ufffd')).map(({ fileName }) => fileName);
  if (unknown.length > 0) {
    const decodeDos = (bytes: Buffer): string => yauzl.getFileNameLowLevel(0, bytes, [], false).replaceAll(NEWLINE_SIGN, '\n');
    const guessed = (await decodeNames(joinNames(unknown), decodeDos)).split('\n').values();
    for (const [i, name] of names.entries()) if (name.includes('\ufffd')) names[i] = guessed.next().value!.replaceAll('\\', '/');
  }
  return distinctNames(names.toReversed()).toReversed();
}

const joinNames = (names: readonly Buffer[]): Buffer =>
  Buffer.concat(
    names.flatMap((name, i) => [...(i > 0 ? [Buffer.of(NEWLINE)] : []), name.map((byte) => (byte === NEWLINE ? SPACE : byte))]),
  );

/** Decodes names in an unknown encoding; `decodeDos` decodes code page 437, the default of the format and of Windows. */
async function decodeNames(bytes: Buffer, decodeDos: (bytes: Buffer) => string): Promise<string> {
  const japanese = decodeJapanese(bytes);
  if (lettersStandAlone(bytes)) {
    if (japanese !== undefined && !MIXED.test(japanese)) return japanese;
    const western = new TextDecoder('windows-1252').decode(bytes);
    return !LATIN.test(decodeDos(bytes)) && LATIN.test(western) ? western : decodeDos(bytes);
  }
  if (japanese !== undefined) return japanese;
  for (const [label, letters] of ENCODINGS) {
    const text = decodeStrictly(label, bytes);
    if (text !== undefined && letters.test(text)) return text;
  }
  return decodeGuessed(bytes);
}

/** Whether most bytes beyond ASCII stand alone, as in languages of Western Europe. */
function lettersStandAlone(bytes: Buffer): boolean {
  let [alone, all] = [0, 0];
  for (const [i, byte] of bytes.entries()) {
    if (byte < 0x80) continue;
    all += 1;
    if (!((bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80)) alone += 1;
  }
  return alone * 2 > all;
}
