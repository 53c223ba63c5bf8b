import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive: its content, or what it packs to and the size that the archive claims for it. */
export type Part = string | Uint8Array | { packed: Uint8Array; size: number };

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
export function zipFile(parts: Record<string, Part>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, part] of Object.entries(parts)) {
    const isPacked = typeof part === 'object' && 'packed' in part;
    const content = isPacked ? Buffer.alloc(0) : Buffer.from(part as string);
    const packed = Buffer.from(isPacked ? part.packed : deflateRawSync(content));
    const size = isPacked ? part.size : content.length;
    const title = Buffer.from(name);
    const common = fields(
      [2, VERSION],
      [2, UTF8_NAMES],
      [2, DEFLATED],
      [2, 0],
      [2, 0x21],
      [4, crc32(content)],
      [4, packed.length],
      [4, size],
      [2, title.length],
      [2, 0],
    );
    local.push(fields([4, 0x04034b50]), common, title, packed);
    central.push(fields([4, 0x02014b50], [2, VERSION]), common, fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), title);
    offset += 4 + common.length + title.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const count = Object.keys(parts).length;
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, directory.length], [4, offset], [2, 0]);
  return Buffer.concat([...local, directory, end]);
}
