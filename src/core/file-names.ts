import { type Dirent, readdir, readdirSync, realpath, stat, type Stats } from 'node:fs';
import { join, parse, sep } from 'node:path';
import { getSystemErrorMessage } from 'node:util';

type Done<Result> = (error: Error | null, result?: Result) => void;

/** The functions of `node:fs` that tinyglobby needs, for paths whose names need not be UTF-8 (see `decodePath`). */
export const byteFileSystem = {
  readdir: (path: string, _options: { withFileTypes: true }, done: Done<Dirent[]>): void =>
    readdir(encodePath(path), { withFileTypes: true, encoding: 'buffer' }, (error, entries) => {
      if (error) done(error);
      else done(null, entries.map((entry) => Object.assign(entry, { name: decodePath(entry.name) })) as unknown as Dirent[]);
    }),
  realpath: (path: string, done: Done<string>): void =>
    realpath(encodePath(path), { encoding: 'buffer' }, (error, found) => (error ? done(error) : done(null, decodePath(found)))),
  stat: (path: string, done: Done<Stats>): void => stat(encodePath(path), done),
};

// File names are bytes. A path holds each byte that is not UTF-8 as a lone surrogate (U+DC80 to U+DCFF, as Python does), so that it can be joined, compared
// and split like any text; for the file system it becomes bytes again. People read and type such a name in an escaped form.

const SURROGATES = 0xdc00;

/** Matches sequences of UTF-8 in bytes as Latin-1, and captures any other byte. */
const UTF8 =
  // oxlint-disable-next-line no-control-regex -- bytes
  /[\x00-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/** Decodes the bytes of a path or name. */
export function decodePath(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes('\ufffd')) return text;
  return bytes
    .toString('latin1')
    .replace(UTF8, (sequence, other?: string) =>
      other === undefined ? Buffer.from(sequence, 'latin1').toString() : String.fromCharCode(SURROGATES + other.charCodeAt(0)),
    );
}

/** Encodes a path for the file system. */
export function encodePath(path: string): string | Buffer {
  const parts = path.split(/([\udc80-\udcff])/u);
  if (parts.length === 1) return path;
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - SURROGATES]))));
}

/** Bytes that are not UTF-8, control characters except tab and newline, direction overrides, and a backslash that would look like an escape. */
const ESCAPED_CHARACTERS =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\udc80-\udcff]|\\(?=x[0-9A-F]{2}|u[0-9A-F]{4})/gu;

const hexadecimal = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0');

/** Escapes a path so that people can read and type it, without ambiguity: `caf\xE9.md`, `\u202Ename.md`. */
export const escapePath = (path: string): string =>
  path.replace(ESCAPED_CHARACTERS, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\\') return '\\x5C';
    return code >= SURROGATES ? `\\x${hexadecimal(code - SURROGATES, 2)}` : `\\u${hexadecimal(code, 4)}`;
  });

/** Reverses `escapePath`. */
export const unescapePath = (escaped: string): string =>
  escaped.replace(/\\x([0-9A-F]{2})|\\u([0-9A-F]{4})/g, (_escape, byte?: string, unit?: string) => {
    const code = Number.parseInt(byte ?? unit!, 16);
    return String.fromCharCode(byte !== undefined && code > 0x7f ? SURROGATES + code : code);
  });

/**
 * Lists the existing paths that a path may stand for after a shell or a library has read it as UTF-8: `�` stands for lost bytes.
 */
export function findMangledPaths(path: string): string[] {
  const { root } = parse(path);
  let found = [root];
  for (const name of path.slice(root.length).split(sep))
    found = name.includes('\ufffd') ? found.flatMap((folder) => findMangledNames(folder, name)) : found.map((folder) => join(folder, name));
  return found;
}

function findMangledNames(folder: string, name: string): string[] {
  try {
    const names = readdirSync(encodePath(folder), { encoding: 'buffer' });
    return names.filter((bytes) => bytes.toString() === name).map((bytes) => join(folder, decodePath(bytes)));
  } catch {
    return [];
  }
}

/** Reasons for error codes of the file system (POSIX errno) and of Node. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ERR_INVALID_ARG_VALUE: 'its name contains null bytes',
};

/** Reason for a missing file, or for a missing folder to write into. */
const MISSING_FILE = { read: 'no such file', write: 'no such folder' } as const;

/** Explains why a file cannot be read or written, as the end of a sentence. Of a system error it does not repeat the path. */
export function describeFileError(cause: unknown, task: keyof typeof MISSING_FILE): string {
  const { code = '', errno, message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT') return MISSING_FILE[task];
  if (Object.hasOwn(FILE_ERRORS, code)) return FILE_ERRORS[code]!;
  return errno === undefined ? message.replace(/\.$/, '') || code : getSystemErrorMessage(errno);
}
