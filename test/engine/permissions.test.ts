import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeLayers, readOverrides, type Layer } from '../../src/core/settings.ts';
import { stateFilter } from '../../src/engine/state-files.ts';
import { requestOptionsOf } from '../../src/engine/resources.ts';
import { operations, type OperationName } from '../../src/schema/operations.ts';
import { assertPermitted, requestedCollections } from '../../src/engine/permissions.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { folder } from '../support/folder.ts';

/** The check of a request, as a server makes it. */
function permission(configured: Layer = {}, home = folder()) {
  const config = Config.parse(mergeLayers(DEFAULTS, configured));
  return (name: OperationName, request: object) => {
    const layer = readOverrides(operations[name].input, request);
    const settings = Config.parse(mergeLayers(config, layer));
    const requestOptions = requestOptionsOf(settings.storage.vector_db, {});
    assertPermitted({ layer, settings, config, home, cwd: home, isState: stateFilter({ config, home }), requestOptions });
  };
}

describe('a network request', () => {
  const places = (options: object) =>
    [
      ['retrieve', { options }],
      ['query', { retrieval: { options } }],
      ['store', { options }],
      ['edit', { options }],
      ['ingest', { storage: { options } }],
    ] as [OperationName, object][];

  it('cannot set where a store is and who it is accessed as; the refusal names the option', () => {
    for (const vector_db of ['lancedb', 'qdrant'])
      for (const name of ['url', 'host', 'port', 'apiKey', 'api_key', 'headers', 'endpoint', '__proto__x'])
        for (const [operation, request] of places({ [name]: 'x' }))
          expect(() => permission({ storage: { vector_db } })(operation, request)).toThrow(
            `storage.options.${name} can't be set in a request`,
          );
    expect(() => permission()('store', { options: {} })).not.toThrow();
  });

  it('may set the options that the store allows', () => {
    const [permit, other] = [permission({ storage: { vector_db: 'qdrant' } }), permission()];
    for (const options of [{ timeout: 5 }, { consistency: 'majority' }, { shard_number: 2 }])
      for (const [operation, request] of places(options)) {
        expect(() => permit(operation, request)).not.toThrow();
        expect(() => other(operation, request)).toThrow("can't be set in a request");
      }
    expect(() => permit('retrieve', { options: { timeout: 5, url: 'http://127.0.0.1:9' } })).toThrow('storage.options.url');
  });

  it('may set the options that a store of the calling program allows', () => {
    const open = Object.assign(() => expect.unreachable(), { requestOptions: ['timeout'] });
    expect(requestOptionsOf('own', { stores: { own: open } })).toEqual(['timeout']);
    expect(requestOptionsOf('own', { stores: { own: () => expect.unreachable() } })).toEqual([]);
    expect(requestOptionsOf('constructor', {})).toEqual([]);
  });

  it('opens the configured store however its address is spelled', () => {
    const home = folder();
    const qdrant = permission({ storage: { vector_db: 'qdrant', url: 'http://Search.example:6333/' } }, home);
    for (const url of ['http://search.example', 'http://search.example:6333', 'HTTP://search.example.:6333/'])
      expect(() => qdrant('retrieve', { url })).not.toThrow();
    for (const url of ['http://search.example:80', 'https://search.example', 'http://search.example/other', 'http://127.0.0.1:80'])
      expect(() => qdrant('retrieve', { url })).toThrow('may not use the store named');
    for (const url of ['http://localhost', 'http://127.0.0.1:6333/']) expect(() => qdrant('retrieve', { url })).not.toThrow();
    const lancedb = permission({ server: { allowed_roots: [join(home, 'docs')] } }, home);
    expect(() => lancedb('retrieve', { url: join(home, '.kb/../.kb/lancedb/') })).not.toThrow();
    expect(() => lancedb('retrieve', { url: join(home, 'elsewhere') })).toThrow('outside the folders');
  });
});

describe('an operation', () => {
  it('that opens the store names its collections, except those that list what the caller may use', () => {
    const opening = (Object.keys(operations) as OperationName[]).filter((name) =>
      operations[name].sections.some((section) => section.startsWith('storage') || section === 'collection'),
    );
    const silent = opening.filter(
      (name) => requestedCollections(name, { name: 'default', store: true }, DEFAULTS).length === 0 || !namesIt(name),
    );
    expect(silent).toEqual(['list_collections', 'list_snapshots']);
  });

  it('that only converts uploaded files has none', () => {
    expect(requestedCollections('upload', { files: [] }, DEFAULTS)).toEqual([]);
  });

  it('that copies a collection has both', () => {
    expect(requestedCollections('copy_collection', { name: 'default', to: 'spare' }, DEFAULTS)).toEqual(['default', 'spare']);
  });
});

/** Whether its settings name a collection, or its request must. */
const namesIt = (name: OperationName): boolean =>
  operations[name].sections.includes('collection' as never) || !operations[name].input.safeParse({}).success;
