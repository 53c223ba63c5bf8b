import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { storeFolder } from '../engine/store-address.ts';

/**
 * Finds the nearest folder above with a knowledge base, if this folder has none and nothing says which is meant: for a hint to someone in
 * the wrong folder.
 */
export function baseAbove({ config: { storage }, file, home }: Pick<LoadedConfig, 'config' | 'file' | 'home'>): string | undefined {
  if (file !== undefined || storage.url !== undefined || storage.vector_db !== 'lancedb') return undefined;
  for (let folder = home; ; folder = dirname(folder)) {
    if (existsSync(storeFolder(storage, folder))) return folder === home ? undefined : folder;
    if (folder === dirname(folder)) return undefined;
  }
}
