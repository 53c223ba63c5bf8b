import { resolve } from 'node:path';
import { KbError } from '../base/errors.ts';
import { isWithin, realPath, type Place } from '../stages/extract/local-path.ts';

/** The folders that a server may read: `allowed_roots`, relative to `home`; `cwd` where the operator lists none. */
export interface Roots extends Place {
  allowed_roots: readonly string[] | undefined;
}

/**
 * Makes what throws a KbError (`forbidden`) for a path that does not lie in one of the folders. The path is absolute and real (`realPath`), the folders
 * are made real here, once: by their real names no spelling and no link leads out. Neither need exist yet. The message calls the path `given`, as the
 * caller spelled it: what it leads to is not theirs to know.
 */
export function authorizer({ allowed_roots, home, cwd }: Roots): (path: string, given?: string) => void {
  const folders = allowed_roots?.map((root) => resolve(home, root)) ?? [resolve(cwd)];
  const roots = folders.map((folder) => realPath(folder));
  return (path, given = 'The path') => {
    if (roots.some((root) => isWithin(root, path))) return;
    throw new KbError('forbidden', `${given} lies outside the folders that the server may read.`, {
      hint: 'The operator lists them in server.allowed_roots.',
    });
  };
}
