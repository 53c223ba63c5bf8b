import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of kb's own package.json, whether it runs from `src` or from `dist`. */
export const packageRoot: string = (() => {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
})();

/** Reads the version of kb from its package.json. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;

/** Resolves a worker module by its path in `src`: the TypeScript source where kb runs from its sources, else the built file. */
export const workerFile = (path: string): string =>
  import.meta.url.endsWith('.ts') ? join(packageRoot, 'src', `${path}.ts`) : join(packageRoot, 'dist', 'src', `${path}.js`);
