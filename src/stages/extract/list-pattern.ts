import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import picomatch from 'picomatch';
import { glob, isDynamicPattern } from 'tinyglobby';
import { KbError } from '../../base/errors.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { Scope } from './candidate.ts';
import { absolutePath, isWithin, pathOf, refusal, type GuardedPlace, type Place } from './local-path.ts';
import { hasWildcards, wildcards } from './wildcards.ts';

/** What a pattern stands for: the files below `root` whose paths from there `matches` holds for. */
interface Pattern {
  root: string;
  files(signal: AbortSignal | undefined): Promise<string[]>;
  matches(inside: string): boolean;
}

type FoundByPattern = { path: string; named: false } | { failed: string; error: KbError } | { scope: Scope };

/** Whether what was given is to be taken for a pattern where no file has that name. */
export const isPattern = (given: string, { authorize }: GuardedPlace): boolean =>
  authorize ? hasWildcards(given) : isDynamicPattern(given);

/**
 * The files that a pattern matches, in the order of their paths. Where not every path may be read, a pattern has wildcards alone, follows no links,
 * and begins at a folder that may be read. Throws a KbError (`aborted`) when the signal stops it.
 */
export async function* listPattern(given: string, place: GuardedPlace, signal?: AbortSignal): AsyncGenerator<FoundByPattern, void, void> {
  const pattern = place.authorize ? guarded(given, place) : whole(given, place);
  if (pattern instanceof KbError) return yield { failed: given, error: pattern };
  const paths = await pattern.files(signal);
  throwIfAborted(signal);
  for (const path of paths.toSorted((a, b) => (a < b ? -1 : 1))) yield { path: absolutePath(path, place), named: false };
  if (paths.length > 0) yield { scope: scopeOf(pattern, place) };
  else yield { failed: given, error: matchesNothing(given, place) };
}

const matchesNothing = (given: string, { authorize }: GuardedPlace): KbError =>
  new KbError('usage', `${given} matches no file.`, {
    hint: authorize
      ? 'A pattern may hold *, ** and ?, and follows no links.'
      : 'Quote the pattern, so that the shell does not expand it, and try it with ls.',
  });

/** All that tinyglobby knows, for a person who may read what they like. */
function whole(given: string, place: Place): Pattern {
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
        ...(signal ? { signal } : {}),
      }),
  };
}

function guarded(given: string, place: GuardedPlace): Pattern | KbError {
  const pattern = wildcards(given);
  if (pattern instanceof KbError) return pattern;
  const root = absolutePath(pattern.base, place);
  return refusal(root, given, place) ?? { root, matches: pattern.matches, files: (signal) => pattern.files(root, signal) };
}

/**
 * What a pattern would match and is not there, below the folder that it begins with: that one is known by its real path, as the sources are. A file
 * in a folder that may not be read is there: such a folder is passed over without a word.
 */
function scopeOf({ root, matches }: Pattern, place: Place): Scope {
  const covers = (path: string) =>
    path !== root && isWithin(root, path) && matches(relative(root, path).split(sep).join('/')) && isAbsent(path);
  return { source_kind: 'path', covers: (source) => covers(pathOf(source, place)) };
}

function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
