import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive: its content, or what it packs to and the size that the archive claims for it. */
export type Part = string | Uint8Array | { packed: Uint8Array; size: number };
/** A part whose name is bytes in an encoding that the archive does not tell, beside what extra fields it has. */
export type RawPart = readonly [name: Uint8Array, part: Part, extra?: Uint8Array];

const VERSION = 20;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;

function fields(...values: [bytes: 2 | 4, value: number][]): Buffer {
  const buffer = Buffer.alloc(values.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of values) at = buffer.writeUIntLE(value >>> 0, at, bytes);
  return buffer;
}

/** A ZIP file (APPNOTE.TXT, 4.3) of these parts by their names. */
export const zipFile = (parts: Record<string, Part>): Buffer =>
  archiveOf(
    Object.entries(parts).map(([name, part]) => [Buffer.from(name), part]),
    UTF8_NAMES,
  );

/** The same of parts whose names may be any bytes, and come more than once. */
export const rawZipFile = (parts: readonly RawPart[]): Buffer => archiveOf(parts, 0);

function archiveOf(parts: readonly RawPart[], flags: number): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, part, more = ''] of parts) {
    const [title, extra] = [Buffer.from(name), Buffer.from(more as string)];
    const isPacked = typeof part === 'object' && 'packed' in part;
    const content = isPacked ? Buffer.alloc(0) : Buffer.from(part as string);
    const packed = Buffer.from(isPacked ? part.packed : deflateRawSync(content));
    const size = isPacked ? part.size : content.length;
    const common = fields(
      [2, VERSION],
      [2, flags],
      [2, DEFLATED],
      [2, 0],
      [2, 0x21],
      [4, crc32(content)],
      [4, packed.length],
      [4, size],
      [2, title.length],
      [2, extra.length],
    );
    local.push(fields([4, 0x04034b50]), common, title, extra, packed);
    central.push(fields([4, 0x02014b50], [2, VERSION]), common, fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), title, extra);
    offset += 4 + common.length + title.length + extra.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const count = parts.length;
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, directory.length], [4, offset], [2, 0]);
  return Buffer.concat([...local, directory, end]);
}
