/** Bytes from which the encoding is guessed. */
const ENCODING_SAMPLE = 65_536;
/** chardet's confidence (0 to 100) from which its answer is used without another test. */
const CERTAIN = 50;
const ESCAPE = 0x1b;

const startsWith = (bytes: Uint8Array, ...mark: number[]): boolean => mark.every((byte, i) => bytes[i] === byte);

/** Detects UTF-16 by its byte order mark or by the position of its zeros; undefined for other encodings. */
export function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  const sample = bytes.subarray(0, TEXT_SAMPLE);
  if (!sample.includes(0)) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i & 1]! += 1;
  const [first, second] = zeros.map((count) => count / (sample.length / 2));
  if (second! > 0.4 && first! < 0.1) return 'utf-16le';
  return first! > 0.4 && second! < 0.1 ? 'utf-16be' : undefined;
}

/** Decodes a file by its byte order mark, else as UTF-8, else in the declared encoding, else by letter statistics. Newlines become `\n`; NUL is removed. */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<string> {
  const utf16 = detectUtf16(bytes) ?? escapedCharset(bytes, declared);
  const text = utf16
    ? decodeAs(utf16, bytes)
    : (decodeStrictly('utf-8', bytes) ?? (isUtf8(declared) ? undefined : decodeAs(declared, bytes)));
  return normalizeText(text ?? (await decodeGuessed(bytes)));
}

/** Returns a declared encoding that writes letters as ASCII between escapes (ISO-2022): such bytes are valid UTF-8, too. */
const escapedCharset = (bytes: Uint8Array, declared: string | undefined): string | undefined =>
  /^(?:cs)?iso-?2022/i.test(declared ?? '') && bytes.includes(ESCAPE) ? declared : undefined;

const normalizeText = (text: string): string => (/[\r\0]/.test(text) ? text.replace(/\r\n?/g, '\n').replaceAll('\0', '') : text);

const isUtf8 = (label: string | undefined): boolean => /^utf-?8$/i.test(label ?? '');

/** Decodes bytes; undefined for a label that TextDecoder does not know. */
function decodeAs(label: string | undefined, bytes: Uint8Array): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes bytes that are not UTF-8 by statistics of their letters. */
export async function decodeGuessed(bytes: Uint8Array): Promise<string> {
  const { default: chardet } = await import('chardet');
  const first = bytes.findIndex((byte) => byte > 127);
  const start = Math.max(0, first - 1024);
  const [best] = chardet.analyse(bytes.subarray(start, start + ENCODING_SAMPLE));
  const japanese = (best?.confidence ?? 0) < CERTAIN ? decodeJapanese(bytes) : undefined;
  return japanese ?? decodeAs(best?.name, bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** Decodes Shift_JIS if all of the text is Japanese, since statistics fail for short texts. Half-width katakana is excluded: it fits nearly any bytes. */
export function decodeJapanese(bytes: Uint8Array): string | undefined {
  const text = decodeStrictly('shift_jis', bytes);
  return text !== undefined && JAPANESE.test(text) ? text : undefined;
}

const JAPANESE = /^[\p{ASCII}\p{Script=Han}\p{Script=Hiragana}\u30a0-\u30ff\u3000-\u303f\uff01-\uff5e]+$/u;

/** Decodes bytes in an encoding; undefined if some are not valid in it. */
export function decodeStrictly(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Code pages of Windows that TextDecoder knows by other names. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
  50220: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** Creates the decoder of a code page of Windows; that of Western Europe for an unknown one. */
export function createDecoder(codepage: number): InstanceType<typeof TextDecoder> {
  const iso = codepage > 28590 && codepage < 28606 ? `iso-8859-${codepage - 28590}` : undefined;
  try {
    return new TextDecoder(CODE_PAGES[codepage] ?? iso ?? `windows-${codepage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}

/** Bytes in which the signature of a file is searched, as PDF readers do (ISO 32000-1, annex H.3.4.1). */
const HEAD = 1024;
/** Bytes by which text is distinguished from other content, and UTF-16 recognized. */
const TEXT_SAMPLE = 4096;
/** Maximum share of control characters in text. */
const MAX_CONTROL = 0.1;

const latin1 = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString('latin1');
/** Returns the bytes in which the signature of a file is searched, as Latin-1. */
export const readBeginning = (bytes: Uint8Array): string => latin1(bytes, HEAD);
/** Whether bytes begin as a ZIP archive does. */
export const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0x50, 0x4b, 5, 6);
/** Whether bytes begin as a file of an Office version before 2007 does, or as one with a password. */
export const isCompound = (bytes: Uint8Array): boolean => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
/** Whether a compound file (MS-CFB) has a stream of one of these names in its folder. */
export const hasStream = (bytes: Uint8Array, ...names: string[]): boolean =>
  names.some((name) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from(`${name}\0`, 'utf16le')));

const CONTROL = /[\u0001-\u0008\u000b\u000e-\u001f\ufffd]/g;

/** Whether bytes have few control characters, and no signature of another format. NUL is ignored: some programs pad text with it. */
export function looksLikeText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46, 0x2d) || isZip(bytes) || isCompound(bytes)) return false;
  const utf16 = detectUtf16(bytes);
  const start = utf16 ? new TextDecoder(utf16).decode(bytes.subarray(0, TEXT_SAMPLE)) : latin1(bytes, TEXT_SAMPLE);
  return (start.match(CONTROL)?.length ?? 0) <= start.length * MAX_CONTROL;
}
