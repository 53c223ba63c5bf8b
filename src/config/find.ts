import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { KbError } from '../base/errors.ts';

export const CONFIG_NAME = 'kb.config.yaml';

/** The configuration file: the one that is named, else the nearest `kb.config.yaml` from `cwd` upwards, else none. */
export function findConfig(cwd: string, named?: string): string | undefined {
  if (named) {
    const path = resolve(cwd, named);
    if (existsSync(path)) return path;
    throw new KbError('configuration', `The configuration file ${named} does not exist.`, {
      hint: 'Name another with --config, or write one with kb init.',
    });
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, CONFIG_NAME);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}
