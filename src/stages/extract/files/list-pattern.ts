import { advice, formatHint, setting } from '../../../core/advice/advice.ts';
import { statSync } from 'node:fs';
import { extname, relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { count, listNames } from '../../../text/count.ts';
import { byteFileSystem, escapePath, encodePath } from '../../../core/file-names.ts';
import { KbError } from '../../../core/errors.ts';
import { throwIfAborted } from '../../../core/run.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import type { FileKind } from '../../../schema/config-sources.ts';
import type { Scope } from '../extract.ts';
import { absolutePath, filePathOf, fileSource, type GuardedPlace, isWithin, type PathPlace, pathRefusal } from './local-path.ts';
import { hasWildcards, parseWildcards } from '../../../core/wildcards.ts';

const MAX_NAMED = 3;

/** Hint that names the supported kinds of files; a list of extensions would be too long. */
export const READABLE_KINDS = 'kb reads PDF, Word, Excel, PowerPoint, HTML, Markdown, text, mail and more: see the README.';

/** Notice of links that were not followed: names, reason, and how to follow them. */
export const unfollowedLinksNotice = (links: readonly string[], given: string): string => {
  const skipped =
    links.length === 1
      ? '1 symbolic link was skipped, since it points'
      : `${links.length.toLocaleString('en')} symbolic links were skipped, since they point`;
  return `${skipped} to something outside ${escapePath(given)}: ${listNames(links, MAX_NAMED)}. ${formatHint(advice`To read what is there as well, add ${setting('ingestion.docs.follow_links', 'true')}.`)}`;
};

/** Notice of files and folders that `.gitignore` excludes. */
export const ignoredNotice = (sources: readonly string[]): string =>
  `.gitignore excludes ${count(sources.length, 'file or folder', 'files and folders')}: ${listNames(sources, MAX_NAMED)}. ${formatHint(advice`To read them as well, add ${setting('ingestion.docs.gitignore', 'false')}.`)}`;

/** Notice of empty files. */
export const emptyFilesNotice = (sources: readonly string[]): string =>
  sources.length === 1
    ? `A file has no text and was passed over: ${listNames(sources, MAX_NAMED)}.`
    : `${sources.length.toLocaleString('en')} files have no text and were passed over: ${listNames(sources, MAX_NAMED)}.`;

/** Notice of files that no parser reads: their names if they are few, else their extensions. */
export const unknownKindsNotice = (sources: readonly string[], { conversionOf }: Pick<DocumentReader, 'conversionOf'>): string => {
  const endings = [...new Set(sources.map((source) => extname(source) || 'no ending'))].toSorted();
  const named = listNames(sources.length <= MAX_NAMED ? sources : endings, MAX_NAMED);
  const [command] = sources.flatMap((source) => conversionOf(source) ?? []);
  const skipped = `${count(sources.length, 'file')} of kinds that kb does not read ${sources.length === 1 ? 'was' : 'were'} passed over: ${named}.`;
  return command ? `${skipped} A command that converts one: ${command}` : skipped;
};

/** Notice of files in a folder of kinds that it was not searched for. */
export const otherKindsNotice = (sources: readonly string[]): string =>
  `${count(sources.length, 'file')} of code, data or archives not read: ${listNames(sources, MAX_NAMED)}. ${formatHint(advice`To read them as well, add ${setting('ingestion.docs.kinds')}, or name them.`)}`;

/** A parsed pattern: it covers the files below `root` whose relative paths match. */
interface Pattern {
  root: string;
  files(signal: AbortSignal | undefined): Promise<string[]>;
  matches(inside: string): boolean;
}

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

/** Whether a path that does not exist is a pattern. */
export const isPattern = (given: string, { authorize }: GuardedPlace): boolean =>
  authorize ? hasWildcards(given) : isDynamicPattern(given);

/**
 * Lists the files that a pattern matches, in the order of their paths; files outside its base folder only with `follow_links`. With `authorize`, a
 * pattern has only wildcards and follows no links. Files of kb's own state never match. Throws a KbError (`aborted`) if the signal stops it.
 */
export async function* listPattern(given: string, place: Listing): AsyncGenerator<FoundFile, void, void> {
  const pattern = place.authorize ? wildcardPattern(given, place) : globPattern(given, place);
  if (pattern instanceof KbError) return yield { failed: given, error: pattern };
  const paths = (await pattern.files(place.signal)).filter((path) => !place.isState?.(absolutePath(path, place)));
  throwIfAborted(place.signal);
  const kinds = /\.[^/]*$/.test(given) ? undefined : place.kinds;
  const outside: string[] = [];
  const others: string[] = [];
  const isOther = (path: string) => place.reader.fileType(path, kinds) === undefined && place.reader.fileType(path) !== undefined;
  for (const spelled of paths.toSorted((a, b) => (a < b ? -1 : 1))) {
    const path = absolutePath(spelled, place);
    if (place.follow_links || isWithin(pattern.root, path)) {
      if (isOther(path)) others.push(fileSource(path, place));
      yield { path, named: false, kinds };
    } else outside.push(fileSource(spelled, place));
  }
  for (const source of outside) yield { passed_over: source };
  if (outside.length > 0) yield { notice: unfollowedLinksNotice(outside, given) };
  if (others.length > 0) yield { notice: otherKindsNotice(others) };
  if (paths.length > 0) yield { scope: patternScope(pattern, place) };
  else yield { failed: given, error: noMatchError(given, place) };
}

const noMatchError = (given: string, { authorize }: GuardedPlace): KbError =>
  new KbError('usage', `${given} matches no file.`, {
    hint: authorize
      ? 'A pattern may hold *, ** and ?, and follows no links.'
      : 'Quote the pattern, so that the shell does not expand it, and try it with ls.',
  });

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
