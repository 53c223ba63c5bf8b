import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemPath } from '../../core/file-names.ts';
import type { StoredSource } from '../../ports/stores.ts';
import { filePathOf, fileSource, type PathPlace } from '../../stages/extract/files/local-path.ts';
import type { Origins } from '../../stages/ingest/inventory.ts';

/** What is known of the files of the configured sources, so that not all of them have to be read. */
export interface KnownChanges {
  /** Whether a file may have changed since it was last looked at, by its absolute and real path. */
  isChanged(path: string): boolean;
  /** Sources of which nothing is stored because they could not be read; to read them again would end the same. */
  unreadable: ReadonlySet<string>;
}

type Stored = ReadonlyMap<string, StoredSource>;

/** Tells by its path whether a file is stored as it is, or known to be unreadable. */
export const unchangedIn =
  ({ isChanged, unreadable }: KnownChanges, before: Stored, place: PathPlace) =>
  (path: string): boolean => {
    const source = fileSource(path, place);
    return !isChanged(path) && (before.has(source) || unreadable.has(source));
  };

/** Stored files that were removed from their folders: also the last of one, which would else be taken for a folder that is not mounted. */
export const removedIn = ({ isChanged }: KnownChanges, before: Stored, place: PathPlace): string[] =>
  [...before.values()].flatMap(({ source, source_kind }) => {
    const path = source_kind === 'path' ? filePathOf(source, place) : undefined;
    return path !== undefined && isChanged(path) && !isThere(path) && isThere(dirname(path)) ? [source] : [];
  });

const isThere = (path: string): boolean => existsSync(systemPath(path));

/** Those of configured files and folders alone: what else is configured is not looked at. */
export const ofDocs = (origins: Origins): Origins => new Map([...origins].filter(([, input]) => input.startsWith('docs ')));
