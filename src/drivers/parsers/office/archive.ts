import { inflateRawSync } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { KbError } from '../../../core/errors.ts';
import { partNames } from './part-names.ts';

/** What an archive may unpack to beyond its own size. A parser makes about ten times as much of it in memory. */
const MOST_INFLATED = 256 * 2 ** 20;
/** Parts that an archive may have: a presentation of a thousand slides has some five thousand. */
const MOST_ENTRIES = 20_000;
/** Bit 0 of the general purpose flags: the part is encrypted (APPNOTE.TXT, 4.4.4). */
const ENCRYPTED = 1;

/** The parts of a ZIP file, which is what DOCX, PPTX and XLSX are. */
export interface Archive {
  readonly names: readonly string[];
  /** The text of a part, undefined where there is none. */
  text(name: string): Promise<string | undefined>;
  /** The bytes of a part, undefined where there is none. */
  content(name: string): Promise<Buffer | undefined>;
  /** Unpacks every part once, in pieces that are dropped. Throws an Error where one holds another number of bytes than it says. */
  verify(): Promise<void>;
}

/**
 * Opens an archive whose parts say that they unpack to a bounded size, XML to `largest_part` bytes each. Whoever gives it to a library that believes them verifies it first.
 * @throws KbError `too_large` beyond the bounds; an Error of yauzl for a damaged archive.
 */
export async function openArchive(
  bytes: Uint8Array,
  { source, largest_part: largest = MOST_INFLATED }: { source: string; largest_part?: number | undefined },
): Promise<Archive> {
  const { default: yauzl } = await import('yauzl');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const file = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false });
  if (file.entryCount > MOST_ENTRIES) throw tooLarge(source, `holds ${file.entryCount} parts; at most ${MOST_ENTRIES} are read`);
  const entries: Entry[] = [];
  let inflated = 0;
  for await (const entry of file.eachEntry()) {
    inflated += Math.max(0, entry.uncompressedSize - entry.compressedSize);
    if (inflated > MOST_INFLATED) throw tooLarge(source, `unpacks to more than ${MOST_INFLATED / 2 ** 20} MiB`);
    entries.push(entry);
  }
  const names = await partNames(entries);
  const parts = new Map(names.map((name, i): [string, Part] => [name, { name, entry: entries[i]! }]));
  for (const { name, entry } of parts.values())
    if (entry.uncompressedSize > largest && name.endsWith('.xml'))
      throw tooLarge(source, `holds ${name}, which unpacks to more than ${largest / 2 ** 20} MiB`);
  const content: Archive['content'] = async (name) => {
    const part = parts.get(name);
    return part && bytesOf(file, buffer, part);
  };
  return {
    names,
    text: async (name) => (await content(name))?.toString('utf8'),
    content,
    async verify() {
      for (const part of parts.values()) await bytesOf(file, buffer, part);
    },
  };
}

interface Part {
  name: string;
  entry: Entry;
}

const tooLarge = (source: string, what: string): KbError =>
  new KbError('too_large', `${source} ${what}.`, { hint: 'Split it, or leave it out.' });

/** Hands over the pieces of a part. Throws as soon as it holds another number of bytes than it says: yauzl counts them. */
async function contentOf(file: ZipFile, { name, entry }: Part, take: (piece: Buffer) => void): Promise<void> {
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw new Error(`its part ${name} is encrypted`);
  for await (const piece of await file.openReadStreamPromise(entry)) take(piece);
}

function inflatePart(packed: Buffer, part: Part): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: part.entry.uncompressedSize });
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? wrongSize(part, error) : error;
  }
}

const wrongSize = ({ name }: Part, cause?: unknown): Error => new Error(`its part ${name} holds too many bytes or too few`, { cause });

/** Parts of at most this size are unpacked in one go, which takes a tenth of the time of a stream. */
const AT_ONCE = 16 * 2 ** 20;
const DEFLATED = 8;

async function bytesOf(file: ZipFile, buffer: Buffer, part: Part): Promise<Buffer> {
  const { entry } = part;
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  const isPlain = compressionMethod === DEFLATED && !(entry.generalPurposeBitFlag & ENCRYPTED);
  if (isPlain && uncompressedSize > 0 && uncompressedSize <= AT_ONCE) {
    const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = buffer.subarray(fileDataStart, fileDataStart + compressedSize);
    const content = inflatePart(packed, part);
    if (content.length !== uncompressedSize) throw wrongSize(part);
    return content;
  }
  const pieces: Buffer[] = [];
  await contentOf(file, part, (piece) => pieces.push(piece));
  return Buffer.concat(pieces);
}
