import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findStoreAbove } from '../../src/cli/command.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import { folder } from '../support/folder.ts';

describe('the store in a parent folder', () => {
  /** A folder in a folder that has a base. */
  function within() {
    const home = folder({ '.kb/lancedb/x': '', 'docs/guides/a.md': '' });
    const guides = join(home, 'docs/guides');
    return { home, guides, loaded: { config: DEFAULTS, file: undefined, home: guides } };
  }

  it('is found for a folder without one', () => {
    const { home, loaded } = within();
    expect(findStoreAbove(loaded)).toBe(home);
  });

  it('is not searched for if a file or a key chooses the store', () => {
    const { guides, loaded } = within();
    expect(findStoreAbove({ ...loaded, file: join(guides, 'kb.config.yaml') })).toBeUndefined();
    expect(findStoreAbove({ ...loaded, config: { ...DEFAULTS, storage: { ...DEFAULTS.storage, url: 'base' } } })).toBeUndefined();
    expect(findStoreAbove({ ...loaded, config: { ...DEFAULTS, storage: { ...DEFAULTS.storage, vector_db: 'qdrant' } } })).toBeUndefined();
  });

  it('is not searched for from a folder with its own store', () => {
    const { home, guides, loaded } = within();
    expect(findStoreAbove({ ...loaded, home })).toBeUndefined();
    mkdirSync(join(guides, '.kb/lancedb'), { recursive: true });
    expect(findStoreAbove(loaded)).toBeUndefined();
  });
});
