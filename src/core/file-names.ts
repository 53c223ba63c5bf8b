import { type Dirent, readdir, readdirSync, realpath, stat, type Stats } from 'node:fs';
import { join, parse, sep } from 'node:path';

type Done<Result> = (error: Error | null, result?: Result) => void;

/** The functions of `node:fs` that tinyglobby needs, for paths that need not be UTF-8 (`pathFrom`). */
export const byteNames = {
  readdir: (path: string, _options: { withFileTypes: true }, done: Done<Dirent[]>): void =>
    readdir(systemPath(path), { withFileTypes: true, encoding: 'buffer' }, (error, entries) => {
      if (error) done(error);
      else done(null, entries.map((entry) => Object.assign(entry, { name: pathFrom(entry.name) })) as unknown as Dirent[]);
    }),
  realpath: (path: string, done: Done<string>): void =>
    realpath(systemPath(path), { encoding: 'buffer' }, (error, found) => (error ? done(error) : done(null, pathFrom(found)))),
  stat: (path: string, done: Done<Stats>): void => stat(systemPath(path), done),
};

// File names are bytes. A path holds each byte that is not UTF-8 as a lone surrogate (U+DC80 to U+DCFF, as Python does), so that it can be joined, compared
// and split like any text; for the file system it becomes bytes again. People read and type such a name in an escaped form.

const SURROGATES = 0xdc00;

/** Sequences of UTF-8, byte by byte; what is none is caught. */
const UTF8 =
  // oxlint-disable-next-line no-control-regex -- bytes
  /[\x00-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g;

/** Decodes the bytes of a path or name. */
export function pathFrom(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes('\ufffd')) return text;
  return bytes
    .toString('latin1')
    .replace(UTF8, (sequence, other?: string) =>
      other === undefined ? Buffer.from(sequence, 'latin1').toString() : String.fromCharCode(SURROGATES + other.charCodeAt(0)),
    );
}

/** Encodes a path for the file system. */
export function systemPath(path: string): string | Buffer {
  const parts = path.split(/([\udc80-\udcff])/u);
  if (parts.length === 1) return path;
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from([part.charCodeAt(0) - SURROGATES]))));
}

/** Bytes that are not UTF-8, control characters except tab and newline, overrides of direction, and a backslash that would look like such an escape. */
const UNREADABLE =
  // oxlint-disable-next-line no-control-regex -- it is what has to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\udc80-\udcff]|\\(?=x[0-9A-F]{2}|u[0-9A-F]{4})/gu;

const hexadecimal = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0');

/** Escapes a path, unambiguously, so that people can read it: `caf\xE9.md`, `\u202Ename.md`. */
export const readablePath = (path: string): string =>
  path.replace(UNREADABLE, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\\') return '\\x5C';
    return code >= SURROGATES ? `\\x${hexadecimal(code - SURROGATES, 2)}` : `\\u${hexadecimal(code, 4)}`;
  });

/** Reverses `readablePath`. */
export const pathRead = (readable: string): string =>
  readable.replace(/\\x([0-9A-F]{2})|\\u([0-9A-F]{4})/g, (_escape, byte?: string, unit?: string) => {
    const code = Number.parseInt(byte ?? unit!, 16);
    return String.fromCharCode(byte !== undefined && code > 0x7f ? SURROGATES + code : code);
  });

/**
 * Lists the paths that a path may stand for that is not UTF-8 but was read as such by a shell or a library: `�` stands for what was lost.
 */
export function pathsSpelled(path: string): string[] {
  const { root } = parse(path);
  let found = [root];
  for (const name of path.slice(root.length).split(sep))
    found = name.includes('\ufffd') ? found.flatMap((folder) => namesSpelled(folder, name)) : found.map((folder) => join(folder, name));
  return found;
}

function namesSpelled(folder: string, name: string): string[] {
  try {
    const names = readdirSync(systemPath(folder), { encoding: 'buffer' });
    return names.filter((bytes) => bytes.toString() === name).map((bytes) => join(folder, pathFrom(bytes)));
  } catch {
    return [];
  }
}

/** Messages for the error codes of files (errno of POSIX). */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a file stands where its folder would be',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no room left',
  EDQUOT: 'there is no room left for you',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'its name is too long',
};

/** Message for a missing file, or a missing folder to write into. */
const MISSING_FILE = { read: 'there is none of that name', write: 'there is no such folder' } as const;

/** Explains why a file can't be read or written, as the end of a sentence. */
export function describeFileError(cause: unknown, task: keyof typeof MISSING_FILE): string {
  const { code = '', message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ENOENT') return MISSING_FILE[task];
  return Object.hasOwn(FILE_ERRORS, code) ? FILE_ERRORS[code]! : message.replace(/\.$/, '') || code;
}
