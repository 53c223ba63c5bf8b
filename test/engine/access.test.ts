import { describe, expect, it } from 'vitest';
import { collectionsOf } from '../../src/engine/permissions.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import { operations, type OperationName } from '../../src/schema/operations.ts';

describe('an operation', () => {
  it('that opens the store says which collections it is about, but for those that list what their caller may use', () => {
    const opening = (Object.keys(operations) as OperationName[]).filter((name) =>
      operations[name].sections.some((section) => section.startsWith('storage') || section === 'collection'),
    );
    const silent = opening.filter((name) => collectionsOf(name, { name: 'default', store: true }, DEFAULTS).length === 0 || !namesIt(name));
    expect(silent).toEqual(['list_collections', 'list_snapshots']);
  });

  it('that only converts uploaded files is about none', () => {
    expect(collectionsOf('upload', { files: [] }, DEFAULTS)).toEqual([]);
  });

  it('that copies a collection is about both', () => {
    expect(collectionsOf('copy_collection', { name: 'default', to: 'spare' }, DEFAULTS)).toEqual(['default', 'spare']);
  });
});

/** Whether its settings name a collection, or its request must. */
const namesIt = (name: OperationName): boolean =>
  operations[name].sections.includes('collection' as never) || !operations[name].input.safeParse({}).success;
