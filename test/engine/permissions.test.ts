import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layered, settingsIn, type Layer } from '../../src/base/settings.ts';
import { operations, type OperationName } from '../../src/engine/operations.ts';
import { assertPermitted } from '../../src/engine/permissions.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { folder } from '../support/folder.ts';

/** The check of a request, as a server makes it. */
function permission(configured: Layer = {}, home = folder()) {
  const config = Config.parse(layered(DEFAULTS, configured));
  return (name: OperationName, request: object) => {
    const layer = settingsIn(operations[name].input, request);
    assertPermitted({ layer, settings: Config.parse(layered(config, layer)), config, home, cwd: home });
  };
}

describe('a request over the network', () => {
  it('says nothing about how a store is reached', () => {
    const permit = permission();
    for (const options of [{ endpoint: 'http://127.0.0.1:9' }, { timeout: 1 }])
      for (const [name, request] of [
        ['retrieve', { options }],
        ['query', { retrieval: { options } }],
        ['store', { options }],
        ['edit', { options }],
        ['ingest', { storage: { options } }],
      ] as [OperationName, object][])
        expect(() => permit(name, request)).toThrow("storage.options can't be set in a request");
    expect(() => permit('store', { options: {} })).not.toThrow();
  });

  it('opens the configured store however it is spelled', () => {
    const home = folder();
    const qdrant = permission({ storage: { vector_db: 'qdrant', url: 'http://Search.example:6333/' } }, home);
    for (const url of ['http://search.example', 'http://search.example:6333', 'HTTP://search.example.:6333/'])
      expect(() => qdrant('retrieve', { url })).not.toThrow();
    for (const url of ['http://search.example:80', 'https://search.example', 'http://search.example/other', 'http://127.0.0.1:80'])
      expect(() => qdrant('retrieve', { url })).toThrow('none that this server may use');
    for (const url of ['http://localhost', 'http://127.0.0.1:6333/']) expect(() => qdrant('retrieve', { url })).not.toThrow();
    const lancedb = permission({ server: { allowed_roots: [join(home, 'docs')] } }, home);
    expect(() => lancedb('retrieve', { url: join(home, '.kb/../.kb/lancedb/') })).not.toThrow();
    expect(() => lancedb('retrieve', { url: join(home, 'elsewhere') })).toThrow('outside the folders');
  });
});
