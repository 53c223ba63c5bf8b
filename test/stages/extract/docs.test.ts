import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DocumentReader } from '../../../src/ports.ts';
import type { DocsInput } from '../../../src/schema/requests.ts';
import type { Candidate, Extracted, Scope } from '../../../src/stages/extract/candidate.ts';
import { extractDocs } from '../../../src/stages/extract/docs.ts';
import { folder, write } from '../../support/folder.ts';

/** Reads Markdown and text as they are: parsing is not what is tested here. */
const reader: DocumentReader = {
  extensions: ['.md', '.txt'],
  fileType: (path) => (path.endsWith('.md') ? 'markdown' : path.endsWith('.txt') ? 'text' : undefined),
  read: async (bytes) => ({ text: Buffer.from(bytes).toString(), metadata: {} }),
  close: async () => {},
};

async function extracted(docs: DocsInput, cwd: string, rest: { home?: string; authorize?: (path: string) => void } = {}) {
  const items: Extracted[] = [];
  const link = async function* (url: string): AsyncGenerator<Extracted> {
    yield { passed_over: url };
  };
  for await (const item of extractDocs(docs, { reader, cwd, home: cwd, frontmatter: false, link, ...rest })) items.push(item);
  const pick = <T>(key: string) => items.flatMap((item) => (key in item ? [(item as unknown as Record<string, T>)[key]!] : []));
  const candidates = pick<Candidate>('candidate');
  return {
    candidates,
    sources: candidates.map(({ source }) => source),
    errors: pick<{ source: string; error: string; stage: string }>('error'),
    passed: pick<string>('passed_over'),
    scopes: pick<Scope>('scope'),
  };
}

describe('a folder', () => {
  it('is read with the folders in it, in the order of names, without hidden ones and node_modules', async () => {
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

  it('leaves out what .gitignore and .kbignore exclude, also those above it within the repository', async () => {
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
    expect((await extracted('d', cwd)).sources).toEqual(['d/a.md', 'd/keep.tmp.md']);
    expect((await extracted('d/out', cwd)).sources).toEqual(['d/out/b.md']);
  });

  it('passes over files of other kinds, and says which', async () => {
    const found = await extracted('.', folder({ 'a.md': '1', 'photo.png': '2', Makefile: '3' }));
    expect([found.sources, found.passed.toSorted(), found.errors]).toEqual([['a.md'], ['Makefile', 'photo.png'], []]);
  });

  it('that holds nothing of use is an error, and no reason to remove anything', async () => {
    const found = await extracted('empty', folder({ 'empty/photo.png': '' }));
    expect(found.errors[0]).toMatchObject({
      source: 'empty',
      stage: 'validate',
      error: expect.stringContaining('holds no document') as string,
    });
    expect(found.scopes).toEqual([]);
  });

  it('that links to itself is read once', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    symlinkSync(join(cwd, 'd'), join(cwd, 'd/again'));
    expect((await extracted('d', cwd)).sources).toEqual(['d/a.md']);
  });
});

describe('what is gone', () => {
  it('is what a folder that was read whole covers and does not hold', async () => {
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

  it('is what a glob covers and does not match any more', async () => {
    const [scope] = (await extracted('d/**/*.md', folder({ 'd/a.md': '1' }))).scopes;
    expect(['d/gone.md', 'd/x/gone.md', 'd/gone.txt'].map((source) => scope!.covers(source))).toEqual([true, true, false]);
  });

  it('is nothing that is there and was not met: its folder may not be one that can be read', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    const [scope] = (await extracted('d/*.md', cwd)).scopes;
    write(cwd, { 'd/b.md': '2' });
    expect(['d/b.md', 'd/c.md'].map((source) => scope!.covers(source))).toEqual([false, true]);
  });

  it('is not known for a single file', async () => {
    expect((await extracted('d/a.md', folder({ 'd/a.md': '1' }))).scopes).toEqual([]);
  });
});

describe('a path', () => {
  it('has one source however it is spelled, and is read once', async () => {
    const cwd = folder({ 'd/a.md': '1' });
    symlinkSync(join(cwd, 'd'), join(cwd, 'link'));
    expect((await extracted(['d/a.md', './d/../d/a.md', join(cwd, 'd/a.md'), 'link/a.md', 'd'], cwd)).sources).toEqual(['d/a.md']);
  });

  it('is relative to the folder of the configuration, and absolute outside of it', async () => {
    const cwd = folder({ 'home/d/a.md': '1', 'b.md': '2' });
    expect((await extracted(['home/d/a.md', 'b.md'], cwd, { home: join(cwd, 'home') })).sources).toEqual(['d/a.md', join(cwd, 'b.md')]);
  });

  it('that does not exist is said to be looked for elsewhere only where that is so, and one without an extension is called that', async () => {
    const cwd = folder({ Makefile: '1' });
    const said = async (given: string) => (await extracted(given, cwd)).errors[0]?.error;
    expect(await said('none.md')).toContain('none.md does not exist (looked for ');
    expect(await said('/none/none.md')).toMatch(/^\/none\/none\.md does not exist\. /);
    expect(await said('Makefile')).toMatch(/^Makefile: files without an extension are not supported\./);
  });

  it('that does not exist, or matches nothing, or is of no supported kind, is named', async () => {
    const { errors, sources } = await extracted(['absent.md', 'x/*.md', 'a.tar', 'b.md'], folder({ 'a.tar': '1', 'b.md': '2' }));
    expect(sources).toEqual(['b.md']);
    expect(errors.map(({ source, stage }) => [source, stage])).toEqual([
      ['absent.md', 'validate'],
      ['x/*.md', 'validate'],
      ['a.tar', 'validate'],
    ]);
    expect(errors[2]!.error).toContain('.tar');
  });

  it('that is a pipe is an error item, and nobody waits for its end', async () => {
    const cwd = folder();
    execFileSync('mkfifo', [join(cwd, 'pipe.md')]);
    const { errors, sources } = await extracted('pipe.md', cwd);
    expect([sources, errors.map(({ source, stage }) => [source, stage])]).toEqual([[], [['pipe.md', 'validate']]]);
  });

  it('that must not be read is an error item', async () => {
    const authorize = (path: string) => {
      if (path.endsWith('b.md')) throw new Error('b.md lies outside.');
    };
    const { errors, sources } = await extracted('.', folder({ 'a.md': '1', 'b.md': '2' }), { authorize });
    expect([sources, errors.map(({ source, error }) => [source, error])]).toEqual([['a.md'], [['b.md', 'b.md lies outside.']]]);
  });

  it("of which the file vanishes or can't be read is an error item", async () => {
    const cwd = folder({ 'd/a.md': '1', 'd/b.md': '2' });
    renameSync(join(cwd, 'd/b.md'), join(cwd, 'd/c'));
    symlinkSync(join(cwd, 'd/gone'), join(cwd, 'd/b.md'));
    const { errors, sources } = await extracted('d', cwd);
    expect([sources, errors.map(({ source }) => source)]).toEqual([['d/a.md'], ['d/b.md']]);
  });
});

describe('the hash of a candidate', () => {
  it('changes with the bytes, the title and the description, and with nothing else', async () => {
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

  it('makes a document with title and provenance', async () => {
    const [candidate] = (await extracted([{ path: 'notes/a-b.md', description: 'About' }], folder({ 'notes/a-b.md': 'text' }))).candidates;
    expect(await candidate!.document()).toMatchObject({
      source: 'notes/a-b.md',
      title: 'a-b',
      text: 'text',
      metadata: { source_kind: 'path', file_type: 'markdown', title: 'a-b', description: 'About' },
    });
  });
});
