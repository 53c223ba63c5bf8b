import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReaders } from '../../../../src/drivers/documents.ts';
import type { FileKind } from '../../../../src/schema/config-sources.ts';
import { extractDocs } from '../../../../src/stages/extract/files/documents.ts';
import { zipFile } from '../../../../packages/documents/test/support/zip.ts';

const reader = createReaders({ processes: 1, seconds: 60, megabytes: 256 }).open({ ocr: 'report', passwords: [] });
let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'kb-kinds-'));
  await mkdir(join(cwd, 'docs'));
  await writeFile(join(cwd, 'docs/a.md'), '# A\n\nWords.');
  await writeFile(join(cwd, 'docs/b.json'), '{"a": 1}');
  await writeFile(join(cwd, 'docs/c.ts'), 'export const a = 1;\n');
  await writeFile(join(cwd, 'docs/d.zip'), zipFile({ 'two.md': '# Two\n\nMore.', 'one.txt': 'One.', 'in.zip': 'PK' }));
});
afterEach(async () => {
  await rm(cwd, { recursive: true });
});

const found = async (docs: string, kinds: FileKind[] = ['documents']) => {
  const link = async function* () {};
  const parts = { reader, cwd, home: cwd, frontmatter: false, follow_links: false, gitignore: true, ocr: 'report' as const, kinds, link };
  const all = {
    sources: [] as string[],
    passed_over: [] as string[],
    notices: [] as string[],
    documents: [] as unknown[],
    errors: [] as string[],
  };
  for await (const item of extractDocs(docs, parts)) {
    if ('passed_over' in item) all.passed_over.push(item.passed_over);
    if ('notice' in item) all.notices.push(item.notice);
    if ('error' in item) all.errors.push(item.error.error);
    if (!('candidate' in item)) continue;
    all.sources.push(item.candidate.source);
    const { members = [], ...first } = await item.candidate.document();
    all.documents.push(...[first, ...members].map(({ id, source, title, metadata, marks }) => ({ id, source, title, metadata, marks })));
  }
  return all;
};

it('searches a folder for documents only, and names what it passed over', async () => {
  const { sources, passed_over, notices } = await found('docs');
  expect(sources).toEqual(['docs/a.md']);
  expect(passed_over).toEqual(['docs/b.json', 'docs/c.ts', 'docs/d.zip']);
  expect(notices).toEqual([expect.stringContaining('3 files of code, data or archives not read: docs/b.json, docs/c.ts')]);
});

it.each([
  ['docs', ['documents', 'data'], ['docs/a.md', 'docs/b.json']],
  ['docs', ['code'], ['docs/c.ts']],
  ['docs/**', ['documents'], ['docs/a.md']],
  ['docs/*.ts', ['documents'], ['docs/c.ts']],
  ['docs/b.json', ['documents'], ['docs/b.json']],
] as [string, FileKind[], string[]][])('reads from %s with the kinds %j: %j', async (docs, kinds, sources) => {
  expect((await found(docs, kinds)).sources).toEqual(sources);
});

it('rejects a folder with only other kinds, and says how to read them', async () => {
  await rm(join(cwd, 'docs/a.md'));
  expect((await found('docs')).errors).toEqual([expect.stringContaining('holds no document of a supported kind')]);
});

it('says of a folder without documents whether it is empty, in a short message', async () => {
  await mkdir(join(cwd, 'none/inner'), { recursive: true });
  expect((await found('none')).errors).toEqual(['none is empty. Put documents there, or name another folder.']);
  await writeFile(join(cwd, 'none/inner/film.mp4'), 'x');
  const [error] = (await found('none')).errors;
  expect(error).toMatch(/^none holds no document of a supported kind, but 1 other file\. kb reads PDF, /);
  expect(error!.length).toBeLessThan(200);
});

it('makes a document of each file of an archive, with one source and separate ids', async () => {
  const { documents } = await found('docs/d.zip');
  expect(documents).toMatchObject([
    {
      source: 'docs/d.zip',
      title: 'one',
      metadata: { member: 'one.txt', file_type: 'text', left_out: ['in.zip is an archive within another file'] },
    },
    { source: 'docs/d.zip', title: 'Two', metadata: { member: 'two.md' }, marks: [{ at: 0, line: 1, member: 'two.md' }] },
  ]);
  expect(new Set((documents as { id: string }[]).map(({ id }) => id)).size).toBe(2);
});
