import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSite } from '../support/site.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { docxFile } from '../../packages/documents/test/support/files.ts';
import { folder, write } from '../support/folder.ts';

const page = (word: string): string => `# ${word}\n\nThe ${word} is described here, in a sentence that is long enough.\n`;

/** Three sections, each a chunk of its own. */
const sections = (...words: string[]): string =>
  words.map((word) => `## ${word}\n\n${`All there is to say about the ${word}. `.repeat(6)}\n`).join('\n');

describe('a repeated ingest', () => {
  it('neither embeds nor writes unchanged documents', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': page('bell') });
    const { settings, server } = await modelServer();
    const engine = engineIn(home, settings);
    const first = await result(engine, 'ingest', { docs: 'docs' });
    expect(first).toMatchObject({ sources: 2, unchanged: 0, chunks: 2, embedded: 2, stored: 2, failed: 0, errors: [] });
    expect(first.source_results.docs?.outputs).toEqual([
      { source: 'docs/a.md', status: 'new' },
      { source: 'docs/b.md', status: 'new' },
    ]);
    const asked = server.requests.length;
    const again = await result(engine, 'ingest', { docs: 'docs' });
    expect(again).toMatchObject({ sources: 0, unchanged: 2, chunks: 0, embedded: 0, stored: 0 });
    expect(again.source_results.docs).toMatchObject({ documents: 2, outputs: [{ status: 'unchanged' }, { status: 'unchanged' }] });
    expect(server.requests.length).toBe(asked);
  });

  it('replaces changed documents, and embeds only their new chunks', async () => {
    const home = folder({ 'a.md': sections('anchor', 'bell', 'compass') });
    const { settings, texts } = await modelServer();
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'a.md' });
    const before = texts().length;
    write(home, { 'a.md': sections('anchor', 'drum', 'compass') });
    const again = await result(engine, 'ingest', { docs: 'a.md' });
    expect(again).toMatchObject({ sources: 1, unchanged: 0, chunks: 3, reused: 2, embedded: 1, stored: 3 });
    expect(again.embed_result).toMatchObject({ inputs: 1, embedded: 1 });
    expect(texts().slice(before)).toEqual([expect.stringContaining('drum')]);
    const stored = await chunksIn(engine);
    expect(stored.map(({ text }) => String(text).includes('bell'))).toEqual([false, false, false]);
    expect(stored.every(({ embedding }) => (embedding as number[]).length === 3)).toBe(true);
  });

  it('embeds no text twice: moved, renamed and copied files keep their vectors, and copies of one run share them', async () => {
    const home = folder({
      'docs/a/one.md': sections('anchor', 'bell'),
      'docs/b/one.md': sections('anchor', 'bell'),
      'docs/two.markdown': page('drum'),
    });
    const { settings, texts } = await modelServer({}, { batch_size: 1 });
    const engine = engineIn(home, settings);
    const first = await result(engine, 'ingest', { docs: 'docs' });
    expect(first).toMatchObject({ chunks: 5, embedded: 5, stored: 5 });
    const before = texts();
    expect(new Set(before).size).toBe(before.length);
    rmSync(join(home, 'docs/a'), { recursive: true });
    rmSync(join(home, 'docs/two.markdown'));
    write(home, { 'docs/archive/b/one.md': sections('anchor', 'bell'), 'docs/two.md': page('drum') });
    const moved = await result(engine, 'ingest', { docs: 'docs', prune: true });
    expect(moved).toMatchObject({ chunks: 3, reused: 3, embedded: 0, stored: 3, failed: 0 });
    expect(texts()).toEqual(before);
    expect(await sourcesIn(engine)).toEqual(['docs/archive/b/one.md', 'docs/b/one.md', 'docs/two.md']);
    expect((await chunksIn(engine)).every(({ embedding }) => (embedding as number[]).length === 3)).toBe(true);
  });

  it('treats other chunking as a change, and embeds everything again with force', async () => {
    const home = folder({ 'a.md': sections('anchor', 'bell') });
    const { settings } = await modelServer();
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'a.md' });
    const other = await result(engine, 'ingest', { docs: 'a.md', chunking: { chunk_size: 120, chunk_overlap: 0, min_chunk_length: 0 } });
    expect(other).toMatchObject({ sources: 1, unchanged: 0 });
    expect(other.chunks).toBeGreaterThan(2);
    expect(await chunksIn(engine)).toHaveLength(other.chunks);
    const forced = await result(engine, 'ingest', { docs: 'a.md', force: true });
    expect(forced).toMatchObject({ sources: 1, embedded: 2, reused: 0, stored: 2 });
    expect(forced.source_results.docs?.outputs).toEqual([{ source: 'a.md', status: 'changed' }]);
  });

  it('completes a document with missing chunks', async () => {
    const home = folder({ 'a.md': sections('anchor', 'bell', 'compass') });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'a.md' });
    const [one] = await chunksIn(engine);
    await result(engine, 'delete', { ids: [String(one!.id)] });
    const again = await result(engine, 'ingest', { docs: 'a.md' });
    expect(again.source_results.docs?.outputs).toEqual([{ source: 'a.md', status: 'incomplete' }]);
    expect(await chunksIn(engine)).toHaveLength(3);
    expect(await result(engine, 'ingest', { docs: 'a.md' })).toMatchObject({ unchanged: 1, stored: 0 });
  });

  it('keeps a given title, and treats another one as a change', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: [{ path: 'a.md', title: 'One' }] });
    expect(await result(engine, 'ingest', { docs: [{ path: './a.md', title: 'One' }] })).toMatchObject({ unchanged: 1 });
    expect(await result(engine, 'ingest', { docs: [{ path: 'a.md', title: 'Two' }] })).toMatchObject({ unchanged: 0, sources: 1 });
    expect((await chunksIn(engine)).map(({ metadata }) => (metadata as { title: string }).title)).toEqual(['Two']);
  });

  it.each([
    ['no byte', ''],
    ['white space alone', '\n\n  \n'],
    ['no text beside its front matter', '---\ntitle: Nothing\n---\n'],
  ])('removes what a document said that has %s now, and says so', async (_, text) => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': sections('bell', 'compass') });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    write(home, { 'docs/b.md': text });
    const rehearsed = await result(engine, 'ingest', { docs: 'docs', dry_run: true });
    expect(rehearsed.notices).toEqual(['docs/b.md is empty now: its 2 chunks would be removed.']);
    const emptied = await result(engine, 'ingest', { docs: 'docs' });
    expect(emptied).toMatchObject({ failed: 0, unchanged: 1, pruned: ['docs/b.md'], gone: [], passed_over: [] });
    expect(emptied.notices).toEqual(['docs/b.md is empty now: its 2 chunks were removed.']);
    expect(await sourcesIn(engine)).toEqual(['docs/a.md']);
    write(home, { 'docs/a.md': text });
    expect(await result(engine, 'ingest', { docs: 'docs/a.md' })).toMatchObject({ failed: 0, pruned: ['docs/a.md'] });
    expect(await result(engine, 'ingest', { docs: 'docs/a.md' })).toMatchObject({ failed: 1, pruned: [] });
    expect(await chunksIn(engine)).toEqual([]);
  });

  it('skips files of a folder that have no text or an old format each time, and names them', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from('WordDocument\0', 'utf16le')]);
    const home = folder({
      'docs/a.md': page('anchor'),
      'docs/blank.docx': docxFile(''),
      'docs/old.doc': old,
      'docs/rich.doc': '{\\rtf1 Rich text.\\par}',
    });
    const engine = engineIn(home);
    const first = await result(engine, 'ingest', { docs: 'docs' });
    expect(first).toMatchObject({ failed: 0, errors: [], sources: 2, passed_over: ['docs/blank.docx', 'docs/old.doc'] });
    expect(first.notices).toEqual([
      'A file has no text and was passed over: docs/blank.docx.',
      'docs/old.doc is a Word document of an old version (DOC), which is not read. Save it as DOCX, or convert it: soffice --headless --convert-to docx docs/old.doc',
    ]);
    expect(await result(engine, 'ingest', { docs: 'docs', prune: true })).toMatchObject({
      failed: 0,
      unchanged: 2,
      pruned: [],
      notices: first.notices,
    });
    for (const docs of ['docs/blank.docx', 'docs/old.doc'])
      expect(await result(engine, 'ingest', { docs })).toMatchObject({ failed: 1, passed_over: [] });
  });

  it('keeps an unreadable document, and says so', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.html': `<p>${page('bell')}</p>` });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    write(home, { 'docs/b.html': Buffer.from([0, 1, 2, 3, 0, 5]) });
    const today = new Date().toISOString().slice(0, 10);
    const stays = [{ source: 'docs/b.html', error: expect.stringContaining(`. The version of ${today} stays stored.`) as string }];
    expect(await result(engine, 'ingest', { docs: 'docs', prune: true })).toMatchObject({ errors: stays, pruned: [] });
    rmSync(join(home, 'docs/b.html'));
    expect(await result(engine, 'ingest', { docs: 'docs/b.html', prune: true })).toMatchObject({ errors: stays, pruned: [] });
    expect(await sourcesIn(engine)).toEqual(['docs/a.md', 'docs/b.html']);
  });
});

describe('sources with the same name', () => {
  it('are stored side by side if they are unnamed texts', async () => {
    const engine = engineIn(folder());
    const first = await result(engine, 'ingest', { markdown: ['The gate is locked at ten.', 'The bell rings at noon.'] });
    expect(first).toMatchObject({ sources: 2, stored: 2, failed: 0 });
    expect(first.source_results.markdown?.map(({ source, text }) => [source, text])).toEqual([
      ['markdown', 'The gate is locked at ten.'],
      ['markdown', 'The bell rings at noon.'],
    ]);
    const second = await result(engine, 'ingest', { markdown: ['The lamp is lit at six.', 'The bell rings at noon.'] });
    expect(second).toMatchObject({ sources: 1, unchanged: 1, stored: 1 });
    expect((await chunksIn(engine)).map(({ text }) => text)).toHaveLength(3);
  });

  it('are stored side by side even if a text names the source of unnamed texts', async () => {
    const engine = engineIn(folder());
    const first = await result(engine, 'ingest', { markdown: ['The gate is locked at ten.', 'The bell rings at noon.'] });
    const [given] = first.source_results.markdown!;
    const second = await result(engine, 'ingest', { markdown: [{ source: 'markdown', text: 'The lamp is lit at six.' }, given!] });
    expect(second).toMatchObject({ sources: 2, stored: 2, failed: 0 });
    expect(await chunksIn(engine)).toHaveLength(3);
  });

  it('lose only the chunks that other chunking no longer makes', async () => {
    const engine = engineIn(folder());
    const long = Array.from({ length: 12 }, (_, i) => `Rule ${i} says at some length what is to be done at the gate.`).join(' ');
    const chunking = { chunk_size: 100, chunk_overlap: 0, min_chunk_length: 0 };
    const fine = await result(engine, 'ingest', { markdown: [long, 'The bell rings at noon.'], chunking });
    expect(fine.chunks).toBeGreaterThan(10);
    const coarse = await result(engine, 'ingest', { markdown: long, chunking: { ...chunking, chunk_size: 2000 } });
    expect(coarse).toMatchObject({ chunks: 1, stored: 1 });
    expect((await chunksIn(engine)).map(({ text }) => text).toSorted()).toEqual([long, 'The bell rings at noon.']);
  });

  it('are stored side by side under one source, and replaced together', async () => {
    const engine = engineIn(folder());
    const given = (...texts: string[]) => result(engine, 'ingest', { markdown: texts.map((text) => ({ text, source: 'handbook' })) });
    const [one, two] = ['# Mooring\n\nThe bow line first.', '# Mooring\n\nFour fenders to port.'];
    expect(await given('# Old\n\nOne rope.')).toMatchObject({ sources: 1, stored: 1 });
    expect(await given(one, two)).toMatchObject({ sources: 2, unchanged: 0, stored: 2, failed: 0, errors: [] });
    const chunks = await chunksIn(engine);
    expect(chunks.map(({ source, text }) => [source, String(text).includes('line') || String(text).includes('fenders')])).toEqual([
      ['handbook', true],
      ['handbook', true],
    ]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(2);
    const again = await given(one, two);
    expect(again).toMatchObject({ sources: 2, unchanged: 0, stored: 2, failed: 0 });
    expect(await chunksIn(engine)).toHaveLength(2);
    expect(again.source_results.markdown).toHaveLength(2);
    expect(await given(one)).toMatchObject({ sources: 1, stored: 1 });
    expect(await chunksIn(engine)).toMatchObject([{ source: 'handbook', text: expect.stringContaining('bow line') }]);
  });

  it('are one if a text is given twice', async () => {
    const engine = engineIn(folder());
    const twice = await result(engine, 'ingest', { markdown: ['The gate is locked at ten.', 'The gate is locked at ten.'] });
    expect(twice.failed).toBe(0);
    expect(await chunksIn(engine)).toHaveLength(1);
  });

  it('are reported if a file and a text differ, so that none is lost silently', async () => {
    const engine = engineIn(folder({ 'rules.md': 'The gate is locked at ten.' }));
    const both = await result(engine, 'ingest', { docs: 'rules.md', markdown: [{ source: 'rules.md', text: 'The bell rings at noon.' }] });
    expect(both).toMatchObject({ sources: 1, stored: 1, failed: 1 });
    expect(both.errors).toMatchObject([{ source: 'rules.md', source_kind: 'markdown', stage: 'validate' }]);
    expect((await chunksIn(engine)).map(({ text }) => text)).toEqual(['The gate is locked at ten.']);
  });
});

describe('prune', () => {
  it('removes what is gone from the given folder, and nothing else', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': page('bell'), 'other/c.md': page('compass') });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: ['docs', 'other'], markdown: 'The gate is locked at ten.' });
    rmSync(join(home, 'docs/b.md'));
    rmSync(join(home, 'other/c.md'));
    expect(await result(engine, 'ingest', { docs: 'docs' })).toMatchObject({ pruned: [], gone: ['docs/b.md'] });
    const pruned = await result(engine, 'ingest', { docs: 'docs', prune: true });
    expect(pruned).toMatchObject({ pruned: ['docs/b.md'], gone: [] });
    expect(await sourcesIn(engine)).toEqual(['docs/a.md', 'markdown', 'other/c.md']);
  });

  it.each(['docs', 'docs/*.md', 'ABSOLUTE/docs/*.md'])('finds what is gone from %s, also through a link', async (docs) => {
    const root = folder({ 'real/docs/a.md': page('anchor'), 'real/docs/b.md': page('bell') });
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const engine = engineIn(join(root, 'link'));
    const given = docs.replace('ABSOLUTE', join(root, 'link'));
    await result(engine, 'ingest', { docs: given });
    rmSync(join(root, 'real/docs/b.md'));
    expect(await result(engine, 'ingest', { docs: given, prune: true })).toMatchObject({ pruned: ['docs/b.md'], failed: 0 });
    expect(await sourcesIn(engine)).toEqual(['docs/a.md']);
  });

  it('keeps existing files that cannot be read', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.csv': 'name,use\nbell,rings\n' });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    write(home, { 'docs/b.csv': Buffer.from([0, 1, 2, 3]) });
    expect(await result(engine, 'ingest', { docs: 'docs', prune: true })).toMatchObject({ failed: 1, pruned: [], gone: [] });
    expect(await sourcesIn(engine)).toEqual(['docs/a.md', 'docs/b.csv']);
  });

  it('treats an empty or missing folder as not mounted', async () => {
    const home = folder({ 'docs/a.md': page('anchor') });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'docs' });
    rmSync(join(home, 'docs/a.md'));
    const remains =
      "1 stored source was not found but kept: docs has no documents now, or could not be read. To remove them all the same: kb delete --where 'source ^= docs/'.";
    expect(await result(engine, 'ingest', { docs: 'docs', prune: true })).toMatchObject({ pruned: [], failed: 1, notices: [remains] });
    rmSync(join(home, 'docs'), { recursive: true });
    const absolute = { docs: join(home, 'docs'), prune: true };
    expect(await result(engine, 'ingest', absolute)).toMatchObject({ pruned: [], failed: 1, notices: [remains] });
    expect(await sourcesIn(engine)).toEqual(['docs/a.md']);
  });
});

describe('a dry run', () => {
  it('reports what would be done, calls no model and writes nothing', async () => {
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': page('bell') });
    const { settings, server } = await modelServer();
    const engine = engineIn(home, settings);
    expect(await result(engine, 'ingest', { docs: 'docs', dry_run: true })).toMatchObject({
      sources: 2,
      chunks: 2,
      embedded: 0,
      stored: 0,
    });
    expect(existsSync(join(home, '.kb'))).toBe(false);
    await result(engine, 'ingest', { docs: 'docs' });
    const asked = server.requests.length;
    write(home, { 'docs/a.md': page('anvil') });
    rmSync(join(home, 'docs/b.md'));
    const rehearsed = await result(engine, 'ingest', { docs: 'docs', dry_run: true, prune: true });
    expect(rehearsed).toMatchObject({ sources: 1, stored: 0, pruned: ['docs/b.md'] });
    expect(rehearsed.source_results.docs?.outputs).toEqual([{ source: 'docs/a.md', status: 'changed' }]);
    expect(await sourcesIn(engine)).toEqual(['docs/a.md', 'docs/b.md']);
    expect(server.requests.length).toBe(asked);
  });

  it('fails where the real run would fail', async () => {
    const home = folder({ 'a.md': page('anchor') });
    const engine = engineIn(home, { ...WORDS, storage: { ensure_collection: false } });
    for (const dry_run of [true, false])
      await expect(result(engine, 'ingest', { docs: 'a.md', dry_run })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the kinds of sources', () => {
  it('are merged in the order of the specification, serially or in parallel', async () => {
    const site = await openSite({
      '/page.html': '<title>Page</title><main><h1>Page</h1><p>The page says a thing of some length.</p></main>',
    });
    onTestFinished(() => site.close());
    const home = folder({ 'docs/a.md': page('anchor'), 'docs/b.md': page('bell') });
    const orders: string[][] = [];
    for (const concurrency of ['serial', 'parallel'] as const) {
      const engine = engineIn(home, { ...WORDS, collection: concurrency });
      const done = await result(engine, 'ingest', {
        markdown: 'The gate is locked.',
        urls: `${site.url}/page.html`,
        docs: 'docs',
        concurrency,
      });
      expect(done).toMatchObject({ sources: 4, failed: 0 });
      expect(done.source_results.urls).toMatchObject({ pages: 1 });
      orders.push(done.chunk_result.items.map(({ source }) => source));
    }
    expect(orders[0]).toEqual(['docs/a.md', 'docs/b.md', expect.stringContaining('/page.html'), 'markdown']);
    expect(orders[1]).toEqual(orders[0]);
  });

  it('must be given', async () => {
    await expect(result(engineIn(folder()), 'ingest', {})).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^At least one of docs, urls, api or markdown must be provided\./),
    });
  });
});

it('suggests the multilingual model if much of the text is not English', async () => {
  const english = 'The gate is locked at ten, and it is opened again at seven in the morning.';
  const german = 'Das Tor wird um zehn Uhr abgeschlossen und am Morgen um sieben wieder geöffnet.';
  const home = folder();
  const engine = engineIn(home, { embedding: {} });
  const ingest = (text: string) => result(engine, 'ingest', { markdown: text });
  expect((await ingest(english)).notices).toEqual([]);
  expect((await ingest(german)).notices).toEqual([
    expect.stringMatching(
      /^100% of what was read is not in English.*"kb collections reembed default --embedding-model multilingual-e5-small"\.$/,
    ),
  ]);
  expect((await ingest(german)).notices).toEqual([]);
});
