import type { ResultOf } from '../../src/schema/operations.ts';
import { realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mergeLayers } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { authorizer, type Roots } from '../../src/engine/permissions.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { realPath } from '../../src/stages/extract/files/local-path.ts';
import { result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const VAULT = 'The vault code is 4711.';

/** A project beside things that are none of its business. */
function neighbourhood() {
  const around = realpathSync(
    folder({
      'project/docs/reset.md': '# Resetting\n\nHold the pin for twelve seconds.',
      'project/notes.md': 'Bikes stay outside.',
      'secret.md': VAULT,
      'project-old/secret.md': VAULT,
      'private/secret.md': VAULT,
    }),
  );
  symlinkSync(join(around, 'secret.md'), join(around, 'project/docs/link.md'));
  symlinkSync(join(around, 'private'), join(around, 'project/docs/linked'));
  return { around, project: join(around, 'project') };
}

/** An engine as a server has one. */
function serverEngine(home: string, { allowed_roots, cwd = home }: { allowed_roots?: string[]; cwd?: string } = {}) {
  const settings = mergeLayers(WORDS, allowed_roots ? { server: { allowed_roots } } : {});
  const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, settings)), home, cwd, surface: 'server' });
  onTestFinished(() => engine.close());
  return engine;
}

describe('a server', () => {
  it('reads no file outside of its folders, however the path is spelled, but the files beside it', async () => {
    const { around, project } = neighbourhood();
    const engine = serverEngine(project);
    const outside = [
      '../secret.md',
      join(around, 'secret.md'),
      'docs/../../secret.md',
      '../project-old/secret.md',
      './docs/link.md',
      'docs/linked/secret.md',
      'docs/../../project-old/secret.md',
      '/etc/hostname.md',
      '/proc/self/environ',
      '../*.md',
      `${around}/**`,
      '/**',
    ];
    const nowhere = [
      `file://${around}/secret.md`,
      `file:${around}/secret.md`,
      `FILE://localhost${around}/secret.md`,
      '%2e%2e/secret.md',
      '..%2fsecret.md',
      '..\\secret.md',
      '~/secret.md',
      '{../*,docs/../../*}',
    ];
    for (const file of [...outside, ...nowhere]) {
      const answer = await result(engine, 'parse', { files: [file, 'docs/reset.md'] });
      expect([file, answer.documents, answer.failed, answer.outputs.map(({ source }) => source)]).toEqual([file, 1, 1, ['docs/reset.md']]);
      expect(answer.errors[0]).toMatchObject({ source: file, source_kind: 'path', stage: 'validate', isRetryable: false, attempts: 1 });
      expect(JSON.stringify(answer)).not.toContain('4711');
      expect(answer.errors[0]!.error.replaceAll(file, '')).not.toContain(around);
      if (outside.includes(file))
        expect(answer.errors[0]!.error).toBe(
          `${file} lies outside the folders that the server may read. The operator lists them in server.allowed_roots.`,
        );
    }
  });

  it('is led out of its folders by no folder name and no link', async () => {
    const { around, project } = neighbourhood();
    const engine = serverEngine(project);
    for (const dir of ['..', around, '../private', 'docs/linked', '/', '../absent']) {
      const answer = await result(engine, 'ingest', { docs: { folder: dir } });
      expect([dir, answer.sources, answer.stored, answer.failed]).toEqual([dir, 0, 0, 1]);
      expect(answer.errors).toMatchObject([{ source: dir, source_kind: 'path', stage: 'validate' }]);
    }
    const inside = await result(engine, 'parse', { folder: 'docs' });
    expect(inside.outputs.map(({ source }) => source)).toEqual(['docs/reset.md']);
    expect(inside.errors.map(({ source, stage }) => [source, stage])).toEqual([
      ['docs/link.md', 'validate'],
      ['docs/linked', 'validate'],
    ]);
    expect(JSON.stringify(inside)).not.toMatch(/4711|private/);
  });

  it('reads the folders that its operator lists, relative to the configuration, and no others', async () => {
    const { around, project } = neighbourhood();
    const files = ['docs/reset.md', join(around, 'private/secret.md'), 'notes.md', join(around, 'secret.md'), 'docs/linked/secret.md'];
    const listed = serverEngine(project, { allowed_roots: ['docs', join(around, 'private')] });
    const answer = await result(listed, 'parse', { files: [...files, 'docs/../docs/./reset.md'] });
    expect(answer.outputs.map(({ source }) => source)).toEqual(['docs/reset.md', join(around, 'private/secret.md')]);
    expect(answer.errors.map(({ source }) => source)).toEqual(['notes.md', join(around, 'secret.md')]);
    const elsewhere = serverEngine(project, { cwd: join(project, 'docs') });
    expect(await result(elsewhere, 'parse', { files: ['reset.md', '../notes.md'] })).toMatchObject({ documents: 1, failed: 1 });
  });

  it('removes what is gone from a folder with links that lead out, and keeps the rest', async () => {
    const { project } = neighbourhood();
    const engine = serverEngine(project);
    write(project, { 'docs/gone.md': 'Gone soon.' });
    await result(engine, 'ingest', { docs: ['docs', 'notes.md'] });
    rmSync(join(project, 'docs/gone.md'));
    expect(await result(engine, 'ingest', { docs: 'docs', prune: true })).toMatchObject({ unchanged: 1, failed: 2 });
    expect(await sourcesIn(engine)).toEqual(['docs/reset.md', 'notes.md']);
  });

  it('does not limit what the command line reads', async () => {
    const { project } = neighbourhood();
    const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, WORDS)), home: project });
    onTestFinished(() => engine.close());
    expect(await result(engine, 'parse', { files: ['../secret.md', 'docs/link.md'] })).toMatchObject({ documents: 1, failed: 0 });
  });

  it('stores uploads as documents with their own chunks, and never as files with their names', async () => {
    const { around, project } = neighbourhood();
    const sent = folder({ 0: 'Doors are locked at ten.', 1: 'Bikes stay outside.', 2: 'not a PDF' });
    const names = ['../../rules.md', join(around, 'rules.md'), 'fake.pdf'];
    const engine = serverEngine(project);
    const { documents, failed, outputs, errors } = (await result(engine, 'upload', {
      files: names.map((name, i) => ({ name, path: join(sent, String(i)) })),
      title: 'Rules',
    })) as ResultOf<'parse'>;
    expect([documents, failed, outputs.map(({ source, title }) => [source, title])]).toEqual([
      2,
      1,
      [
        ['rules.md', 'Rules'],
        [join(around, 'rules.md').slice(1), 'Rules'], // its path within the upload, below no root
      ],
    ]);
    expect(errors).toMatchObject([{ source: 'fake.pdf', source_kind: 'bytes', stage: 'convert', isRetryable: false }]);
    const { items } = await result(engine, 'chunk', { markdown: outputs });
    expect(new Set(items.map(({ id }) => id)).size).toBe(2);
  });
});

/** Whether a path may be read, its links resolved as the listing does. */
function isInside(path: string, roots: Roots): boolean {
  try {
    authorizer(roots, () => false)(realPath(path));
    return true;
  } catch {
    return false;
  }
}

describe('the folders that a server may read', () => {
  it('contain files by their real path, existing or not', () => {
    const { around, project } = neighbourhood();
    const roots = { allowed_roots: ['.', 'later', '../new'], home: project, cwd: '/' };
    const inside = ['', 'docs', 'docs/absent/x', 'docs/../notes.md', '../new', '../new/store', '..hidden'];
    const outside = ['..', '../project-old', '../newer', 'docs/linked', 'docs/linked/store', 'docs/link.md', '../projec'];
    expect(inside.map((path) => [path, isInside(join(project, path), roots)])).toEqual(inside.map((path) => [path, true]));
    expect(outside.map((path) => [path, isInside(join(project, path), roots)])).toEqual(outside.map((path) => [path, false]));
    expect(() => authorizer(roots, () => false)(join(around, 'secret.md'))).toThrow(
      'The path lies outside the folders that the server may read.',
    );
  });

  it('may be named by a link', () => {
    const { around, project } = neighbourhood();
    symlinkSync(project, join(around, 'alias'));
    const roots = { allowed_roots: [join(around, 'alias')], home: '/', cwd: '/' };
    expect(isInside(join(project, 'docs'), roots)).toBe(true);
    expect(isInside(join(around, 'alias/docs/linked/x'), roots)).toBe(false);
  });
});
