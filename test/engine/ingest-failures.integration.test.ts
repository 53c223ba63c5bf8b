import { describe, expect, it, onTestFinished } from 'vitest';
import { describe as describeError } from '../../src/core/errors.ts';
import { collect } from '../../src/core/run.ts';
import { openSite } from '../support/site.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const page = (word: string): string => `# ${word}\n\nThe ${word} is described here, in a sentence that is long enough.\n`;

/** Three sections, each a chunk of its own. */
const sections = (...words: string[]): string =>
  words.map((word) => `## ${word}\n\n${`All there is to say about the ${word}. `.repeat(6)}\n`).join('\n');

/** What a provider answers that is busy; the client need not wait before it tries again. */
const BUSY = { status: 500, headers: { 'retry-after-ms': '1' } };

describe('a failure', () => {
  it('is listed with its stage and kind, in total and per part, and affects nothing else', async () => {
    const home = folder({ 'a.md': page('anchor'), 'broken.pdf': 'this is no PDF', 'notes.xyz': 'what is this' });
    const site = await openSite();
    onTestFinished(() => site.close());
    const engine = engineIn(home);
    const done = await result(engine, 'ingest', {
      docs: ['a.md', 'broken.pdf', 'notes.xyz', 'missing.md'],
      urls: `${site.url}/gone.html`,
      markdown: ['', 'The gate is locked at ten.'],
    });
    expect(done).toMatchObject({ sources: 2, stored: 2, failed: 5 });
    const told = done.errors.map(({ source, source_kind, stage }) => [source.replace(site.url, ''), source_kind, stage]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['broken.pdf', 'path', 'convert'],
        ['notes.xyz', 'path', 'validate'],
        ['missing.md', 'path', 'validate'],
        ['/gone.html', 'url', 'fetch'],
        ['markdown', 'markdown', 'validate'],
      ]),
    );
    expect(done.source_results.docs).toMatchObject({ documents: 1, failed: 3 });
    expect(done.source_results.urls).toMatchObject({ pages: 0, failed: 1 });
    expect(done.errors.filter(({ error, source }) => !(/^\S.*[.…]$/s.test(error) && error.length > source.length))).toEqual([]);
  });

  it('is a response of an API that has no text any more', async () => {
    const site = await openSite({ '/notes': { headers: { 'content-type': 'application/json' }, body: '{"note": ""}' } });
    onTestFinished(() => site.close());
    const emptied = await result(engineIn(folder()), 'ingest', { api: `${site.url}/notes` });
    expect(emptied).toMatchObject({
      sources: 0,
      failed: 1,
      errors: [{ source: `${site.url}/notes`, source_kind: 'api', stage: 'convert' }],
    });
  });

  it('is a single chunk if a provider refuses one text', async () => {
    const home = folder({ 'a.md': sections('anchor', 'poison', 'compass'), 'b.md': page('bell') });
    const { settings } = await modelServer({
      vector: (text) => (text.includes('poison') ? { status: 400, error: { message: 'bad text' } } : [text.length, 1, 1]),
    });
    const engine = engineIn(home, settings);
    const done = await result(engine, 'ingest', { docs: ['a.md', 'b.md'] });
    expect(done).toMatchObject({ sources: 2, chunks: 4, embedded: 3, stored: 3, failed: 1 });
    expect(done.errors).toMatchObject([{ source: 'a.md', source_kind: 'chunk', stage: 'embed', isRetryable: false }]);
    expect(done.embed_result).toMatchObject({ inputs: 4, embedded: 3, failed: 1 });
    expect(done.source_results.docs?.outputs).toEqual([
      { source: 'a.md', status: 'failed' },
      { source: 'b.md', status: 'new' },
    ]);
  });

  it('is a single chunk if the store refuses its vector', async () => {
    const home = folder({ 'a.md': page('anchor') });
    let dimensions = 3;
    const { settings } = await modelServer({ vector: () => Array.from({ length: dimensions }, (_, i) => i + 1) });
    await result(engineIn(home, settings), 'ingest', { docs: 'a.md' });
    dimensions = 4;
    write(home, { 'b.md': page('bell') });
    const done = await result(engineIn(home, settings), 'ingest', { docs: ['a.md', 'b.md'] });
    expect(done).toMatchObject({
      unchanged: 1,
      stored: 0,
      failed: 1,
      errors: [{ source: 'b.md', source_kind: 'embedded_chunk', stage: 'store' }],
    });
    expect(done.errors[0]!.error).toMatch(/4.*3.*kb collections reembed default/s);
  });

  it('ends the run soon if the embedder is down, and stored documents stay', async () => {
    const home = folder({ 'a.md': page('anchor') });
    let isDown = false;
    const { settings, server } = await modelServer({ vector: (text) => (isDown ? BUSY : [text.length, 1, 1]) }, { batch_size: 2 });
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'a.md' });
    isDown = true;
    const asked = server.requests.length;
    write(home, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`many/${i}.md`, page(`thing ${i}`)])));
    await expect(result(engine, 'ingest', { docs: ['a.md', 'many'] })).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    expect(server.requests.length - asked).toBeLessThan(60);
    expect(await sourcesIn(engine)).toEqual(['a.md']);
    isDown = false;
    expect(await result(engine, 'ingest', { docs: ['a.md', 'many'] })).toMatchObject({
      unchanged: 1,
      sources: 200,
      stored: 200,
      failed: 0,
    });
  });

  it('keeps a changed document as it was, if its embedding may succeed later', async () => {
    const home = folder({ 'a.md': sections('anchor', 'bell') });
    let isDown = false;
    const { settings } = await modelServer(
      { vector: (text) => (isDown && text.includes('drum') ? BUSY : [text.length, 1, 1]) },
      { batch_size: 1 },
    );
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'a.md' });
    const before = await chunksIn(engine);
    isDown = true;
    write(home, { 'a.md': sections('anvil', 'drum') });
    const failed = await result(engine, 'ingest', { docs: 'a.md' });
    expect(failed).toMatchObject({ stored: 0, failed: 1, errors: [{ source: 'a.md', stage: 'embed', isRetryable: true, attempts: 4 }] });
    expect(await chunksIn(engine)).toEqual(before);
    isDown = false;
    expect(await result(engine, 'ingest', { docs: 'a.md' })).toMatchObject({ stored: 2, failed: 0 });
    expect((await chunksIn(engine)).map(({ text }) => /anvil|drum/.test(String(text)))).toEqual([true, true]);
  });

  it('stores of a new document what could be embedded; the next run completes it', async () => {
    const home = folder({ 'a.md': sections('anchor', 'drum') });
    let isDown = true;
    const { settings, texts } = await modelServer(
      { vector: (text) => (isDown && text.includes('drum') ? BUSY : [text.length, 1, 1]) },
      { batch_size: 1 },
    );
    const engine = engineIn(home, settings);
    expect(await result(engine, 'ingest', { docs: 'a.md' })).toMatchObject({ stored: 1, failed: 1 });
    expect(await chunksIn(engine)).toHaveLength(1);
    isDown = false;
    const asked = texts().length;
    const again = await result(engine, 'ingest', { docs: 'a.md' });
    expect(again.source_results.docs?.outputs).toEqual([{ source: 'a.md', status: 'incomplete' }]);
    expect(again).toMatchObject({ stored: 2, reused: 1, failed: 0 });
    expect(texts().slice(asked)).toEqual([expect.stringContaining('drum')]);
    expect(await chunksIn(engine)).toHaveLength(2);
  });
});

describe('a stopped ingest', () => {
  it('keeps what it stored, says so, and releases the lock', async () => {
    const home = folder(
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`docs/${String(i).padStart(2, '0')}.md`, page(`thing ${i}`)])),
    );
    const stop = new AbortController();
    let asked = 0;
    const { settings } = await modelServer(
      {
        vector: (text) => {
          if (++asked === 30) stop.abort();
          return [text.length, 1, 1];
        },
      },
      { batch_size: 1 },
    );
    const engine = engineIn(home, { ...settings, storage: { batch_size: 1 } });
    const stopped = await result(engine, 'ingest', { docs: 'docs' }, { signal: stop.signal }).then(
      () => expect.fail('it was not stopped'),
      (error: Error) => error,
    );
    const kept = await sourcesIn(engine);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(40);
    expect(stopped).toMatchObject({ code: 'aborted' });
    expect(describeError(stopped)).toMatch(new RegExp(`^Stopped\\. .*${kept.length} documents?, ${kept.length} chunks?`));
    const again = await result(engine, 'ingest', { docs: 'docs' });
    expect(again).toMatchObject({ unchanged: kept.length, sources: 40 - kept.length, failed: 0 });
  });

  it('does nothing if it was stopped before', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const engine = engineIn(home);
    await expect(result(engine, 'ingest', { docs: 'a.md' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect((await result(engine, 'list_collections', {})).collections).toEqual([]);
  });

  it('releases the lock also when its reader stops', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const engine = engineIn(home);
    const run = engine.run('ingest', { docs: 'a.md' });
    await run.next();
    await run.return(undefined as never);
    expect(await result(engine, 'ingest', { docs: 'a.md' })).toMatchObject({ failed: 0 });
  });

  it('waits for another writer, and says so', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const [one, two] = [engineIn(home), engineIn(home)];
    await result(one, 'ingest', { markdown: 'The gate is locked at ten.' });
    const first = one.run('ingest', { docs: 'a.md' });
    await first.next();
    const second = two.run('ingest', { docs: 'a.md' });
    const told = await second.next();
    expect(told.value).toMatchObject({ type: 'progress', message: expect.stringContaining('Another run is writing to "default"') });
    await collect(first);
    expect((await collect(second)).result).toMatchObject({ unchanged: 1 });
  });
});
