import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { breathing } from '../../base/breath.ts';
import { KbError } from '../../base/errors.ts';
import { pathRead, pathsSpelled, systemPath } from '../../base/file-names.ts';
import type { DocsInput } from '../../schema/sources.ts';
import type { Scope } from './candidate.ts';
import { isPattern, listPattern } from './list-pattern.ts';
import { reasonOf } from './local-file.ts';
import { isLink, sourceOf as addressOf } from './network.ts';
import { absolutePath, isWithin, pathOf, refusal, sourceOf, type GuardedPlace } from './local-path.ts';
import { unfollowedLinks } from './passed-over.ts';
import { walk } from './walk.ts';

/** What a `docs` input names, resolved, behind the entry that names it (`input`). `path` is absolute, its links resolved; `named` tells a file that was named from one that was found. */
export type Found =
  | { path: string; named: boolean; title?: string | undefined; description?: string | undefined }
  | { link: string; title?: string | undefined; description?: string | undefined }
  | { failed: string; error: KbError }
  | { passed_over: string }
  | { notice: string }
  | { scope: Scope }
  | { input: string };

interface Entry {
  path: string;
  title?: string | undefined;
  description?: string | undefined;
}

interface Listing extends GuardedPlace {
  isSupported(path: string): boolean;
  /** Whether links that lead out of a folder or pattern are followed. */
  follow_links: boolean;
  /** Stops the walk, wherever it is. */
  signal?: AbortSignal | undefined;
}

const entriesOf = (docs: DocsInput): Entry[] => {
  if (typeof docs === 'object' && 'folder' in docs) return [{ path: docs.folder }];
  return [docs].flat().map((entry) => (typeof entry === 'string' ? { path: entry } : entry));
};

/** What an entry may be meant to be: as it is spelled, else with a name that a shell could not hand on, else in the form that a source has. */
function spellings(given: string, place: GuardedPlace): string[] {
  const { cwd, authorize } = place;
  const path = resolve(cwd, given);
  if (isLink(given) || existsSync(systemPath(path))) return [given];
  const spelled = given.includes('\ufffd') && !authorize ? pathsSpelled(path) : [];
  if (spelled.length > 0) return spelled;
  const read = pathRead(given);
  if (read === given || refusal(absolutePath(read, place), given, place)) return [given]; // of a refused path it is not told whether it exists
  return existsSync(systemPath(resolve(cwd, read))) ? [read] : [given];
}

/**
 * Finds every file that a `docs` input names: files, folders, globs and links, in the order given, each path once. Of what `authorize` refuses nothing
 * is looked at: what exists there and what does not is answered alike. Throws a KbError (`aborted`) when the signal stops it.
 */
export async function* listDocs(docs: DocsInput, listing: Listing): AsyncGenerator<Found, void, void> {
  const met = new Set<string>();
  const breathe = breathing(listing.signal);
  const entries = entriesOf(docs).flatMap((entry) => spellings(entry.path, listing).map((path) => ({ ...entry, path })));
  for (const entry of entries) {
    yield { input: isLink(entry.path) ? addressOf(entry.path) : sourceOf(absolutePath(entry.path, listing), listing) };
    for await (const found of listEntry(entry, listing)) {
      await breathe();
      if ('path' in found) {
        if (met.has(found.path)) continue;
        met.add(found.path);
      }
      yield found;
    }
  }
}

async function* listEntry({ path: given, ...words }: Entry, listing: Listing): AsyncGenerator<Found, void, void> {
  if (isLink(given)) return yield { link: given, ...words };
  const path = absolutePath(given, listing);
  const refused = refusal(path, given, listing);
  if (refused) return yield { failed: given, error: refused };
  const kind = await stat(systemPath(path)).catch((error: NodeJS.ErrnoException) => error);
  if (!(kind instanceof Error)) {
    if (kind.isDirectory()) yield* listFolder(given, path, listing);
    else if (kind.isFile()) yield { path, named: true, ...words };
    else yield { failed: given, error: noFile(given) };
  } else if (kind.code === 'ENOENT' && isPattern(given, listing)) {
    yield* listPattern(given, listing);
  } else {
    yield { failed: given, error: unreadable(given, kind, listing) };
  }
}

/** A pipe or a device: to read it may never end. */
const noFile = (given: string): KbError =>
  new KbError('usage', `${given} is neither a file nor a folder.`, { hint: 'Save what it gives into a file, and give that.' });

/** Where a server was asked, its folders are none of the caller's business: what was looked for is not told. */
function unreadable(given: string, error: NodeJS.ErrnoException, { authorize, cwd }: GuardedPlace): KbError {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
    return new KbError('usage', `${given} cannot be read: ${reasonOf(error)}.`, { hint: 'Check its permissions.', cause: error });
  const path = resolve(cwd, given);
  if (authorize || path === given)
    return new KbError('usage', `${given} does not exist.`, {
      hint: 'Check the spelling, and the folder that it begins at.',
      cause: error,
    });
  return new KbError('usage', `${given} does not exist (looked for ${path}).`, {
    hint: 'Check the spelling and the folder you are in.',
    cause: error,
  });
}

/** What a folder lists and does not exist is a link to something that is gone. */
const unreadableInside = (name: string, error: NodeJS.ErrnoException, place: GuardedPlace): KbError =>
  error.code === 'ENOENT'
    ? new KbError('usage', `${name} is a link that leads nowhere.`, { hint: 'Mend it, or remove it.', cause: error })
    : unreadable(name, error, place);

async function* listFolder(given: string, root: string, listing: Listing): AsyncGenerator<Found, void, void> {
  const { follow_links, signal } = listing;
  let supported = 0;
  let whole = true;
  const unfollowed: string[] = [];
  const refused = (path: string) => refusal(absolutePath(path, listing), sourceOf(path, listing), listing);
  for await (const found of walk(root, { refused, follow_links, signal })) {
    const name = sourceOf(found.path, listing);
    if ('leadsOut' in found) {
      unfollowed.push(name);
      yield { passed_over: name };
    } else if ('error' in found) {
      const isRefused = found.error instanceof KbError; // it leads out, and so nothing of it lies in the scope of this folder
      whole &&= isRefused;
      yield { failed: name, error: isRefused ? (found.error as KbError) : unreadableInside(name, found.error, listing) };
    } else {
      if (listing.isSupported(found.path)) supported++;
      yield { path: absolutePath(found.path, listing), named: false };
    }
  }
  if (unfollowed.length > 0) yield { notice: unfollowedLinks(unfollowed, given) };
  if (supported === 0)
    yield {
      failed: given,
      error: new KbError('usage', `${given} holds no document of a supported kind.`, {
        hint: 'kb reads PDF, DOCX, PPTX, XLSX, Markdown, HTML, TXT and CSV.',
      }),
    };
  else if (whole) yield { scope: folderScope(root, listing) };
}

/** An empty folder has no scope: it may be one that is not mounted, and nothing is to be removed for that. */
const folderScope = (root: string, place: GuardedPlace): Scope => ({
  source_kind: 'path',
  covers: (source) => {
    const path = pathOf(source, place);
    return path !== root && isWithin(root, path);
  },
});
