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

/** Resolves a worker module beside the caller: the TypeScript source in a checkout, the compiled file in `dist`. */
export const workerFile = (from: string, name: string): string =>
  fileURLToPath(new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from));
