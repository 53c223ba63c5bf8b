import type { Entry } from 'yauzl';
import { distinctNames } from '../distinct-names.ts';
import { decodeGuessed, decodeJapanese, decodeStrictly } from '../bytes.ts';

/** Bit 11 of the general purpose flags: the name is UTF-8 (APPNOTE.TXT, 4.4.4). Many programs that write UTF-8 do not set it. */
const UTF8 = 0x800;
const NEWLINE = 0x0a;
/** What code page 437 shows for it. */
const NEWLINE_SIGN = '◙';
const SPACE = 0x20;

/** Encodings of names whose letters stand together, and what they are made of. The first that fits is taken. */
const ENCODINGS: readonly (readonly [string, RegExp])[] = [
  ['ibm866', /^[\p{ASCII}А-яЁё№]+$/u],
  ['euc-kr', /^[\p{ASCII}\p{Script=Hangul}]+$/u],
  ['gbk', /^[\p{ASCII}\p{Script=Han}\u3000-\u303f\uff01-\uff5e]+$/u],
  ['big5', /^[\p{ASCII}\p{Script=Han}\u3000-\u303f\uff01-\uff5e]+$/u],
];
const LATIN = /^[\p{ASCII}\p{Script=Latin}]+$/u;
/** A letter beside one of Japanese, which would be half of a Latin word. */
const MIXED = /[a-z][^\p{ASCII}]|[^\p{ASCII}][a-z]/iu;

/**
 * The names of the parts of an archive: as the entry says (in UTF-8, or in the field of Info-ZIP for it), else by what the letters of all of them look like.
 * Of parts with one name, the last has it, as a program means that adds a newer one; the others get a number.
 */
export async function partNames(entries: readonly Entry[]): Promise<string[]> {
  const { default: yauzl } = await import('yauzl');
  const told = entries.map(({ fileName, generalPurposeBitFlag, extraFields }) =>
    yauzl.getFileNameLowLevel(generalPurposeBitFlag | UTF8, fileName, extraFields, false),
  );
  const untold = entries.filter((_, i) => told[i]!.includes('\ufffd')).map(({ fileName }) => fileName);
  if (untold.length > 0) {
    const dos = (bytes: Buffer): string => yauzl.getFileNameLowLevel(0, bytes, [], false).replaceAll(NEWLINE_SIGN, '\n');
    const guessed = (await decodeNames(joined(untold), dos)).split('\n').values();
    for (const [i, name] of told.entries()) if (name.includes('\ufffd')) told[i] = guessed.next().value!.replaceAll('\\', '/');
  }
  return distinctNames(told.toReversed()).toReversed();
}

const joined = (names: readonly Buffer[]): Buffer =>
  Buffer.concat(
    names.flatMap((name, i) => [...(i > 0 ? [Buffer.of(NEWLINE)] : []), name.map((byte) => (byte === NEWLINE ? SPACE : byte))]),
  );

/** Names in an encoding that nothing tells; `dos` decodes code page 437, which is meant by the format and written by Windows. */
async function decodeNames(bytes: Buffer, dos: (bytes: Buffer) => string): Promise<string> {
  const japanese = decodeJapanese(bytes);
  if (lettersStandAlone(bytes)) {
    if (japanese !== undefined && !MIXED.test(japanese)) return japanese;
    const western = new TextDecoder('windows-1252').decode(bytes);
    return !LATIN.test(dos(bytes)) && LATIN.test(western) ? western : dos(bytes);
  }
  if (japanese !== undefined) return japanese;
  for (const [label, letters] of ENCODINGS) {
    const text = decodeStrictly(label, bytes);
    if (text !== undefined && letters.test(text)) return text;
  }
  return decodeGuessed(bytes);
}

/** Whether most bytes beyond ASCII have none beside them, as in languages of Western Europe. */
function lettersStandAlone(bytes: Buffer): boolean {
  let [alone, all] = [0, 0];
  for (const [i, byte] of bytes.entries()) {
    if (byte < 0x80) continue;
    all += 1;
    if (!((bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80)) alone += 1;
  }
  return alone * 2 > all;
}
