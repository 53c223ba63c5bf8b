import { readdir, realpath, stat, type Dirent, type Stats } from 'node:fs';
import { pathFrom, systemPath } from './file-names.ts';

type Done<Result> = (error: Error | null, result?: Result) => void;

/** What tinyglobby asks of `node:fs`, for paths whose names need not be UTF-8 (`pathFrom`). */
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
