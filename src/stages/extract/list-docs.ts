import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { glob, isDynamicPattern } from 'tinyglobby';
import { KbError } from '../../base/errors.ts';
import type { DocsInput } from '../../schema/requests.ts';
import type { Scope } from './candidate.ts';
import { absolutePath, pathOf, sourceOf, type Place } from './local-path.ts';
import { walk } from './walk.ts';

/** What a `docs` input names, resolved. `path` is absolute, its links resolved; `named` tells a file that was named from one that was found. */
export type Found =
  | { path: string; named: boolean; title?: string | undefined; description?: string | undefined }
  | { link: string; title?: string | undefined; description?: string | undefined }
  | { failed: string; error: KbError }
  | { scope: Scope };

interface Entry {
  path: string;
  title?: string | undefined;
  description?: string | undefined;
}

const entriesOf = (docs: DocsInput): Entry[] => {
  if (typeof docs === 'object' && 'folder' in docs) return [{ path: docs.folder }];
  return [docs].flat().map((entry) => (typeof entry === 'string' ? { path: entry } : entry));
};

/** Finds every file that a `docs` input names: files, folders, globs and links, in the order given, each path once. */
export async function* listDocs(
  docs: DocsInput,
  { isSupported, ...place }: Place & { isSupported(path: string): boolean },
): AsyncGenerator<Found, void, void> {
  const met = new Set<string>();
  for (const entry of entriesOf(docs)) {
    for await (const found of listEntry(entry, place, isSupported)) {
      if ('path' in found) {
        if (met.has(found.path)) continue;
        met.add(found.path);
      }
      yield found;
    }
  }
}

async function* listEntry(entry: Entry, place: Place, isSupported: (path: string) => boolean): AsyncGenerator<Found, void, void> {
  const { path: given, ...words } = entry;
  if (/^https?:\/\//i.test(given)) return yield { link: given, ...words };
  const path = absolutePath(given, place);
  const kind = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(kind instanceof Error)) {
    if (kind.isDirectory()) yield* listFolder(given, path, { ...place, isSupported });
    else if (kind.isFile()) yield { path, named: true, ...words };
    else yield { failed: given, error: noFile(given) };
  } else if (kind.code === 'ENOENT' && isDynamicPattern(given)) {
    yield* listGlob(given, { ...place, isSupported });
  } else {
    yield { failed: given, error: unreadable(given, path, kind) };
  }
}

/** A pipe or a device: to read it may never end. */
const noFile = (given: string): KbError =>
  new KbError('usage', `${given} is neither a file nor a folder.`, { hint: 'Save what it gives into a file, and give that.' });

const unreadable = (given: string, path: string, error: NodeJS.ErrnoException): KbError =>
  error.code === 'ENOENT' || error.code === 'ENOTDIR'
    ? new KbError('usage', `${given} does not exist${given === path ? '' : ` (looked for ${path})`}.`, {
        hint: 'Check the spelling and the folder you are in.',
        cause: error,
      })
    : new KbError('usage', `${given} cannot be read: ${error.message}.`, { hint: 'Check its permissions.', cause: error });

/** What a folder lists and does not exist is a link to something that is gone. */
const unreadableInside = (name: string, path: string, error: NodeJS.ErrnoException): KbError =>
  error.code === 'ENOENT'
    ? new KbError('usage', `${name} is a link that leads nowhere.`, { hint: 'Mend it, or remove it.', cause: error })
    : unreadable(name, path, error);

async function* listFolder(
  given: string,
  root: string,
  place: Place & { isSupported(path: string): boolean },
): AsyncGenerator<Found, void, void> {
  let supported = 0;
  let whole = true;
  for await (const found of walk(root)) {
    if ('error' in found) {
      whole = false;
      const name = sourceOf(found.path, place);
      yield { failed: name, error: unreadableInside(name, found.path, found.error) };
      continue;
    }
    if (place.isSupported(found.path)) supported++;
    yield { path: absolutePath(found.path, place), named: false };
  }
  if (supported === 0)
    yield {
      failed: given,
      error: new KbError('usage', `${given} holds no document of a supported kind.`, {
        hint: 'kb reads PDF, DOCX, PPTX, XLSX, Markdown, HTML, TXT and CSV.',
      }),
    };
  else if (whole) yield { scope: folderScope(root, place) };
}

/** An empty folder has no scope: it may be one that is not mounted, and nothing is to be removed for that. */
const folderScope = (root: string, place: Place): Scope => ({
  source_kind: 'path',
  covers: (source) => isInside(root, pathOf(source, place)),
});

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function* listGlob(pattern: string, place: Place & { isSupported(path: string): boolean }): AsyncGenerator<Found, void, void> {
  const paths = await glob(pattern, {
    cwd: place.cwd,
    absolute: true,
    onlyFiles: true,
    ignore: ['**/node_modules/**'],
    expandDirectories: false,
  });
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) yield { path: absolutePath(path, place), named: false };
  if (paths.length === 0) {
    yield {
      failed: pattern,
      error: new KbError('usage', `${pattern} matches no file.`, {
        hint: 'Quote the pattern, so that the shell does not expand it, and try it with ls.',
      }),
    };
    return;
  }
  yield { scope: globScope(pattern, place) };
}

/**
 * What a pattern would match and is not there, below the folder that it begins with: that one is known by its real path, as the sources are. A file
 * in a folder that may not be read is there: tinyglobby passes such a folder over without a word.
 */
function globScope(pattern: string, place: Place): Scope {
  const { base, glob: rest } = picomatch.scan(pattern);
  const root = absolutePath(base || '.', place);
  const matches = picomatch(rest);
  const covers = (path: string) => isInside(root, path) && matches(relative(root, path).split(sep).join('/')) && isAbsent(path);
  return { source_kind: 'path', covers: (source) => covers(pathOf(source, place)) };
}
