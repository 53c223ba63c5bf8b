import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lists the modules in a file of the build, by the comments that begin them; a minified file has none and stands for itself. */
export function modulesIn(file: string): string[] {
  const begun = Array.from(
    readFileSync(file, 'utf8').matchAll(/^\/\/ ((?:src|packages|commands|node_modules)\/\S+)$/gm),
    ([, path]) => path!,
  );
  return begun.length > 0 ? begun : [file];
}

/** Lists the files of the build that are loaded with one, itself included: what is imported on demand is not, unless it is `asked` for in that file. */
export function loadedWith(file: string, { asked = false } = {}): string[] {
  const found = new Set([file]);
  for (const path of found) {
    const text = readFileSync(path, 'utf8');
    const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];$/gm)];
    if (asked && path === file) imports.push(...text.matchAll(/\bimport\(["'](\.[^"']+)["']\)/g));
    for (const [, name] of imports) found.add(join(dirname(path), name!));
  }
  return [...found];
}
