import { type Dirent, existsSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { advice, formatHint, setting } from '../../../core/advice/advice.ts';
import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import {
  byteFileSystem,
  decodePath,
  describeFileError,
  encodePath,
  escapePath,
  findMangledPaths,
  unescapePath,
} from '../../../core/file-names.ts';
import { throwIfAborted } from '../../../core/run.ts';
import { hasWildcards, parseWildcards } from '../../../core/wildcards.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import type { FileKind } from '../../../schema/config-sources.ts';
import type { DocsInput } from '../../../schema/source-entries.ts';
import { count, listNames } from '../../../text/count.ts';
import type { Scope } from '../extract.ts';
import { urlSource, isUrl } from '../pages/web-addresses.ts';
import { excludedBy, IgnoreRules, type Rules } from './folder-rules.ts';
import {
  absolutePath,
  filePathOf,
  fileSource,
  type GuardedPlace,
  isWithin,
  type PathPlace,
  pathRefusal,
  realPath,
  spelledPath,
} from './local-path.ts';

/**
 * An item of a `docs` input, after its entry (`input`). `path` is absolute and real; `named`: the entry names the file itself; `kinds`: the kinds
 * searched for, if not all.
 */
export type FoundFile =
  | { path: string; named: boolean; kinds?: readonly FileKind[] | undefined; title?: string | undefined; description?: string | undefined }
  | { link: string; title?: string | undefined; description?: string | undefined }
  | { failed: string; error: KbError }
  | { passed_over: string; isExcluded?: true }
  | { notice: string }
  | { scope: Scope }
  | { input: string };

/** Where and how a `docs` input is listed. */
export interface Listing extends GuardedPlace {
  reader: DocumentReader;
  /** Whether links that lead out of a folder or pattern are followed. */
  follow_links: boolean;
  /** Whether `.gitignore` excludes files of folders. */
  gitignore: boolean;
  /** Kinds of files that folders, and patterns without an extension, are searched for. */
  kinds: readonly FileKind[];
  signal?: AbortSignal | undefined;
}

interface WalkOptions {
  /** Makes the error for a link that must not be followed; undefined if it may be. */
  refused?: (path: string) => Error | undefined;
  /** Whether a real path is skipped, with everything in it. */
  isState?: ((path: string) => boolean) | undefined;
  /** Whether links that lead out of the folder are followed. */
  follow_links?: boolean;
  /** Whether `.gitignore` counts. Default: true. */
  gitignore?: boolean;
  signal?: AbortSignal | undefined;
  onFolder?: ((path: string) => void) | undefined;
  /** The folder that is read if only one folder in it is walked: its ignore files count. Default: the walked folder. */
  within?: string;
}

interface WalkState extends WalkOptions {
  visited: Set<string>;
  ignored: IgnoreRules;
  /** Whether a link leads to a place that must not be walked. */
  isOutside(path: string): boolean;
}

/**
 * An item of a walk: a file, a path that could not or must not be read, a link out of the folder that was not followed, or a file or folder that an ignore
 * file excludes.
 */
type WalkedItem =
  | { path: string }
  | { path: string; error: Error }
  | { path: string; isOutside: true }
  | { path: string; excludedBy: NonNullable<ReturnType<typeof excludedBy>>; isFolder: boolean };

/**
 * Yields every file of a folder and its subfolders, in name order, without hidden files, `node_modules`, and what ignore files exclude, also
 * those of the folders above up to the root of the git repository. Each folder is visited once; a link out of the folder is followed only
 * with `follow_links`, and a `refused` one never; `isState` paths are skipped. Throws a KbError (`aborted`) if the signal stops it.
 */
export async function* walk(root: string, options: WalkOptions = {}): AsyncGenerator<WalkedItem, void, void> {
  const { follow_links = false, gitignore = true, within = root } = options;
  const real = realPath(within);
  const isOutside = (path: string): boolean => !follow_links && !isWithin(real, realPath(path));
  yield* walkFolder(root, { ...options, visited: new Set(), ignored: new IgnoreRules(within, gitignore), isOutside });
}

async function* walkFolder(folder: string, state: WalkState): AsyncGenerator<WalkedItem, void, void> {
  throwIfAborted(state.signal);
  let entries: Dirent<Buffer>[];
  let rules: Rules | undefined;
  try {
    const { dev, ino } = await stat(encodePath(folder), { bigint: true });
    if (state.visited.has(`${dev}:${ino}`)) return;
    state.visited.add(`${dev}:${ino}`);
    rules = state.ignored.rulesIn(folder);
    if (!rules) return;
    state.onFolder?.(folder);
    entries = await readdir(encodePath(folder), { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    return yield { path: folder, error: error as Error };
  }
  const real = realPath(folder);
  const named = entries.map((entry) => ({ name: decodePath(entry.name), isLink: entry.isSymbolicLink() }));
  for (const { name, isLink } of named.toSorted((a, b) => byCodePoints(a.name, b.name))) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = join(folder, name);
    if (state.isState?.(isLink ? realPath(path) : join(real, name))) continue;
    const unfollowed = isLink ? unfollowedLink(path, state) : undefined;
    if (unfollowed) {
      // whether the link leads to a file or a folder is not checked, so rules for either apply
      if (!excludedBy(rules, path, false) && !excludedBy(rules, path, true)) yield unfollowed;
      continue;
    }
    const kind = await stat(encodePath(path)).catch((error: Error) => error);
    const ignoreFile = kind instanceof Error ? undefined : excludedBy(rules, path, kind.isDirectory());
    if (kind instanceof Error) yield { path, error: kind };
    else if (ignoreFile) yield { path, excludedBy: ignoreFile, isFolder: kind.isDirectory() };
    else if (kind.isDirectory()) yield* walkFolder(path, state);
    else if (kind.isFile()) yield { path };
  }
}

/** The item for a link that is not followed; undefined if it is. */
function unfollowedLink(path: string, { refused, isOutside }: WalkState): WalkedItem | undefined {
  const error = refused?.(path);
  if (error) return { path, error };
  return isOutside(path) ? { path, isOutside: true } : undefined;
}

/** Compares by code points, so that the order is the same on every machine. */
const byCodePoints = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

interface Entry {
  path: string;
  title?: string | undefined;
  description?: string | undefined;
}

/** Converts a `docs` input to a list of entries. */
export const docsEntries = (docs: DocsInput): Entry[] => {
  if (typeof docs === 'object' && 'folder' in docs) return [{ path: docs.folder }];
  return [docs].flat().map((entry) => (typeof entry === 'string' ? { path: entry } : entry));
};

/** Whether a path that does not exist is a pattern. */
export const isPattern = (given: string, { authorize }: GuardedPlace): boolean =>
  authorize ? hasWildcards(given) : isDynamicPattern(given);

/** Lists the paths that an entry may mean: as spelled, else with names that are not UTF-8, else in the readable form of a source. */
function possiblePaths(given: string, place: GuardedPlace): string[] {
  const { cwd, authorize } = place;
  const path = resolve(cwd, given);
  if (isUrl(given) || existsSync(encodePath(path))) return [given];
  const spelled = given.includes('\ufffd') && !authorize ? findMangledPaths(path) : [];
  if (spelled.length > 0) return spelled;
  const read = spelledPath(resolve(cwd, unescapePath(given)));
  if (read === path || pathRefusal(absolutePath(read, place), given, place)) return [given]; // whether a refused path exists is not revealed
  return existsSync(encodePath(read)) ? [read] : [given];
}

/**
 * Lists every file that a `docs` input names (files, folders, globs, links), in order, each once. `authorize` is called before a path is examined.
 * Throws `aborted`.
 */
export async function* listDocs(docs: DocsInput, listing: Listing): AsyncGenerator<FoundFile, void, void> {
  const listed = new Set<string>();
  const yieldIfBusy = yieldToEventLoop(listing.signal);
  const entries = docsEntries(docs).flatMap((entry) => possiblePaths(entry.path, listing).map((path) => ({ ...entry, path })));
  for (const entry of entries) {
    yield { input: isUrl(entry.path) ? urlSource(entry.path) : fileSource(absolutePath(entry.path, listing), listing) };
    for await (const found of listEntry(entry, listing)) {
      await yieldIfBusy();
      if ('path' in found) {
        if (listed.has(found.path)) continue;
        listed.add(found.path);
      }
      yield found;
    }
  }
}

async function* listEntry({ path: given, ...words }: Entry, listing: Listing): AsyncGenerator<FoundFile, void, void> {
  if (isUrl(given)) return yield { link: given, ...words };
  const path = absolutePath(given, listing);
  const refused = pathRefusal(path, given, listing);
  if (refused) return yield { failed: given, error: refused };
  const kind = await stat(encodePath(path)).catch((error: NodeJS.ErrnoException) => error);
  if (!(kind instanceof Error)) {
    if (kind.isDirectory() && listing.isState?.(path))
      yield {
        failed: given,
        error: refusedError(`${given} belongs to kb itself and is not searched for documents.`, 'Name the files that you want to read.'),
      };
    else if (kind.isDirectory()) yield* listFolder(given, path, listing);
    else if (kind.isFile()) yield { path, named: true, ...words };
    else
      yield {
        failed: given,
        error: refusedError(`${given} is neither a file nor a folder.`, 'Save its content to a file and use that file.'),
      };
  } else if (kind.code === 'ENOENT' && isPattern(given, listing)) {
    yield* listPattern(given, listing);
  } else {
    yield { failed: given, error: unreadableError(given, kind, listing) };
  }
}

const refusedError = (message: string, hint: string, cause?: Error): KbError => new KbError('usage', message, { hint, cause });

/** Makes the error for an unreadable entry. A server does not reveal the absolute path. */
function unreadableError(given: string, error: NodeJS.ErrnoException, { authorize, cwd }: GuardedPlace): KbError {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
    return refusedError(`${given} cannot be read: ${describeFileError(error, 'read')}.`, 'Check its permissions.', error);
  const path = resolve(cwd, given);
  return authorize || path === given
    ? refusedError(`${given} does not exist.`, 'Check the spelling, and the folder that it begins at.', error)
    : refusedError(`${given} does not exist (looked for ${path}).`, 'Check the spelling and the folder you are in.', error);
}

/** Makes the error for an unreadable path of a folder; one that does not exist is a broken link. */
const unreadableEntry = (name: string, error: NodeJS.ErrnoException, place: GuardedPlace): KbError =>
  isMissing(error) ? refusedError(`${name} is a broken link.`, 'Fix or remove it.', error) : unreadableError(name, error, place);

/** A name with an extension, which is seldom a folder. */
const FILE_NAME = /[^/\\]\.[a-z]\w*$/i;
const isMissing = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT';

/** Maximum files that a notice names. */
const MAX_NAMED = 3;

/** Hint that names the supported kinds of files; a list of extensions would be too long. */
export const READABLE_KINDS = 'kb reads PDF, Word, Excel, PowerPoint, HTML, Markdown, text, mail and more: see the README.';

/** What a folder or pattern leaves out: links that lead out of it, what `.gitignore` excludes, and files of kinds that it is not searched for. */
class LeftOut {
  readonly outside: string[] = [];
  readonly ignored: string[] = [];
  readonly others: string[] = [];

  /** Yields a notice for each, with the setting that reads them. */
  *notices(given: string): Generator<{ notice: string }, void, void> {
    const [links, names] = [this.outside.length, listNames(this.outside, MAX_NAMED)];
    const skipped =
      links === 1
        ? '1 symbolic link was skipped, since it points'
        : `${links.toLocaleString('en')} symbolic links were skipped, since they point`;
    const followed = formatHint(advice`To read what is there as well, add ${setting('ingestion.docs.follow_links', 'true')}.`);
    if (links > 0) yield { notice: `${skipped} to something outside ${escapePath(given)}: ${names}. ${followed}` };
    const excluded = `${count(this.ignored.length, 'file or folder', 'files and folders')}: ${listNames(this.ignored, MAX_NAMED)}`;
    const read = formatHint(advice`To read them as well, add ${setting('ingestion.docs.gitignore', 'false')}.`);
    if (this.ignored.length > 0) yield { notice: `.gitignore excludes ${excluded}. ${read}` };
    if (this.others.length > 0) yield { notice: otherKindsNotice(this.others) };
  }
}

const otherKindsNotice = (sources: readonly string[]): string =>
  `${count(sources.length, 'file')} of code, data or archives not read: ${listNames(sources, MAX_NAMED)}. ${formatHint(advice`To read them as well, add ${setting('ingestion.docs.kinds')}, or name them.`)}`;

async function* listFolder(given: string, root: string, listing: Listing): AsyncGenerator<FoundFile, void, void> {
  const { kinds, reader } = listing;
  const left_out = new LeftOut();
  let [files, supported] = [0, 0];
  let isComplete = true;
  const refused = (path: string) => pathRefusal(absolutePath(path, listing), fileSource(path, listing), listing);
  for await (const found of walk(root, { ...listing, refused })) {
    const name = fileSource(found.path, listing);
    if ('isOutside' in found) {
      left_out.outside.push(name);
      yield { passed_over: name };
    } else if ('excludedBy' in found) {
      const excluded = found.isFolder ? `${name}/` : name;
      if (found.excludedBy === '.gitignore') left_out.ignored.push(excluded);
      yield { passed_over: excluded, isExcluded: true };
    } else if ('error' in found && isMissing(found.error) && FILE_NAME.test(name) && reader.fileType(found.path, kinds) === undefined) {
      yield { passed_over: name }; // its kind is not read anyway
    } else if ('error' in found) {
      const isRefused = found.error instanceof KbError; // it leads out of the scope of this folder
      isComplete &&= isRefused;
      yield { failed: name, error: isRefused ? (found.error as KbError) : unreadableEntry(name, found.error, listing) };
    } else {
      files++;
      if (reader.fileType(found.path, kinds) !== undefined) supported++;
      else if (reader.fileType(found.path) !== undefined) left_out.others.push(name);
      yield { path: absolutePath(found.path, listing), named: false, kinds };
    }
  }
  const others = supported === 0 ? left_out.others.splice(0) : []; // the error names them
  yield* left_out.notices(given);
  if (supported === 0) yield { failed: given, error: noDocumentError(given, { files, others }) };
  else if (isComplete) yield { scope: folderScope(root, listing) };
}

/** Makes the error for a folder without documents. `others` are files of kinds that folders are searched for on demand. */
function noDocumentError(given: string, { files, others }: { files: number; others: readonly string[] }): KbError {
  if (files === 0) return refusedError(`${given} is empty.`, 'Put documents there, or name another folder.');
  const hint = others.length > 0 ? otherKindsNotice(others) : READABLE_KINDS;
  return refusedError(`${given} holds no document of a supported kind, but ${count(files, 'other file')}.`, hint);
}

/** The scope of a folder. An empty folder must have none: it may be an unmounted one, and nothing may be removed for that. */
const folderScope = (root: string, place: GuardedPlace): Scope => ({
  source_kind: 'path',
  covers: (source) => {
    const path = filePathOf(source, place);
    return path !== root && isWithin(root, path);
  },
});

/** A parsed pattern: it covers the files below `root` whose relative paths match. */
interface Pattern {
  root: string;
  files(signal: AbortSignal | undefined): Promise<string[]>;
  matches(inside: string): boolean;
}

/**
 * Lists the files that a pattern matches, in the order of their paths; files outside its base folder only with `follow_links`. With `authorize`, a
 * pattern has only wildcards and follows no links. Files of kb's own state never match. Throws a KbError (`aborted`) if the signal stops it.
 */
async function* listPattern(given: string, place: Listing): AsyncGenerator<FoundFile, void, void> {
  const pattern = place.authorize ? wildcardPattern(given, place) : globPattern(given, place);
  if (pattern instanceof KbError) return yield { failed: given, error: pattern };
  const paths = (await pattern.files(place.signal)).filter((path) => !place.isState?.(absolutePath(path, place)));
  throwIfAborted(place.signal);
  const kinds = /\.[^/]*$/.test(given) ? undefined : place.kinds;
  const left_out = new LeftOut();
  for (const spelled of paths.toSorted(byCodePoints)) {
    const path = absolutePath(spelled, place);
    if (place.follow_links || isWithin(pattern.root, path)) {
      const { fileType } = place.reader;
      if (fileType(path, kinds) === undefined && fileType(path) !== undefined) left_out.others.push(fileSource(path, place));
      yield { path, named: false, kinds };
    } else left_out.outside.push(fileSource(spelled, place));
  }
  for (const source of left_out.outside) yield { passed_over: source };
  yield* left_out.notices(given);
  if (paths.length > 0) yield { scope: patternScope(pattern, place) };
  else
    yield {
      failed: given,
      error: refusedError(
        `${given} matches no file.`,
        place.authorize
          ? 'A pattern may hold *, ** and ?, and follows no links.'
          : 'Quote the pattern, so that the shell does not expand it, and try it with ls.',
      ),
    };
}

/** Compiles a pattern with all features of tinyglobby; only if every path may be read. */
function globPattern(given: string, place: PathPlace): Pattern {
  const { base, glob: rest } = picomatch.scan(given);
  return {
    root: absolutePath(base || '.', place),
    matches: picomatch(rest),
    files: (signal) =>
      glob(given, {
        cwd: place.cwd,
        absolute: true,
        onlyFiles: true,
        ignore: ['**/node_modules/**'],
        expandDirectories: false,
        fs: byteFileSystem as unknown as FileSystemAdapter,
        ...(signal ? { signal } : {}),
      }),
  };
}

function wildcardPattern(given: string, place: GuardedPlace): Pattern | KbError {
  const pattern = parseWildcards(given);
  if (pattern instanceof KbError) return pattern;
  const root = absolutePath(pattern.base, place);
  return (
    pathRefusal(root, given, place) ?? {
      root,
      matches: pattern.matches,
      files: (signal) => pattern.files(root, { isState: place.isState, signal }),
    }
  );
}

/** The scope of a pattern: it covers matching files that do not exist. A path in an unreadable folder counts as existing. */
function patternScope({ root, matches }: Pattern, place: PathPlace): Scope {
  const covers = (path: string) =>
    path !== root && isWithin(root, path) && matches(relative(root, path).split(sep).join('/')) && isAbsent(path);
  return { source_kind: 'path', covers: (source) => covers(filePathOf(source, place)) };
}

function isAbsent(path: string): boolean {
  try {
    return statSync(encodePath(path), { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
