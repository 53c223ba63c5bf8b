import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig, homeFolders, readEnvFile } from '../../src/config/find-files.ts';
import { folder } from '../support/folder.ts';

const NOBODY = 65534;
const hasModes = process.platform !== 'win32';
/** Only root can give files to another user; the checks of modes run for everyone. */
const isRoot = process.getuid?.() === 0;

const file = 'kb.config.yaml';
/** A configuration above a folder, of which something is changed. */
const withFile = (spoil: (root: string) => void): string => {
  const root = folder({ [file]: '', 'mine/a.md': '' });
  spoil(root);
  return root;
};

describe('findConfig', () => {
  it('searches upwards, and takes the nearest file', () => {
    const root = folder({ 'kb.config.yaml': '', 'a/kb.config.yaml': '', 'a/b/c.md': '', 'd/e.md': '' });
    expect(findConfig(join(root, 'a/b'), undefined)).toEqual({
      file: join(root, 'a/kb.config.yaml'),
      isNamed: false,
      home: join(root, 'a'),
    });
    expect(findConfig(join(root, 'd'), undefined).file).toBe(join(root, 'kb.config.yaml'));
  });

  it.each([
    ['a folder', { 'a/.git/HEAD': '' }],
    ['a file, as in a worktree or a submodule', { 'a/.git': 'gitdir: elsewhere\n' }],
  ])('ends the search at a repository root: .git is %s', (_, files) => {
    const root = folder({ 'kb.config.yaml': '', 'a/b/c.md': '', ...files });
    expect(findConfig(join(root, 'a/b'), undefined)).toEqual({ file: undefined, isNamed: false, home: join(root, 'a/b') });
  });

  it('takes the file of the repository root itself', () => {
    const root = folder({ 'kb.config.yaml': '', '.git/HEAD': '', 'a/b.md': '' });
    expect(findConfig(join(root, 'a'), undefined).file).toBe(join(root, 'kb.config.yaml'));
  });

  it('ends the search at the home directory, also where a link leads to it', () => {
    const root = folder({ 'kb.config.yaml': '', 'home/me/a/b.md': '' });
    symlinkSync(join(root, 'home/me'), join(root, 'link'));
    for (const home of [join(root, 'home/me'), join(root, 'link')])
      expect(
        findConfig(
          join(root, 'home/me/a'),
          undefined,
          homeFolders(() => home),
        ).file,
      ).toBeUndefined();
  });

  it('takes the named file, whoever it belongs to', () => {
    const root = folder({ 'other.yaml': '', 'kb.config.yaml': '' });
    chmodSync(join(root, 'other.yaml'), 0o666);
    chmodSync(root, 0o777);
    expect(findConfig(root, 'other.yaml')).toEqual({ file: join(root, 'other.yaml'), isNamed: true, home: root });
  });
});

describe.runIf(hasModes)('a file that kb finds', () => {
  it.each<[string, (root: string) => void, RegExp]>([
    ['that everyone can write', (root) => chmodSync(join(root, file), 0o646), /kb\.config\.yaml can be written by everyone/],
    ['in a folder that everyone can write', (root) => chmodSync(root, 0o777), /its folder .* can be written by everyone/],
    ['in a folder such as /tmp', (root) => chmodSync(root, 0o1777), /its folder .* can be written by everyone/],
  ])('is refused: one %s', (_, spoil, reason) => {
    const root = withFile(spoil);
    expect(() => findConfig(join(root, 'mine'), undefined)).toThrow(reason);
    expect(() => findConfig(join(root, 'mine'), undefined)).toThrow(
      expect.objectContaining({ code: 'configuration', hint: expect.stringMatching(/--config .*KB_CONFIG/) }),
    );
  });
});

it.runIf(hasModes)('refuses a configuration that it finds if that is a pipe, from which reading never ends', () => {
  const root = folder();
  execFileSync('mkfifo', [join(root, file)]);
  expect(() => findConfig(root, undefined)).toThrow('kb.config.yaml, which kb found, is not a file.');
});

describe.runIf(isRoot)('a file of another user that kb finds', () => {
  it.each<[string, (root: string) => void, RegExp]>([
    ['of another user', (root) => chownSync(join(root, file), NOBODY, NOBODY), /kb\.config\.yaml belongs to another user \(65534\)/],
    ['in a folder of another user', (root) => chownSync(root, NOBODY, NOBODY), /its folder .* belongs to another user/],
    [
      'that a group can write',
      (root) => (chownSync(join(root, file), 0, NOBODY), chmodSync(join(root, file), 0o664)),
      /can be written by the group 65534/,
    ],
  ])('is refused: one %s', (_, spoil, reason) => {
    expect(() => findConfig(join(withFile(spoil), 'mine'), undefined)).toThrow(reason);
  });

  it('is refused where a link leads to a file, or into a folder, of another user', () => {
    const theirs = folder({ [file]: '' });
    chownSync(theirs, NOBODY, NOBODY);
    const root = folder({ 'mine/a.md': '' });
    symlinkSync(join(theirs, file), join(root, file));
    expect(() => findConfig(join(root, 'mine'), undefined)).toThrow(/belongs to another user/);
  });
});

describe.runIf(hasModes)('readEnvFile', () => {
  const KEY = 'OPENAI_API_KEY=k\n';
  const read = (root: string, named?: string) => readEnvFile(findConfig(root, named));

  it('returns the variables, and none that chooses programs, libraries or folders of the user', () => {
    const names = ['NODE_OPTIONS', 'node_path', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'PATH', 'Path', 'PYTHONPATH', 'SSL_CERT_FILE'];
    const others = ['XDG_DATA_HOME', 'HOME', 'TMPDIR', 'KB_OCR_FOLDER', 'KB_CONFIG'];
    const root = folder({ '.env': [...names, ...others].map((name) => `${name}=x\n`).join('') + KEY });
    expect(read(root)?.variables).toEqual({ OPENAI_API_KEY: 'k' });
  });

  it('refuses a .env that everyone can write, with and without a configuration', () => {
    for (const files of [{ '.env': KEY }, { '.env': KEY, 'kb.config.yaml': '' }] as Record<string, string>[]) {
      const root = folder(files);
      chmodSync(join(root, '.env'), 0o666);
      expect(() => read(root)).toThrow(/found .*\.env and does not use it: \.env can be written by everyone/);
    }
  });

  it.runIf(isRoot)('refuses a .env of another user, also beside a named configuration of this user', () => {
    const root = folder({ 'kb.config.yaml': '', '.env': KEY });
    chownSync(join(root, '.env'), NOBODY, NOBODY);
    expect(() => read(root)).toThrow(/\.env belongs to another user/);
    expect(() => read(root, 'kb.config.yaml')).toThrow(/does not use .*\.env: it belongs to another user than/);
  });

  it.runIf(isRoot)('takes the .env of the owner of a named configuration', () => {
    const root = folder({ 'kb.config.yaml': '', '.env': KEY });
    for (const name of ['kb.config.yaml', '.env']) chownSync(join(root, name), NOBODY, NOBODY);
    expect(read(root, 'kb.config.yaml')?.variables).toEqual({ OPENAI_API_KEY: 'k' });
  });

  it('ignores a folder of this name', () => {
    const root = folder();
    mkdirSync(join(root, '.env'));
    expect(read(root)).toBeUndefined();
  });
});
