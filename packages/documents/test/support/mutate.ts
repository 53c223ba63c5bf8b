import { isZip } from '../../src/bytes.ts';
import { openArchive } from '../../src/office/archive.ts';
import { zipFile } from './zip.ts';

/** Numbers from 0 to 1. */
type Random = () => number;

/** Random numbers that are the same for the same seed. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, end: number): number => Math.floor(random() * end);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)]!;

/** A piece of bytes: mostly short ones, now and then a large share of all. */
function range(random: Random, length: number): [start: number, end: number] {
  const start = below(random, length);
  const longest = random() < 0.8 ? Math.min(200, length) : length;
  return [start, Math.min(length, start + 1 + below(random, longest))];
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const flipBits: Mutation = (bytes, random) => {
  const flipped = Buffer.from(bytes);
  for (let count = 1 + below(random, 20); count > 0; count--) flipped[below(random, bytes.length)]! ^= 1 << below(random, 8);
  return flipped;
};

const truncate: Mutation = (bytes, random) => bytes.subarray(0, 1 + below(random, bytes.length));

const deleteRange: Mutation = (bytes, random) => {
  const [start, end] = range(random, bytes.length);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
};

const duplicateRange: Mutation = (bytes, random) => {
  const [start, end] = range(random, bytes.length);
  const copies = random() < 0.8 ? 1 : 2 + below(random, 20);
  return Buffer.concat([
    bytes.subarray(0, start),
    ...Array.from({ length: copies + 1 }, () => bytes.subarray(start, end)),
    bytes.subarray(end),
  ]);
};

const insertNoise: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  const noise = Buffer.from(Array.from({ length: 1 + below(random, 40) }, () => below(random, 256)));
  return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
};

const NUMBERS = ['0', '-1', '1', '65536', '2147483648', '99999999999999999999', '1e309', 'NaN', ''];

/** One number of a text becomes another one. */
const changeNumber: Mutation = (bytes, random) => {
  const text = bytes.toString('latin1');
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return flipBits(bytes, random);
  const { 0: number, index } = pick(random, numbers);
  return Buffer.from(text.slice(0, index) + pick(random, NUMBERS) + text.slice(index + number.length), 'latin1');
};

const BYTES: readonly Mutation[] = [flipBits, truncate, deleteRange, duplicateRange, insertNoise, changeNumber];

const VALUES = ['', '-1', '99999999999', '../../../etc/passwd', '&x;', 'https://example.com/'.repeat(50), '\u202e', 'true'];

/** One tag of XML or HTML is taken out, doubled, renamed, nested deeply, given another attribute, or moved. */
const changeMarkup: Mutation = (bytes, random) => {
  const text = bytes.toString('utf8');
  const tags = [...text.matchAll(/<[^<>]+>/g)];
  if (tags.length === 0) return flipBits(bytes, random);
  const { 0: tag, index } = pick(random, tags);
  const other = pick(random, tags)[0];
  const changed = pick(random, [
    () => '',
    () => tag + tag,
    () => other,
    () => tag.repeat(1 + below(random, 3000)),
    () => tag.replace(/"[^"]*"/, () => `"${pick(random, VALUES)}"`),
    () => tag.replace(/[\w:]+/, 'x:unknown'),
    () => `<!--${tag}`,
    () => `${tag}<![CDATA[`,
    () => `${tag}&#0;&#x110000;&undefined;`,
  ])();
  return Buffer.from(text.slice(0, index) + changed + text.slice(index + tag.length));
};

/** A part of an archive is changed, taken out or exchanged for another, in an archive that is whole otherwise. */
async function changePart(bytes: Buffer, random: Random): Promise<Buffer> {
  const archive = await openArchive(bytes, { source: 'file' });
  const parts = Object.fromEntries(await Promise.all(archive.names.map(async (name) => [name, (await archive.text(name)) ?? ''] as const)));
  const filled = archive.names.filter((name) => parts[name] !== '');
  if (filled.length === 0) return flipBits(bytes, random);
  const name = pick(random, filled);
  const chance = random();
  if (chance < 0.1) delete parts[name];
  else if (chance < 0.2) parts[name] = parts[pick(random, filled)]!;
  else parts[name] = pick(random, [changeMarkup, changeMarkup, changeMarkup, ...BYTES])(Buffer.from(parts[name]!), random).toString('utf8');
  return zipFile(parts);
}

/** A file with one to three changes of the kinds that transfers, disks, broken programs and attackers make; the same for the same numbers. */
export async function mutate(file: Buffer, random: Random): Promise<Buffer> {
  let bytes = file;
  for (let count = 1 + below(random, 3); count > 0 && bytes.length > 0; count--) {
    const isWhole = isZip(bytes) && random() < 0.7;
    bytes = isWhole
      ? await changePart(bytes, random).catch(() => flipBits(bytes, random))
      : pick(random, [...BYTES, changeMarkup])(bytes, random);
  }
  return bytes;
}

/** Whether an error says no more than that the reader failed: by the end of its process or its time, or by a sentence for programmers. */
export const isUnclear = (message: string): boolean =>
  /the process that read it ended|was not read within|needs more than|Cannot read properties|is not (?:a function|iterable|defined)|is undefined|no reason is known/.test(
    message,
  );
