import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KbError } from '../../../../src/core/errors.ts';
import type { DocsInput } from '../../../../src/schema/source-entries.ts';
import { isWithin, type Authorize } from '../../../../src/stages/extract/files/local-path.ts';
import { folder, write } from '../../../support/folder.ts';
import { extracted } from '../../../support/extracted-documents.ts';

/** A folder `project` that may be read, beside things that may not; and what is asked of it, with every path that was asked about. */
function guarded(files: Record<string, string> = {}) {
  const around = realpathSync(folder({ 'project/docs/a.md': 'inside', 'secret.md': '4711', 'private/secret.md': '4711', ...files }));
  const project = join(around, 'project');
  const asked: string[] = [];
  const authorize: Authorize = (path, given) => {
    asked.push(path);
    if (!isWithin(project, path)) throw new KbError('forbidden', `${given} lies outside.`);
  };
  const link = (to: string, from: string) => symlinkSync(join(around, to), join(project, from));
  return {
    around,
    project,
    asked,
    link,
    read: (docs: DocsInput, follow_links = false) => extracted(docs, project, { authorize, follow_links }),
  };
}

const refused = (source: string) => ({
  source,
  source_kind: 'path',
  stage: 'validate',
  error: `${source} lies outside.`,
  isRetryable: false,
  attempts: 1,
});

describe('reading under path permissions', () => {
  it('refuses an outside path, whatever its spelling, and reads the other paths', async () => {
    const { around, link, read } = guarded({ 'project-old/secret.md': '4711' });
    link('secret.md', 'docs/link.md');
    link('private', 'docs/linked');
    const files = ['../secret.md', join(around, 'secret.md'), 'docs/../../secret.md', '../project-old/secret.md', 'docs/link.md'];
    for (const file of [...files, 'docs/linked/secret.md', '../private', 'docs/linked', '..', '/']) {
      const { sources, errors, passed } = await read([file, 'docs/a.md']);
      expect([sources, errors, passed]).toEqual([['docs/a.md'], [refused(file)], []]);
    }
  });

  it('gives the same error for an outside path in the escaped form of a source, whether it exists or not', async () => {
    const { read } = guarded();
    for (const file of ['../se\\x63ret.md', '../ab\\x73ent.md']) expect((await read([file])).errors).toEqual([refused(file)]);
    expect((await read(['docs/\\x61.md'])).sources).toEqual(['docs/a.md']);
  });

  it('gives the same error for missing and existing outside paths', async () => {
    const { link, read } = guarded();
    link('private', 'docs/linked');
    link('absent', 'docs/gone');
    link('private/absent.md', 'docs/gone.md');
    link('project/docs/loop.md', 'docs/loop.md');
    const files = [
      '../absent.md',
      '../absent/',
      '../private/absent.md',
      '../secret.md/x',
      'docs/linked/absent.md',
      'docs/gone.md',
      'docs/gone/x.md',
    ];
    for (const file of [...files, `/${'x'.repeat(300)}.md`, '../a\0b.md', '../*', '/none/**/*.md'])
      expect((await read(file)).errors).toEqual([refused(file)]);
    expect((await read('docs/loop.md')).errors[0]!.error).toMatch(/^docs\/loop\.md cannot be read: /);
  });

  it('reports a path of two hundred thousand names, and one with an invalid character, as error items', async () => {
    const { around, read } = guarded();
    const deep = 'a/'.repeat(200_000);
    for (const file of [deep, `docs/${'x'.repeat(300)}.md`, 'docs/a\0.md', 'docs/a.md/x.md']) {
      const { errors, sources } = await read(file);
      expect([sources, errors.map(({ stage }) => stage)]).toEqual([[], ['validate']]);
      expect(errors[0]!.error).not.toContain(around);
    }
  });

  it('reports a missing inside path without its folder', async () => {
    const { around, read } = guarded();
    for (const file of ['absent.md', 'docs/*.pdf', '%2e%2e/secret.md', '..%2fsecret.md', '~/secret.md', `file://${around}/secret.md`]) {
      const { errors, sources } = await read(file);
      expect([sources, errors.map(({ source, stage }) => [source, stage])]).toEqual([[], [[file, 'validate']]]);
      expect(errors[0]!.error.replaceAll(file, '')).not.toContain(around);
    }
  });

  it('reads a path with inside detours, a link that stays inside, and a name that begins with dots', async () => {
    const { link, read } = guarded({ 'project/more/b.md': '1', 'project/..notes.md': '2' });
    link('project/more', 'docs/more');
    link('project/more/b.md', 'docs/b.md');
    expect((await read(['docs/../docs/./a.md', '../project/docs/a.md', 'docs/more/b.md', '..notes.md'])).sources).toEqual([
      'docs/a.md',
      'more/b.md',
      '..notes.md',
    ]);
    expect((await read('docs', true)).sources).toEqual(['docs/a.md', 'more/b.md']);
    expect(await read('docs')).toMatchObject({ sources: ['docs/a.md'], passed: ['docs/b.md', 'docs/more'] });
  });

  it('reports each link that leads out of a folder without revealing its target', async () => {
    const { around, link, read } = guarded({ 'private/deep/more.md': '4711', 'list.txt': '4711', Makefile: '' });
    for (const to of ['secret.md', 'private', 'absent.md', 'list.txt', 'Makefile', 'private/absent'])
      link(to, `docs/to-${to.replace('/', '-')}`);
    symlinkSync('..', join(around, 'project/docs/up'));
    symlinkSync('../..', join(around, 'project/docs/upper'));
    const { sources, errors, passed, scopes } = await read({ folder: 'docs' }, true);
    const names = ['Makefile', 'absent.md', 'list.txt', 'private', 'private-absent', 'secret.md'].map((name) => `docs/to-${name}`);
    expect(errors).toEqual([...names, 'docs/upper'].map(refused));
    expect([sources, passed]).toEqual([['docs/a.md'], []]);
    expect(scopes[0]!.covers('docs/gone.md')).toBe(true);
  });

  it('passes over an excluded link that leads out, as without permissions', async () => {
    const { link, read } = guarded({ 'project/docs/.kbignore': 'secret.md\ndrafts/\n' });
    link('secret.md', 'docs/secret.md');
    link('private', 'docs/drafts');
    expect(await read('docs')).toMatchObject({ sources: ['docs/a.md'], errors: [] });
  });

  it('reports a pattern that begins outside or climbs as one error item, and reads or names nothing outside', async () => {
    const { around, asked, read } = guarded();
    for (const pattern of ['../*.md', '../**', '/**', '/*', `${around}/*.md`, '../private/*.md', 'docs/../../*.md'])
      expect((await read(pattern)).errors).toEqual([refused(pattern)]);
    for (const pattern of [
      'docs/*/../../../*.md',
      '{../*,docs/*}',
      '{../../*,../*}.md',
      '\\.\\./*.md',
      '[.][.]/*.md',
      '@(..)/*.md',
      '!../*.md',
    ]) {
      const { sources, errors, passed } = await read(pattern);
      expect([sources, passed, errors.map(({ source, stage }) => [source, stage])]).toEqual([[], [], [[pattern, 'validate']]]);
    }
    expect(asked).not.toContain(join(around, 'secret.md'));
  });

  it('a pattern finds inside files, follows no link, and determines gone files', async () => {
    const { project, link, read } = guarded({ 'project/docs/x/b.md': '1', 'project/docs/c.txt': '2', 'project/node_modules/d.md': '3' });
    link('private', 'docs/linked');
    link('secret.md', 'docs/link.md');
    mkdirSync(join(project, 'docs/e.md'));
    expect(await read('docs/*.md')).toMatchObject({ sources: ['docs/a.md'], errors: [] });
    const { sources, scopes } = await read('**/*.md');
    expect(sources).toEqual(['docs/a.md', 'docs/x/b.md']);
    expect((await read(join(project, 'docs/**'))).sources).toEqual(['docs/a.md', 'docs/c.txt', 'docs/x/b.md']);
    expect(['docs/gone.md', 'gone.md', 'docs/gone.txt', 'docs/a.md', '../gone.md'].map((source) => scopes[0]!.covers(source))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('refuses a link that replaces a file while it is hashed or read', async () => {
    const { around, project } = guarded();
    const path = join(project, 'docs/a.md');
    const swap = (target: string) => {
      rmSync(path);
      symlinkSync(target, path);
    };
    const allowed = (file: string) => isWithin(project, file) || file === '';
    let calls = 0;
    const authorize: Authorize = (file, given) => {
      if (++calls === 2) swap(join(around, 'secret.md')); // after the listing, and after the last look before it is opened
      if (!allowed(file)) throw new KbError('forbidden', `${given} lies outside.`);
    };
    expect(await extracted('docs/a.md', project, { authorize })).toMatchObject({ sources: [], errors: [refused('docs/a.md')] });
    rmSync(path);
    write(project, { 'docs/a.md': 'large '.repeat(300_000) });
    calls = 10;
    const { candidates } = await extracted('docs/a.md', project, { authorize });
    swap(join(around, 'secret.md'));
    await expect(candidates[0]!.document()).rejects.toThrow('docs/a.md lies outside.');
  });
});
