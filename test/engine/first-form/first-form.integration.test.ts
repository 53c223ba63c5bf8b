import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Layer } from '../../../src/core/settings.ts';
import { chunksIn, engineIn, modelServer, result } from '../../support/engine.ts';
import { folder, write } from '../../support/folder.ts';
import { emptyQdrant, QDRANT } from '../../support/real-qdrant.ts';

// Three files as version 0.1.0 stores them: the files of the store, or the requests that it sends to the server.

const read = (name: string): unknown => JSON.parse(String(gunzipSync(readFileSync(join(import.meta.dirname, `${name}.json.gz`)))));

const FILES = {
  'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n',
  'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n',
  'docs/lamp.md': '# Lamp\n\nThe lamp is lit at six.\n',
};

const STORES: Record<string, (home: string) => Promise<Layer>> = {
  'LanceDB in a folder': async (home) => {
    const files = Object.entries(read('lancedb') as Record<string, string>);
    write(join(home, '.kb'), Object.fromEntries(files.map(([path, content]) => [path, Buffer.from(content, 'base64')])));
    return {};
  },
  [QDRANT]: async () => {
    vi.stubEnv('XDG_STATE_HOME', folder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = await emptyQdrant();
    for (const { method, path, body } of read('qdrant') as { method: string; path: string; body: object }[]) {
      const answer = await fetch(`${url}${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.ok, `${method} ${path}`).toBe(true);
    }
    return { vector_db: 'qdrant', url };
  },
};

/** The base of the first form beside the files that it was made of. */
async function firstForm(open: (home: string) => Promise<Layer>) {
  const home = folder(FILES);
  const storage = await open(home);
  const { settings, texts } = await modelServer();
  return { home, engine: engineIn(home, { ...settings, storage, sources: { docs: ['docs'] } }), settings, texts };
}

/** By id; when they were read does not count. */
function byId(chunks: Record<string, unknown>[]): Record<string, unknown>[] {
  const undated = (metadata: unknown) => ({ ...(metadata as object), ingested_at: undefined });
  return chunks
    .toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
    .map(({ metadata, ...rest }) => Object.assign(rest, { metadata: undated(metadata) }));
}

describe.each(Object.entries(STORES))('a base of the first form in %s', (_kind, open) => {
  it('is read, searched, listed, kept and exported unchanged', async () => {
    const { engine } = await firstForm(open);
    expect((await result(engine, 'list_collections', {})).collections).toMatchObject([
      { name: 'default', chunks: 3, sources: 3, dimensions: 3 },
    ]);
    const found = async (mode: 'text' | 'vector') => (await result(engine, 'retrieve', { query: 'When is the gate locked?', mode })).items;
    expect((await found('text'))[0]!.text).toContain('locked');
    expect(await found('vector')).toHaveLength(3);
    const before = byId(await chunksIn(engine));
    expect(before.map(({ source }) => source).toSorted()).toEqual(Object.keys(FILES).toSorted());
    await result(engine, 'create_snapshot', { name: 'first' });
    await result(engine, 'delete', { source: 'docs/bell.md' });
    await result(engine, 'restore_snapshot', { name: 'first' });
    expect(byId(await chunksIn(engine))).toEqual(before);
    const { checks } = await result(engine, 'doctor', {});
    expect(checks.filter(({ name }) => name === 'damage')).toEqual([]);
  });

  it('becomes what the present version stores with the next ingest', async () => {
    const { engine, home, settings } = await firstForm(open);
    write(home, { 'docs/gate.md': '# Gate\n\nThe gate stays open.\n' });
    const done = await result(engine, 'ingest', { prune: true });
    expect(done).toMatchObject({ failed: 0, pruned: [], errors: [] });
    const anew = engineIn(home, { ...settings, storage: { url: folder() }, sources: { docs: ['docs'] } });
    await result(anew, 'ingest', {});
    expect(byId(await chunksIn(engine))).toEqual(byId(await chunksIn(anew)));
    const filter = { title: 'Gate' };
    for (const asked of [engine, anew])
      expect((await result(asked, 'retrieve', { query: 'gate', filter })).items.map(({ text }) => text)).toEqual([
        '# Gate\n\nThe gate stays open.',
      ]);
    expect(await result(engine, 'ingest', {})).toMatchObject({ unchanged: 3, stored: 0 });
  });

  it('keeps its chunks when it is optimized, and is then found by words', async () => {
    const { engine, texts } = await firstForm(open);
    const before = byId(await chunksIn(engine));
    await result(engine, 'optimize_collection', {});
    expect(byId(await chunksIn(engine))).toEqual(before);
    expect((await result(engine, 'retrieve', { query: 'When is the gate locked?', mode: 'text' })).items[0]!.text).toContain('locked');
    expect(texts(), 'nothing is embedded').toEqual([]);
    await result(engine, 'delete', { source: 'docs/gate.md' });
    expect((await result(engine, 'retrieve', { query: 'gate', mode: 'text' })).items).toEqual([]);
  });
});
