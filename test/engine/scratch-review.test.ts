import { mkdirSync, symlinkSync, rmSync, writeFileSync, existsSync, chmodSync, readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../src/base/run.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openLanceDb } from '../../src/drivers/stores/lancedb.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const show = (label: string, value: unknown) => console.log(`## ${label}:`, typeof value === 'string' ? value : JSON.stringify(value));
const attempt = async (label: string, work: () => unknown) => {
  try {
    show(label, await work());
  } catch (e) {
    show(`${label} THROWS`, `${(e as any).code} ${(e as Error).message}`);
  }
};

it('2 store without vectors', async () => {
  const home = folder({ 'a.md': '# A\n\nHello there pump.\n' });
  const { settings } = await modelServer();
  const engine = engineIn(home, settings);
  await attempt('store', async () => {
    const r = await result(engine, 'store', { embedded_chunks: [{ id: '1', text: 'the pump', source: 'x' }] });
    return r;
  });
  await attempt('list', () => result(engine, 'list_collections', {}));
  await attempt('ingest', async () => (await result(engine, 'ingest', { docs: 'a.md' })).errors);
});
it('3 bare markdown and explicit markdown', async () => {
  const engine = engineIn(folder());
  await result(engine, 'ingest', { markdown: ['one text about pumps', 'another text on filters'] });
  await result(engine, 'ingest', { markdown: [{ text: 'third text', source: 'markdown' }] });
  show(
    '3',
    (await chunksIn(engine)).map((c) => c.text),
  );
});
it('4 rechunk bare', async () => {
  const engine = engineIn(folder());
  const text = '# T\n\n' + Array.from({ length: 12 }, (_, i) => `Sentence number ${i} says something quite long about things.`).join(' ');
  const a = await result(engine, 'ingest', { markdown: text, chunking: { chunk_size: 100, chunk_overlap: 0, min_chunk_length: 0 } });
  const b = await result(engine, 'ingest', { markdown: text, chunking: { chunk_size: 2000, chunk_overlap: 0, min_chunk_length: 0 } });
  show('4', [a.chunks, b.chunks, (await chunksIn(engine)).length]);
});
it('5 symlinked home, prune', async () => {
  const real = folder({ 'p/docs/a.md': '# A\n\nalpha text\n', 'p/docs/b.md': '# B\n\nbeta text\n' });
  symlinkSync(join(real, 'p'), join(real, 'link'));
  for (const docs of ['docs', 'docs/*.md', join(real, 'link/docs/*.md')]) {
    write(real, { 'p/docs/b.md': '# B\n\nbeta text\n' });
    const engine = engineIn(join(real, 'link'));
    await result(engine, 'ingest', { docs });
    rmSync(join(real, 'p/docs/b.md'));
    show('5 ' + docs, (await result(engine, 'ingest', { docs, prune: true })).pruned);
  }
});
it('8 .env folder', async () => {
  const home = folder({ '.env/x': '' });
  await attempt('8', () => loadConfig({ cwd: home, environment: {} }).home);
});
it('7 credentials', async () => {
  for (const h of [
    'X-API-Key: abcdefghijklmnopqrstuvwxyz',
    'Authorization: Bearer x',
    'Cookie: a=b',
    'X-Auth-Token: ddd',
    'Authorization: "Bearer ${TOKEN}"',
  ]) {
    const home = folder({ 'kb.config.yaml': `ingestion:\n  api:\n    headers:\n      ${h}\n` });
    await attempt('7 ' + h, () => JSON.stringify(loadConfig({ cwd: home, environment: { TOKEN: 'zzz' } }).config.ingestion.api.headers));
  }
});
it('9 fifo', { timeout: 8000 }, async () => {
  const home = folder();
  execFileSync('mkfifo', [join(home, 'p.md')]);
  const engine = engineIn(home);
  await attempt('9', () =>
    Promise.race([
      result(engine, 'ingest', { docs: 'p.md' }).then((r) => r.errors),
      new Promise((r) =>
        setTimeout(() => {
          r('HANGS');
          writeFileSync(join(home, 'p.md'), 'x');
        }, 3000),
      ),
    ]),
  );
});
it('10 corrupt lock', async () => {
  const home = folder({ 'a.md': '# A\n\nalpha\n', '.kb/lancedb/.locks/default': '' });
  await attempt('10', async () => (await result(engineIn(home), 'ingest', { docs: 'a.md' })).stored);
});
it('13 draft left', async () => {
  const home = folder();
  const engine = engineIn(home);
  await result(engine, 'ingest', { markdown: Array.from({ length: 30 }, (_, i) => `text ${i} about ${i}`) });
  const lines = (await collect(engine.run('export_collection', { name: 'default' }))).events.map(({ data }) => JSON.stringify(data));
  const run = engine.run(
    'import_collection',
    {
      name: 'copy',
      lines: (async function* () {
        yield* lines;
      })(),
    },
    {},
  );
  await run.next();
  await run.return(undefined as never);
  show('13', readdirSync(join(home, '.kb/lancedb')));
});
it('14 empty doc api', async () => {
  let body: unknown = { a: 'alpha is here' };
  const server = createServer((q, s) => {
    s.setHeader('content-type', 'application/json');
    s.end(JSON.stringify(typeof body === 'function' ? body(new URL(q.url!, 'http://x')) : body));
  }).listen(0, '127.0.0.1');
  await new Promise((r) => server.once('listening', r));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as any).port}/x`;
  const engine = engineIn(folder());
  await result(engine, 'ingest', { api: url });
  body = { a: '' };
  const r = await result(engine, 'ingest', { api: url });
  show('14', [r.sources, r.chunks, r.failed, r.errors, await chunksIn(engine)]);
  // 15
  const e2 = engineIn(folder());
  const api = { url, pagination: { type: 'page' as const, param: 'p', items_path: 'items' } };
  body = (u: URL) => ({ items: Number(u.searchParams.get('p')) <= 3 ? [{ id: u.searchParams.get('p'), t: 'text' }] : [] });
  show('15a', (await result(e2, 'ingest', { api })).stored);
  body = (u: URL) => (Number(u.searchParams.get('p')) === 1 ? { items: [{ id: '1', t: 'text' }] } : { error: 'too many requests' });
  const r2 = await result(e2, 'ingest', { api, prune: true });
  show('15b', [r2.pruned, r2.errors]);
});
it('11 many collections at once', { timeout: 60000 }, async () => {
  for (let round = 0; round < 3; round++) {
    const home = folder();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, i) => {
        const store = await openLanceDb({ url: join(home, 'db') });
        const c = await store.create({ name: `c${i}`, provider: 't', model: 'm', dimensions: 0 });
        await c.upsert([{ id: '1', text: 'x', source: 's', metadata: {} }]);
        return c.count();
      }),
    );
    show(
      '11',
      outcomes.map((o) => (o.status === 'fulfilled' ? o.value : String(o.reason?.message ?? o.reason).slice(0, 250))),
    );
    show(
      '11 names',
      (await (await openLanceDb({ url: join(home, 'db') })).collections()).map((c) => c.name),
    );
  }
});
it('17 add duplicates', async () => {
  const home = folder();
  const store = await openLanceDb({ url: join(home, 'db') });
  const c = await store.create({ name: 'c', provider: 't', model: 'm', dimensions: 0 });
  await c.upsert([{ id: '1', text: 'x', source: 's', metadata: {} }]);
  await c.replace([{ source: 't', isNew: true, chunks: [{ id: '1', text: 'x', source: 't', metadata: {} }] }]);
  show('17', [await c.count(), [...(await c.sources()).keys()]]);
});
it('16 spread', () => {
  const a: string[] = [];
  try {
    a.push(...Array.from({ length: 300_000 }, () => 'x'));
    show('16', 'ok');
  } catch (e) {
    show('16 THROWS', String(e));
  }
});
it('19 filters', { timeout: 30000 }, async () => {
  const home = folder();
  const store = await openLanceDb({ url: join(home, 'db') });
  const c = await store.create({ name: 'c', provider: 't', model: 'm', dimensions: 0 });
  await c.upsert([{ id: '1', text: 'x', source: 's', metadata: { k: 'v1', 'a"b\\': "q'\n/", e: '', u: '\ud800x' } }]);
  const n = async (filter: any) => (await c.search({ text: 'x', filter, limit: 5 })).length;
  await attempt('in 2000', () => n({ k: { in: Array.from({ length: 2000 }, (_, i) => `v${i}-${'z'.repeat(40)}`).concat('v1') } }));
  await attempt('in 20000', () => n({ k: { in: Array.from({ length: 20000 }, (_, i) => `v${i}-${'z'.repeat(40)}`).concat('v1') } }));
  await attempt('weird', () => n({ 'a"b\\': "q'\n/" }));
  await attempt('weird in', () => n({ 'a"b\\': { in: ["q'\n/", 'é'] } }));
  await attempt('empty', () => n({ e: '' }));
  await attempt('lone', () => n({ u: '\ud800x' }));
  await attempt('range', () => n({ k: { gte: 'v'.repeat(300) } }));
  await attempt('range2', () => n({ k: { gte: 'a'.repeat(199), lt: 'z'.repeat(199) } }));
  await attempt('range3', () => n({ k: { gte: 'v'.repeat(200), lt: 'v'.repeat(200) + 'z' } }));
});
it('20 store same id twice', async () => {
  const engine = engineIn(folder());
  const r = await result(engine, 'store', {
    embedded_chunks: [
      { id: '1', text: 'a', source: 'x' },
      { id: '1', text: 'b', source: 'x' },
    ],
  });
  show('20', [r.stored, (await chunksIn(engine)).length]);
});
