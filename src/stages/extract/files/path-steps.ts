import { join, parse, resolve, sep } from 'node:path';
import { existingPath, isWithin, linkTarget } from './local-path.ts';

/**
 * Where an absolute path may come to lead to something else: paths in real folders, of its end, of its links and what they lead to, of what is missing,
 * and of all folders below `home`. Only what has not been `met` yet.
 */
export function* pathSteps(path: string, home: string, met: Set<string>): Generator<string, void, void> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).filter(Boolean);
  let folder = root;
  for (const [i, name] of names.entries()) {
    const step = join(folder, name);
    const [found, target] = [existingPath(step), linkTarget(step)];
    const matters = found === undefined || target !== undefined || i === names.length - 1 || isWithin(home, folder);
    if (matters && !met.has(step)) {
      met.add(step);
      yield step;
      if (target !== undefined) yield* pathSteps(resolve(folder, target), home, met);
    }
    if (found === undefined) return;
    folder = found;
  }
}
