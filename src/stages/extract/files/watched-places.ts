import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import picomatch from 'picomatch';
import { systemPath } from '../../../core/file-names.ts';
import type { DocsInput } from '../../../schema/source-entries.ts';
import { isUrl } from '../pages/network.ts';
import { docsEntries } from './list-files.ts';
import { isPattern } from './list-pattern.ts';
import { absolutePath, type PathPlace } from './local-path.ts';

/** A folder whose changes matter, absolute and real: with what lies in its folders, or a single file of it. */
export interface WatchedPlace {
  folder: string;
  /** The one file that matters; absent: all files, also those of the folders in it. */
  file?: string;
}

/** The folders in which the files of a `docs` input lie. Links lie in none; a folder that does not exist is left out. */
export function watchedPlaces(docs: DocsInput, place: PathPlace): WatchedPlace[] {
  return docsEntries(docs).flatMap(({ path: given }): WatchedPlace[] => {
    if (isUrl(given)) return [];
    const path = absolutePath(given, place);
    if (isFolder(path)) return [{ folder: path }];
    if (!existsSync(systemPath(path)) && isPattern(given, place)) {
      const base = absolutePath(picomatch.scan(given).base || '.', place);
      return isFolder(base) ? [{ folder: base }] : [];
    }
    return isFolder(dirname(path)) ? [{ folder: dirname(path), file: path }] : [];
  });
}

const isFolder = (path: string): boolean => statSync(systemPath(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
