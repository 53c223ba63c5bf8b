import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/ports/engines.ts';
import { engineIn, result } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';
import { openSite } from '../support/site.ts';

const MARKER = 'Zwackelhorn';

/** A document that holds the marker in its text, headings, title, metadata and links. */
const SECRET = `---
title: ${MARKER} report
owner: ${MARKER}
---

# The ${MARKER}

The word of the month is ${MARKER}, see [the plan](https://example.invalid/${MARKER}).
`;

/** Files below the store that hold the marker, in whatever case: indexes hold words in lower case. */
const holders = (home: string): string[] =>
  (readdirSync(join(home, '.kb'), { recursive: true, withFileTypes: true }) as { name: string; parentPath: string; isFile(): boolean }[])
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(MARKER.toLowerCase()));

/** Enough documents that the deletion of one does not make LanceDB rewrite the others. */
const OTHERS = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [`docs/note-${i}.md`, `# Note ${i}\n\nNote ${i} is about pier ${i}.`]),
);

const WAYS: Record<string, (engine: Engine, home: string) => Promise<unknown>> = {
  'is deleted by name': (engine) => result(engine, 'delete_source', { name: 'default', id: 'docs/secret.md' }),
  'is deleted by a filter': (engine) => result(engine, 'delete', { filter: { owner: MARKER } }),
  'is replaced': async (engine, home) => {
    write(home, { 'docs/secret.md': '# Public\n\nNothing to see here.' });
    await result(engine, 'ingest', { docs: 'docs' });
  },
  'is pruned': async (engine, home) => {
    rmSync(join(home, 'docs/secret.md'));
    await result(engine, 'ingest', { docs: 'docs', prune: true });
  },
  'is in a collection that is dropped': async (engine) => {
    await result(engine, 'ingest', { docs: 'docs/note-1.md', storage: { collection: 'rest' } });
    await result(engine, 'drop_collection', { name: 'default' });
  },
};

describe('the text of a document', () => {
  it.each(Object.entries(WAYS))('that %s is in no file of the store after optimizing', async (way, remove) => {
    const home = folder({ ...OTHERS, 'docs/secret.md': SECRET });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    await result(engine, 'optimize_collection', {});
    expect(holders(home)).not.toEqual([]);
    await remove(engine, home);
    if (way.includes('dropped')) return expect(holders(home)).toEqual([]);
    await result(engine, 'optimize_collection', {});
    expect(holders(home)).toEqual([]);
    const { items } = await result(engine, 'retrieve', { query: 'pier 17' });
    expect(items[0]!.metadata.source).toBe('docs/note-17.md');
  });

  it('stays in a snapshot, which is removed by its own name', async () => {
    const home = folder({ 'docs/a.md': '# A\n\nAbout piers.', 'docs/secret.md': SECRET });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    await result(engine, 'create_snapshot', { name: 'kept' });
    await result(engine, 'delete_source', { name: 'default', id: 'docs/secret.md' });
    await result(engine, 'optimize_collection', {});
    expect(holders(home)).not.toEqual([]);
    await result(engine, 'delete_snapshot', { name: 'kept' });
    expect(holders(home)).toEqual([]);
  });
});

it('the links of a deleted page are in no file of the store after optimizing', async () => {
  const page = (title: string, ...links: string[]) =>
    `<html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>The page about ${title} has a sentence.</p>${links.map((link) => `<a href="${link}">More about ${title}</a>`).join(' ')}</main></body></html>`;
  const site = await openSite({ '/': page('piers', '/b'), '/b': page(MARKER, `/${MARKER}`, '/'), [`/${MARKER}`]: page('nothing') });
  onTestFinished(() => site.close());
  const home = folder();
  const engine = engineIn(home);
  await result(engine, 'ingest', { urls: { url: `${site.url}/`, mode: 'full', max_pages: 2 } });
  const memory = join(home, '.kb/lancedb/.pages/default.jsonl');
  expect(holders(home)).toContain(memory);
  await result(engine, 'delete_source', { name: 'default', id: `${site.url}/b` });
  await result(engine, 'optimize_collection', {});
  expect(holders(home)).toEqual([]);
  expect(readFileSync(memory, 'utf8')).toContain(`${site.url}/`);
  await result(engine, 'ingest', { urls: `${site.url}/` });
  expect(site.hits.filter(({ url }) => url === '/')).toHaveLength(2);
});
