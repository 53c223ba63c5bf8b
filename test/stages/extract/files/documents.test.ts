import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KbError } from '../../../../src/core/errors.ts';
import { withPictures } from '../../../../src/stages/extract/files/documents.ts';
import type { Extracted } from '../../../../src/stages/extract/extract.ts';
import type { DocsInput } from '../../../../src/schema/source-entries.ts';
import { isWithin, type Authorize } from '../../../../src/stages/extract/files/local-path.ts';
import { walk } from '../../../../src/stages/extract/files/list-files.ts';
import { folder, write } from '../../../support/folder.ts';
import { fileTypes } from '../../../../packages/documents/src/file-types.ts';
import { extracted, reader } from '../../../support/extracted-documents.ts';

describe('a list of documents', () => {
  /** Takes a millisecond for each path, on every machine. */
  const refused: Authorize = (_path, given) => {
    for (const end = performance.now() + 1; performance.now() < end;);
    throw new KbError('forbidden', `${given} is refused.`);
  };
  const many = Array.from({ length: 100 }, (_, i) => `absent/${i}`);

  it('yields to the event loop while it refuses forbidden paths', async () => {
    let turns = 0;
    let isDone = false;
    const turn = () => setImmediate(() => void (turns++, isDone || turn()));
    turn();
    const { errors } = await extracted(many, folder(), { authorize: refused });
    isDone = true;
    expect(errors).toHaveLength(many.length);
    expect(turns).toBeGreaterThan(2);
  });

  it('can be stopped while it refuses forbidden paths', async () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    const work = extracted(many, folder(), { authorize: refused, signal: stop.signal });
    await expect(work).rejects.toMatchObject({ code: 'aborted' });
  });

  it('stops in a folder without files and in a pattern', async () => {
    const cwd = folder({ 'd/a/b/.hidden': '' });
    for (const docs of ['d', 'd/**/*.md', { folder: 'd' }])
      for (const authorize of [undefined, () => {}])
        await expect(extracted(docs, cwd, { ...(authorize ? { authorize } : {}), signal: AbortSignal.abort() })).rejects.toMatchObject({
          code: 'aborted',
        });
  });
});

describe('links to documents', () => {
  it('are read at the same time, in the order of the list', async () => {
    const second = Promise.withResolvers<void>();
    const link = async function* (url: string): AsyncGenerator<Extracted> {
      if (url.endsWith('/a.md')) await second.promise;
      else second.resolve();
      yield { passed_over: url };
    };
    const links = ['http://one.example/a.md', 'http://two.example/b.md'];
    expect((await extracted(links, folder(), { link })).passed).toEqual(links);
  });
});

describe('a folder', () => {
  it('is not walked further once it is stopped, even if nothing was found', async () => {
    const walked = walk(folder({ 'a/b/.hidden': '' }), { signal: AbortSignal.abort() });
    await expect(Array.fromAsync(walked)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is read with its subfolders in the order of names, without hidden ones and node_modules', async () => {
    const cwd = folder({
      'd/b.md': '1',
      'd/a/c.txt': '2',
      'd/.secret.md': '3',
      'd/.git/x.md': '4',
      'd/node_modules/y.md': '5',
      'd/B.md': '6',
    });
    expect((await extracted('d', cwd)).sources).toEqual(['d/B.md', 'd/a/c.txt', 'd/b.md']);
    expect((await extracted({ folder: 'd' }, cwd)).sources).toHaveLength(3);
  });

  it('excludes what .gitignore and .kbignore name, also those of folders above within the repository', async () => {
    const cwd = folder({
      '.git/HEAD': '',
      '.gitignore': 'd/out/\n*.tmp.md\n',
      'd/.kbignore': 'drafts\n!keep.tmp.md\n',
      'd/a.md': '1',
      'd/out/b.md': '2',
      'd/drafts/c.md': '3',
      'd/x.tmp.md': '4',
      'd/keep.tmp.md': '5',
    });
    const found = await extracted('d', cwd);
    expect(found.sources).toEqual(['d/a.md', 'd/keep.tmp.md']);
    expect(found.passed).toEqual(['d/drafts/', 'd/out/', 'd/x.tmp.md']);
    expect(found.notices).toEqual([
      '.gitignore excludes 2 files and folders: d/out/, d/x.tmp.md. To read them as well, add ingestion.docs.gitignore: false.',
    ]);
    const whole = await extracted('d', cwd, { gitignore: false });
    expect([whole.sources, whole.passed]).toEqual([['d/a.md', 'd/keep.tmp.md', 'd/out/b.md', 'd/x.tmp.md'], ['d/drafts/']]);
    expect((await extracted('d/out', cwd)).sources).toEqual(['d/out/b.md']);
  });

  it('names a file in NFC, however it is spelled on disk and given, unless that is the name of another file', async () => {
    const [apart, whole] = ['NFD', 'NFC'].map((form) => 'Prüfblätter'.normalize(form));
    const cwd = folder({ [`d/${apart}/${apart}.md`]: '1' });
    for (const given of ['d', `d/${apart}`, `d/${whole}/${whole}.md`, `d/${apart}/${apart}.md`])
      expect((await extracted(given, cwd)).sources).toEqual([`d/${whole}/${whole}.md`]);
    const { scopes } = await extracted(`d/${whole}`, cwd);
    expect(scopes[0]!.covers(`d/${whole}/old.md`)).toBe(true);
    write(cwd, { [`d/${apart}/${whole}.md`]: '2' });
    expect((await extracted('d', cwd)).sources).toHaveLength(2);
  });

  it('passes over files of other kinds, with a notice', async () => {
    const found = await extracted('.', folder({ 'a.md': '1', 'photo.png': '2', Makefile: '3' }));
    expect([found.sources, found.passed.toSorted(), found.errors]).toEqual([['a.md'], ['Makefile', 'photo.png'], []]);
    expect(found.notices).toContain('1 file of kinds that kb does not read was passed over: Makefile.');
    const many = await extracted('.', folder({ 'a.md': '1', 'a.dwg': '2', 'b.dwg': '2', 'c.dwg': '2', Makefile: '3' }));
    expect(many.notices).toEqual(['4 files of kinds that kb does not read were passed over: .dwg, no ending.']);
    expect((await extracted('a.dwg', folder({ 'a.dwg': '2' }))).errors).toMatchObject([
      { error: expect.stringMatching(/"\.dwg" are not supported\. kb reads PDF/) as string },
    ]);
  });

  it('names a command that converts files of other kinds', async () => {
    const cwd = folder({ 'a.md': '1', 'my plan.pages': 'PK', 'ls.1': '.TH LS 1' });
    expect((await extracted('.', cwd)).notices).toEqual([
      '2 files of kinds that kb does not read were passed over: ls.1, my plan.pages. A command that converts one: mandoc -T markdown ls.1 > ls.1.md',
    ]);
    const errors = (await extracted(['ls.1', 'my plan.pages'], cwd)).errors.map(({ error }) => error);
    expect(errors).toEqual([
      'ls.1: files of the kind ".1" are not supported. Convert it: mandoc -T markdown ls.1 > ls.1.md',
      `my plan.pages: files of the kind ".pages" are not supported. Convert it: soffice --headless --convert-to docx 'my plan.pages'`,
    ]);
  });

  it('names pictures that were not read, and reads them if OCR is on', async () => {
    const cwd = folder({ 'a.md': '1', 'photo.png': '2', 'scan.tiff': '3' });
    const reported = await extracted('.', cwd);
    expect(reported.notices).toEqual([
      expect.stringMatching(/^2 pictures were not read: photo\.png, scan\.tiff\. ingestion\.docs\.ocr: auto reads the text in them\.$/),
    ]);
    expect((await extracted('photo.png', cwd)).errors).toMatchObject([{ error: expect.stringMatching(/^photo\.png is a picture/) }]);
    const read = await extracted('.', cwd, { reader: withPictures(reader, { ocr: 'auto' }) });
    expect([read.sources, read.notices]).toEqual([['a.md', 'photo.png', 'scan.tiff'], []]);
  });

  it('passes over empty files, with a notice', async () => {
    const files = { 'd/a.md': '1', 'd/empty.md': '', 'd/blank.txt': '\ufeff \r\n\t\n' };
    const found = await extracted('d', folder(files));
    expect([found.sources, found.passed.toSorted(), found.errors]).toEqual([['d/a.md'], ['d/blank.txt', 'd/empty.md'], []]);
    expect([found.notices, found.expected]).toEqual([['2 files have no text and were passed over: d/blank.txt, d/empty.md.'], 1]);
    const named = await extracted(['d/a.md', 'd/empty.md'], folder(files));
    expect([named.sources, named.passed, named.expected]).toEqual([['d/a.md'], ['d/empty.md'], 1]);
  });

  it('passes over Markdown with only front matter', async () => {
    const bare = '---\ntitle: Guides\neleventyNavigation:\n  key: Guides\n---\n';
    const files = { 'd/index.md': bare, 'd/a.md': `${bare}Words.`, 'd/b.md': '---\nWords.\n---\n', 'd/c.md': `${bare}- item\n\n---\n` };
    const found = await extracted('d', folder(files));
    expect([found.sources, found.passed, found.errors]).toEqual([['d/a.md', 'd/b.md', 'd/c.md'], ['d/index.md'], []]);
  });

  it('passes over broken links to files of other kinds', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    symlinkSync('absent.css', join(cwd, 'd/style.css'));
    const found = await extracted('d', cwd, { reader: { ...reader, fileType: fileTypes().fileType } }); // of code, which a folder is not searched for
    expect([found.sources, found.passed, found.errors]).toEqual([['d/a.md'], ['d/style.css'], []]);
    expect(found.scopes).toHaveLength(1);
    symlinkSync('absent', join(cwd, 'd/folder'));
    symlinkSync('absent.md', join(cwd, 'd/gone.md'));
    expect((await extracted('d', cwd)).errors.map(({ source }) => source)).toEqual(['d/folder', 'd/gone.md']);
  });

  it('reports an empty file that was named alone as an error', async () => {
    expect((await extracted('empty.md', folder({ 'empty.md': '' }))).sources).toEqual(['empty.md']);
    expect((await extracted('d', folder({ 'd/empty.md': '' }))).passed).toEqual(['d/empty.md']);
  });

  it('is an error without documents, and removes nothing', async () => {
    const found = await extracted('empty', folder({ 'empty/photo.png': '' }));
    expect(found.errors[0]).toMatchObject({
      source: 'empty',
      stage: 'validate',
      error: expect.stringContaining('holds no document') as string,
    });
    expect(found.scopes).toEqual([]);
  });

  it('is read once if it links to itself', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    symlinkSync(join(cwd, 'd'), join(cwd, 'd/again'));
    for (const follow_links of [false, true]) expect((await extracted('d', cwd, { follow_links })).sources).toEqual(['d/a.md']);
  });
});

describe('links that lead out of a folder', () => {
  const linked = () => {
    const around = realpathSync(
      folder({ 'work/d/a.md': '1', 'work/d/x/b.md': '2', 'else/c.md': '3', 'else/more/e.md': '4', 'hush.md': '5' }),
    );
    const cwd = join(around, 'work');
    symlinkSync('../../hush.md', join(cwd, 'd/hush.md'));
    symlinkSync('../../else', join(cwd, 'd/vendor'));
    symlinkSync('../../absent', join(cwd, 'd/absent'));
    symlinkSync('../../work', join(around, 'else/more/back')); // a loop by way of the folder itself
    symlinkSync('x', join(cwd, 'd/inside'));
    return { cwd, outside: ['else/c.md', 'else/more/e.md', 'hush.md'].map((name) => join(around, name)) };
  };

  it('are not followed, with a notice', async () => {
    const { cwd } = linked();
    const found = await extracted('d', cwd);
    expect([found.sources, found.errors]).toEqual([['d/a.md', 'd/x/b.md'], []]);
    expect(found.passed).toEqual(['d/absent', 'd/hush.md', 'd/vendor']);
    expect(found.notices).toEqual([
      '3 symbolic links were skipped, since they point to something outside d: d/absent, d/hush.md, d/vendor. To read what is there as well, add ingestion.docs.follow_links: true.',
    ]);
    expect(found.scopes[0]!.covers('d/gone.md')).toBe(true);
    const matched = await extracted('d/**/*.md', cwd);
    expect([matched.sources.toSorted(), matched.passed.length > 0]).toEqual([['d/a.md', 'd/x/b.md'], true]);
    expect(matched.notices[0]).toContain('outside d/**/*.md: d/hush.md, d/vendor/c.md');
  });

  it('are followed once each with follow_links', async () => {
    const { cwd, outside } = linked();
    const found = await extracted('d', cwd, { follow_links: true });
    expect(found.sources.toSorted()).toEqual([...outside, 'd/a.md', 'd/x/b.md'].toSorted());
    expect([found.passed, found.notices, found.errors.map(({ source }) => source)]).toEqual([[], [], ['d/absent']]);
    const matched = await extracted('d/*.md', cwd, { follow_links: true });
    expect(matched.sources.toSorted()).toEqual([outside[2], 'd/a.md'].toSorted());
  });

  it('are followed if they are named themselves', async () => {
    const { cwd, outside } = linked();
    expect((await extracted(['d/hush.md', 'd/vendor'], cwd)).sources.toSorted()).toEqual(outside.toSorted());
  });
});

describe('a file name that is not UTF-8', () => {
  const named = (rest: Record<string, string> = {}): string | undefined => {
    const cwd = folder({ 'd/a.md': '1', ...rest });
    try {
      const path = (...parts: (string | number)[]) =>
        Buffer.concat([Buffer.from(join(cwd, 'd/')), ...parts.map((part) => Buffer.from(typeof part === 'string' ? part : [part]))]);
      mkdirSync(path('m', 0xfc, 'll'));
      writeFileSync(path('m', 0xfc, 'll/b.md'), '2');
      writeFileSync(path('caf', 0xe9, '.md'), '3');
      writeFileSync(path('caf', 0xe8, '.md'), '4');
      return cwd;
    } catch {
      return undefined; // a file system that knows no such names
    }
  };
  const sources = ['d/a.md', 'd/caf\\xE8.md', 'd/caf\\xE9.md', 'd/m\\xFCll/b.md'];

  it('has a readable source of its own, by which it is read, found gone and named', async () => {
    const cwd = named();
    if (cwd === undefined) return;
    const found = await extracted('d', cwd);
    expect([found.sources.toSorted(), found.errors]).toEqual([sources, []]);
    expect((await found.candidates.find(({ source }) => source.endsWith('E9.md'))!.document()).text).toBe('3');
    expect(sources.map((source) => found.scopes[0]!.covers(source))).toEqual([true, true, true, true]);
    expect((await extracted(['d/caf\\xE9.md', 'd/m\\xFCll'], cwd)).sources).toEqual([sources[2], sources[3]]);
  });

  it('is matched by patterns and by globs, and read under path permissions', async () => {
    const cwd = named();
    if (cwd === undefined) return;
    expect((await extracted('d/*.md', cwd)).sources.toSorted()).toEqual(sources.slice(0, 3));
    expect((await extracted('d/**/*.md', cwd)).sources.toSorted()).toEqual(sources);
    expect((await extracted(['d/a.md', 'd/caf\ufffd.md', 'd/caf\ufffd.md'], cwd)).sources.toSorted()).toEqual(sources.slice(0, 3));
    const authorize: Authorize = (path, given) => {
      if (!isWithin(realpathSync(cwd), path)) throw new KbError('forbidden', `${given} lies outside.`);
    };
    for (const docs of ['d', 'd/**']) expect((await extracted(docs, cwd, { authorize })).sources.toSorted()).toEqual(sources);
    const [scope] = (await extracted('d/**/*.md', cwd)).scopes;
    expect([...sources, 'd/gone\\xE9.md'].map((source) => scope!.covers(source))).toEqual([false, false, false, false, true]);
  });

  it('is distinguished from a name that is spelled like its source', async () => {
    const cwd = named({ 'd/caf\\xE9.md': '5' });
    if (cwd === undefined) return;
    expect((await extracted('d', cwd)).sources.toSorted()).toEqual(['d/a.md', 'd/caf\\x5CxE9.md', ...sources.slice(1)]);
  });
});

describe('a source that is gone', () => {
  it('is covered by a completely read folder that does not contain it', async () => {
    const cwd = folder({ 'd/a.md': '1', 'e/b.md': '2' });
    const [scope] = (await extracted('d', cwd)).scopes;
    expect(['d/gone.md', 'd/x/gone.md', 'e/b.md', 'dd/c.md', '/elsewhere/d.md'].map((source) => scope!.covers(source))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is covered by a glob that no longer matches it', async () => {
    const [scope] = (await extracted('d/**/*.md', folder({ 'd/a.md': '1' }))).scopes;
    expect(['d/gone.md', 'd/x/gone.md', 'd/gone.txt'].map((source) => scope!.covers(source))).toEqual([true, true, false]);
  });

  it('is not one that exists in a folder that could not be read', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    const [scope] = (await extracted('d/*.md', cwd)).scopes;
    write(cwd, { 'd/b.md': '2' });
    expect(['d/b.md', 'd/c.md'].map((source) => scope!.covers(source))).toEqual([false, true]);
  });

  it('is not determined for a single file', async () => {
    expect((await extracted('d/a.md', folder({ 'd/a.md': '1' }))).scopes).toEqual([]);
  });
});

describe('an ignore file', () => {
  it('is skipped if it is a pipe', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    execFileSync('mkfifo', [join(cwd, 'd/.gitignore')]);
    expect((await extracted('d', cwd)).sources).toEqual(['d/a.md']);
  });

  it('with rules that take hours is an error of deep folders alone', async () => {
    const deep = `d/in/${'a/'.repeat(60)}x.md`;
    const cwd = folder({ 'd/a.md': '1', 'd/in/.gitignore': '**/a/**/a/**/a/**/b\n', 'd/in/a/b.md': '2', 'd/in/c.md': '3', [deep]: '4' });
    const { sources, errors } = await extracted('d', cwd);
    expect(sources).toEqual(['d/a.md', 'd/in/a/b.md', 'd/in/c.md']);
    expect(errors).toEqual([
      expect.objectContaining({ error: expect.stringContaining('The rules of .gitignore have too many "**" for a path of') }),
    ]);
  });

  it.each([['of more rules than can be tested', 'abc\n'.repeat(70_000), '.gitignore is larger than 256 KiB, the most that is read.']])(
    '%s is an error of its folder, and the others are read',
    async (_, text, message) => {
      const { sources, errors } = await extracted('d', folder({ 'd/a.md': '1', 'd/in/.gitignore': text, 'd/in/b.md': '2' }));
      expect([sources, errors]).toEqual([['d/a.md'], [expect.objectContaining({ error: expect.stringContaining(message) })]]);
    },
  );
});

describe('a path', () => {
  it('has one source whatever its spelling, and is read once', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    symlinkSync(join(cwd, 'd'), join(cwd, 'link'));
    expect((await extracted(['d/a.md', './d/../d/a.md', join(cwd, 'd/a.md'), 'link/a.md', 'd'], cwd)).sources).toEqual(['d/a.md']);
  });

  it('is relative to the folder of the configuration, and absolute outside of it', async () => {
    const cwd = folder({ 'home/d/a.md': '1', 'b.md': '2' });
    expect((await extracted(['home/d/a.md', 'b.md'], cwd, { home: join(cwd, 'home') })).sources).toEqual(['d/a.md', join(cwd, 'b.md')]);
  });

  it('that does not exist is reported with its absolute path only if that differs, and one without an extension as such', async () => {
    const cwd = folder({ Makefile: '1' });
    const said = async (given: string) => (await extracted(given, cwd)).errors[0]?.error;
    expect(await said('none.md')).toContain('none.md does not exist (looked for ');
    expect(await said('/none/none.md')).toMatch(/^\/none\/none\.md does not exist\. /);
    expect(await said('Makefile')).toMatch(/^Makefile: files without an extension are not supported\./);
  });

  it('is named in the error if it does not exist, matches nothing or has an unsupported kind', async () => {
    const { errors, sources } = await extracted(['absent.md', 'x/*.md', 'a.tar', 'b.md'], folder({ 'a.tar': '1', 'b.md': '2' }));
    expect(sources).toEqual(['b.md']);
    expect(errors.map(({ source, stage }) => [source, stage])).toEqual([
      ['absent.md', 'validate'],
      ['x/*.md', 'validate'],
      ['a.tar', 'validate'],
    ]);
    expect(errors[2]!.error).toContain('.tar');
  });

  it('is an error item if it is a pipe, without waiting for its end', async () => {
    const cwd = folder();
    execFileSync('mkfifo', [join(cwd, 'pipe.md')]);
    const { errors, sources } = await extracted('pipe.md', cwd);
    expect([sources, errors.map(({ source, stage }) => [source, stage])]).toEqual([[], [['pipe.md', 'validate']]]);
  });

  it("is an error item if its file vanishes or can't be read", async () => {
    const cwd = folder({ 'd/a.md': '1', 'd/b.md': '2' });
    renameSync(join(cwd, 'd/b.md'), join(cwd, 'd/c'));
    symlinkSync(join(cwd, 'd/gone'), join(cwd, 'd/b.md'));
    const { errors, sources } = await extracted('d', cwd);
    expect([sources, errors.map(({ source }) => source)]).toEqual([['d/a.md'], ['d/b.md']]);
  });
});

describe('the hash of a candidate', () => {
  it('changes with the bytes, the title and the description only', async () => {
    const cwd = folder({ 'a.md': '1' });
    const hashOf = async (docs: DocsInput) => (await extracted(docs, cwd)).candidates[0]!.content_hash;
    const first = await hashOf('a.md');
    chmodSync(join(cwd, 'a.md'), 0o600);
    expect(await hashOf('./a.md')).toBe(first);
    expect(await hashOf([{ path: 'a.md', title: 'T' }])).not.toBe(first);
    expect(await hashOf([{ path: 'a.md', description: 'T' }])).not.toBe(first);
    rmSync(join(cwd, 'a.md'));
    write(cwd, { 'a.md': '2' });
    expect(await hashOf('a.md')).not.toBe(first);
  });

  it('belongs to a document with title and provenance', async () => {
    const [candidate] = (await extracted([{ path: 'notes/a-b.md', description: 'About' }], folder({ 'notes/a-b.md': 'text' }))).candidates;
    expect(await candidate!.document()).toMatchObject({
      source: 'notes/a-b.md',
      title: 'a-b',
      text: 'text',
      metadata: { source_kind: 'path', file_type: 'markdown', title: 'a-b', description: 'About' },
    });
  });
});
