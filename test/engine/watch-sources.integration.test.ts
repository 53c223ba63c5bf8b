import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';
import { openSite } from '../support/site.ts';
import { PATIENCE, watching } from '../support/watching.ts';

const FILES = { 'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n', 'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n' };
const WAITS = { interval: 3600 };

/** An engine whose configured sources are watched, and the folder of both. */
function base(files: Record<string, string> = FILES, settings: Layer = {}) {
  const home = folder(files);
  return { home, engine: engineIn(home, { ...WORDS, sources: { docs: 'docs' }, watch: WAITS, ...settings }) };
}

describe('a watch of files', () => {
  it('stores existing files, then added, changed, moved and removed ones, also the last file', async () => {
    const { home, engine } = base();
    const { says, said, stop } = watching(engine);
    await says(/^Stored 2 chunks of 2 documents\.$/);
    expect(said[0]).toBe('Watching 1 folder. Everything is read again every 3600 s.');
    const becomes = async (sources: string[]) =>
      await vi.waitFor(async () => expect(await sourcesIn(engine), said.join('\n')).toEqual(sources), PATIENCE);
    write(home, { 'docs/new/deep/lamp.md': '# Lamp\n\nThe lamp is lit at six.\n' });
    await becomes(['docs/bell.md', 'docs/gate.md', 'docs/new/deep/lamp.md']);
    renameSync(join(home, 'docs/new'), join(home, 'docs/old'));
    await becomes(['docs/bell.md', 'docs/gate.md', 'docs/old/deep/lamp.md']);
    write(home, { 'docs/old/deep/lamp.md': '# Lamp\n\nThe lamp stays dark.\n' });
    await vi.waitFor(async () => {
      const { items } = await result(engine, 'retrieve', { query: 'lamp dark', mode: 'text' });
      expect(items[0]?.text).toContain('stays dark');
    }, PATIENCE);
    rmSync(join(home, 'docs/old'), { recursive: true });
    rmSync(join(home, 'docs/bell.md'));
    await becomes(['docs/gate.md']);
    rmSync(join(home, 'docs/gate.md'));
    await becomes([]);
    expect(await stop()).toMatchObject({ stored: 5, failed: expect.any(Number) });
  });

  it('releases the collection when its reader stops during an ingest', async () => {
    const { engine } = base();
    for await (const { stage } of engine.run('watch', {})) if (stage === 'ingest') break;
    const again = result(engine, 'ingest', { markdown: '# Lamp\n\nThe lamp is lit at six.\n' });
    await vi.waitFor(async () => expect(await sourcesIn(engine)).toContain('markdown'), PATIENCE);
    expect(await again).toMatchObject({ stored: 1 });
  });

  it('embeds a burst of writes once, and only the changed file', async () => {
    const { server, settings, texts } = await modelServer();
    const { home, engine } = base(FILES, settings);
    const { says, said } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    server.requests.length = 0;
    for (let draft = 0; draft < 10; draft++) write(home, { 'docs/gate.md': `# Gate\n\nDraft ${draft}.\n` });
    await says(/^Stored 1 chunk of 1 document\.$/, before);
    expect(texts()).toHaveLength(1);
    expect(texts()[0]).toContain('Draft 9');
  });

  it('reads once after a storm of changes, in bounded memory', async () => {
    const { home, engine } = base();
    const { says, said, stop } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    const [gate, spare] = [join(home, 'docs/gate.md'), join(home, 'docs/spare')];
    for (let i = 0; i < 10_000; i++) utimesSync(gate, i, i);
    for (let i = 0; i < 500; i++) {
      mkdirSync(spare);
      rmSync(spare, { recursive: true });
    }
    write(home, { 'docs/gate.md': '# Gate\n\nThe gate stays open.\n' });
    await says(/^Stored 1 chunk of 1 document\.$/, before);
    expect(said.slice(before).filter((line) => line.startsWith('Changed: ')).length).toBeLessThanOrEqual(2);
    expect(await stop()).toMatchObject({ stored: 3, failed: 0 });
  });

  it('applies the metadata of a new kb.meta.yaml to everything below', async () => {
    const { home, engine } = base();
    const { says, said } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    write(home, { 'docs/kb.meta.yaml': '"*.md": {region: north}\n' });
    await says(/^Stored 2 chunks/, before);
    expect((await result(engine, 'list_sources', { name: 'default', filter: { region: 'north' } })).total).toBe(2);
  });

  it('sees a named file, and none beside it', async () => {
    const { home, engine } = base(FILES, { sources: { docs: ['docs/gate.md'] } });
    const { says, said } = watching(engine);
    await says(/^Stored 1 chunk/);
    const before = said.length;
    write(home, { 'docs/bell.md': '# Bell\n\nIt is silent.\n' });
    write(home, { 'docs/gate.md': '# Gate\n\nIt stays open.\n' });
    await says(/^Stored 1 chunk/, before);
    expect(said[before]).toBe('Changed: docs/gate.md.');
  });

  it('ignores hidden files and what a new ignore file excludes', async () => {
    const { home, engine } = base();
    const { says, said } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    write(home, { 'docs/.draft.md': 'x', 'docs/node_modules/x.md': 'x' });
    write(home, { 'docs/.kbignore': 'bell.md\n' });
    await says(/^Removed 1 document\.$/, before);
    expect(said.slice(before).join('\n')).not.toMatch(/draft|node_modules/);
    expect(await sourcesIn(engine)).toEqual(['docs/gate.md']);
  });

  it('ignores the temporary files of an editor', async () => {
    const { home, engine } = base();
    const { says, said } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    for (const name of ['.gate.md.swp', '4913', 'gate.md~', '#gate.md#', '.#gate.md', '~$gate.docx', 'gate.md___jb_tmp___'])
      write(home, { [`docs/${name}`]: 'x' });
    write(home, { 'docs/gate.md': '# Gate\n\nThe gate is locked at nine.\n' });
    await says(/^Stored 1 chunk/, before);
    expect(said.slice(before).filter((line) => line.startsWith('Changed:'))).toEqual(['Changed: docs/gate.md.']);
  });

  it('reports an unreadable file once, until it changes', async () => {
    const { home, engine } = base({ ...FILES, 'docs/broken.pdf': 'no PDF at all' });
    const { says, said } = watching(engine);
    await says(/broken\.pdf/);
    write(home, { 'docs/gate.md': '# Gate\n\nIt stays open.\n' });
    await says(/^Stored 1 chunk of 1 document\.$/);
    expect(said.filter((line) => line.includes('broken.pdf'))).toHaveLength(1);
    const before = said.length;
    write(home, { 'docs/broken.pdf': 'still none' });
    await says(/1 failure/, before);
  });

  it('ignores what the store writes into a watched folder', async () => {
    const { home, engine } = base(FILES, { sources: { docs: '.' }, storage: { url: 'base' } });
    const { says, said } = watching(engine);
    await says(/^Stored/);
    const before = said.length;
    write(home, { 'docs/gate.md': '# Gate\n\nIt stays open.\n' });
    await says(/^Stored 1 chunk/, before);
    expect(said.slice(before).filter((line) => line.startsWith('Changed'))).toEqual(['Changed: docs/gate.md.']);
  });
});

describe('a watch of replaced folders', () => {
  /** Two editions of the same documents, one of which is served; `replace` puts the other one into its place. */
  const EDITIONS = { 'one/gate.md': '# Gate\n\nThe gate is locked at ten.\n', 'two/gate.md': '# Gate\n\nThe gate stays open.\n' };
  const text = async (engine: Engine) => (await result(engine, 'retrieve', { query: 'gate', mode: 'text' })).items[0]?.text;

  it.each<{ name: string; docs: string; served: string; replace(home: string): void }>([
    {
      name: 'a folder that is removed and made anew',
      docs: 'one',
      served: 'one',
      replace(home) {
        rmSync(join(home, 'one'), { recursive: true });
        renameSync(join(home, 'two'), join(home, 'one'));
      },
    },
    {
      name: 'a link that is switched',
      docs: 'site/current',
      served: 'two',
      replace(home) {
        symlinkSync('../two', join(home, 'site/next'));
        renameSync(join(home, 'site/next'), join(home, 'site/current'));
      },
    },
    {
      name: 'a link to a file that is switched',
      docs: 'site/gate.md',
      served: 'two',
      replace(home) {
        rmSync(join(home, 'site/gate.md'));
        symlinkSync('../two/gate.md', join(home, 'site/gate.md'));
      },
    },
    {
      name: 'a folder above, with a pattern',
      docs: 'above/one/*.md',
      served: 'above/one',
      replace(home) {
        renameSync(join(home, 'above'), join(home, 'below'));
        mkdirSync(join(home, 'above'));
        renameSync(join(home, 'two'), join(home, 'above/one'));
      },
    },
  ])('stores $name, and hears of what is written there from then on', async ({ docs, served, replace }) => {
    const { home, engine } = base({ ...EDITIONS, 'above/one/gate.md': EDITIONS['one/gate.md'] }, { sources: { docs } });
    mkdirSync(join(home, 'site'));
    symlinkSync('../one', join(home, 'site/current'));
    symlinkSync('../one/gate.md', join(home, 'site/gate.md'));
    const { says, said } = watching(engine);
    await says(/^Stored 1 chunk/);
    const before = said.length;
    replace(home);
    await vi.waitFor(async () => expect(await text(engine), said.join('\n')).toContain('stays open'), PATIENCE);
    await vi.waitFor(async () => expect(await sourcesIn(engine), said.join('\n')).toEqual([`${served}/gate.md`]), PATIENCE);
    write(home, { [`${served}/gate.md`]: '# Gate\n\nThe gate is gone.\n' });
    await vi.waitFor(async () => expect(await text(engine), said.join('\n')).toContain('is gone'), PATIENCE);
    expect(said.slice(before)).not.toContain('Reading all sources.');
  });

  it('stores a folder that did not exist at the start', async () => {
    const { home, engine } = base(FILES, { sources: { docs: ['docs', 'later/notes'] } });
    const { says, said } = watching(engine);
    await says(/^Stored 2 chunks/);
    write(home, { 'later/notes/lamp.md': '# Lamp\n\nThe lamp is lit at six.\n' });
    await vi.waitFor(async () => expect(await sourcesIn(engine), said.join('\n')).toContain('later/notes/lamp.md'), PATIENCE);
  });
});

describe('a watch of sites and APIs', () => {
  it('reads them at every interval, not when a file changes, and keeps their documents meanwhile', async () => {
    const site = await openSite({ '/page': '<title>Page</title><p>The harbour opens at six.</p>' });
    onTestFinished(() => site.close());
    const sources = { docs: 'docs', urls: [`${site.url}/page`], markdown: [{ source: 'notice', text: 'The kiosk opens at nine.' }] };
    const { home, engine } = base(FILES, { sources });
    const { says, said } = watching(engine);
    await says(/^Stored 4 chunks/);
    const asked = site.hits.length;
    const before = said.length;
    rmSync(join(home, 'docs/bell.md'));
    await says(/^Removed 1 document\.$/, before);
    expect(site.hits).toHaveLength(asked);
    expect(await sourcesIn(engine)).toEqual(['docs/gate.md', `${site.url}/page`, 'notice']);
  });

  it('stores a changed page at the next interval', async () => {
    const site = await openSite({ '/page': '<title>Page</title><p>The harbour opens at six.</p>' });
    onTestFinished(() => site.close());
    const { engine } = base({}, { sources: { urls: [`${site.url}/page`] }, watch: { interval: 1 } });
    const { says, said } = watching(engine);
    await says(/^Stored 1 chunk/);
    expect(said[0]).toMatch(/^Watching sites and APIs\./);
    const before = said.length;
    site.routes['/page'] = '<title>Page</title><p>The harbour opens at seven.</p>';
    await says(/^Stored 1 chunk of 1 document\.$/, before);
    expect((await result(engine, 'retrieve', { query: 'harbour', mode: 'text' })).items[0]!.text).toContain('seven');
  });
});

describe('a failing watch', () => {
  it('reports the failure and tries again', async () => {
    let isDown = false;
    const vector = () => (isDown ? { status: 401 } : [1, 0, 0]);
    const { settings } = await modelServer({ vector });
    const { home, engine } = base(FILES, { ...settings, watch: { interval: 1 } });
    const { says, said, events } = watching(engine);
    await says(/^Stored 2 chunks/);
    isDown = true;
    write(home, { 'docs/gate.md': '# Gate\n\nIt stays open.\n' });
    await says(/401.* Trying again in 1 s\./);
    expect(events.at(-1)!.data).toMatchObject({ failed: expect.any(Number), next_run: expect.any(String) });
    const before = said.length;
    isDown = false;
    await says(/^Stored 1 chunk of 1 document\.$/, before);
  });

  it('waits for its retry, whatever changes meanwhile', async () => {
    let isDown = false;
    const { settings } = await modelServer({ vector: () => (isDown ? { status: 401 } : [1, 0, 0]) });
    const { home, engine } = base(FILES, settings);
    const { says, said } = watching(engine);
    await says(/^Stored 2 chunks/);
    isDown = true;
    write(home, { 'docs/gate.md': '# Gate\n\nIt stays open.\n' });
    await says(/401.* Trying again in 10 s\./);
    const before = said.length;
    write(home, { 'docs/bell.md': '# Bell\n\nIt is silent.\n' });
    await wait(2_500);
    expect(said.slice(before)).toEqual([]);
  });

  it('ends with the first run if that cannot succeed', async () => {
    const { home, engine } = base();
    await result(engine, 'ingest', {});
    const { settings } = await modelServer();
    const other = engineIn(home, { ...settings, sources: { docs: 'docs' } });
    await expect(watching(other).ended).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is an error without configured sources', () => {
    const { engine } = base({}, { sources: {} });
    expect(() => engine.check('watch', {})).toThrow(/sources/);
  });
});

it('a watch waits for another writer, and says so', async () => {
  const { home, engine } = base();
  mkdirSync(join(home, '.kb/lancedb'), { recursive: true });
  const store = await openLanceDb({ url: join(home, '.kb/lancedb') });
  const release = await store.lock('default');
  const { events, says } = watching(engine);
  await vi.waitFor(() => expect(events.find(({ message }) => message.includes('waiting until it is done'))).toBeDefined(), PATIENCE);
  await release();
  await says(/^Stored/);
  await store.close();
});

it('a watch that is stopped during its work returns what it has done', async () => {
  const { home, engine } = base();
  for (let i = 0; i < 50; i++) writeFileSync(join(home, 'docs', `${i}.md`), `# ${i}\n\nText ${i}.\n`);
  const { says, stop } = watching(engine);
  await says(/^Reading all sources\.$/);
  expect(await stop()).toMatchObject({ failed: 0 });
  expect(await result(engine, 'ingest', {})).toMatchObject({ failed: 0 });
});
