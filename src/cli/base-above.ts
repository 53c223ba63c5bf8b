import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { storeFolder } from '../engine/store-address.ts';

/** The nearest folder above the one where kb runs that has a base, where this one has none and nothing says which is meant: someone who is in the wrong folder is told. */
export function baseAbove({ config: { storage }, file, home }: Pick<LoadedConfig, 'config' | 'file' | 'home'>): string | undefined {
  if (file !== undefined || storage.url !== undefined || storage.vector_db !== 'lancedb') return undefined;
  for (let folder = home; ; folder = dirname(folder)) {
    if (existsSync(storeFolder(storage, folder))) return folder === home ? undefined : folder;
    if (folder === dirname(folder)) return undefined;
  }
}
