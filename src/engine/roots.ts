import { resolve } from 'node:path';
import { KbError } from '../base/errors.ts';
import { isWithin, realPath, type Place } from '../stages/extract/local-path.ts';

/** The folders that a server may read: `allowed_roots`, relative to `home`; `cwd` where the operator lists none. */
export interface Roots extends Place {
  allowed_roots: readonly string[] | undefined;
}

/**
 * Whether an absolute path lies in one of the folders, both with their links resolved: by their real names, so that no spelling and no link leads out.
 * Neither need exist yet: of what does not, the nearest folder that does is judged.
 */
export function isInsideRoots(path: string, { allowed_roots, home, cwd }: Roots): boolean {
  const roots = allowed_roots?.map((root) => resolve(home, root)) ?? [resolve(cwd)];
  const real = realPath(path);
  return roots.some((root) => isWithin(realPath(root), real));
}

/**
 * What throws a KbError (`forbidden`) for an absolute path that does not lie in the folders. Its message calls the path `given`, as the caller spelled
 * it: what it leads to is not theirs to know.
 */
export const authorizer =
  (roots: Roots) =>
  (path: string, given = 'The path'): void => {
    if (isInsideRoots(path, roots)) return;
    throw new KbError('forbidden', `${given} lies outside the folders that the server may read.`, {
      hint: 'The operator lists them in server.allowed_roots.',
    });
  };
