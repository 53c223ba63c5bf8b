import { createHash } from 'node:crypto';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthenticator, createToken, createRowReader, readTokenFile, tokenPath, withRow } from '../../src/server/token-file.ts';
import { folder } from '../support/folder.ts';

const hash = createHash('sha256').update('a-token').digest('hex');
const ROW = { name: 'bot', hash, scopes: ['read'], collections: ['*'] };

function fileWith(text: string, mode = 0o600): string {
  const file = join(folder({ tokens: text }), 'tokens');
  chmodSync(file, mode);
  return file;
}

describe('a tokens file', () => {
  it('is read as YAML and as JSON; an empty one holds no tokens', () => {
    const yaml = `# the bots\n- name: bot\n  hash: ${hash}\n  scopes: [read]\n  collections: ['*']\n`;
    for (const text of [yaml, JSON.stringify([ROW])]) expect(readTokenFile(fileWith(text)).rows).toEqual([ROW]);
    expect(readTokenFile(fileWith('')).rows).toEqual([]);
  });

  it.each([
    ['- [', /line 1: this is not YAML/],
    ['name: bot', /list/],
    [JSON.stringify([{ ...ROW, hash: 'a-token' }]), /\[0\]\.hash.*SHA-256/s],
    [JSON.stringify([{ ...ROW, scopes: ['reed'] }]), /\[0\]\.scopes/],
    [JSON.stringify([{ ...ROW, token: 'secret' }]), /\[0\]\.token/],
    [JSON.stringify([{ ...ROW, collections: [] }]), /\[0\]\.collections/],
    [JSON.stringify([ROW, ROW]), /two tokens are called "bot"/],
  ])('is refused as %s, and its file is named', (text, message) => {
    const file = fileWith(text);
    const read = () => readTokenFile(file);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: 'configuration', message: expect.stringContaining(file) }));
  });

  it('is rejected if others may read it or if it is missing, with what to do', () => {
    for (const mode of [0o644, 0o640, 0o602])
      expect(() => readTokenFile(fileWith('[]', mode))).toThrow(expect.objectContaining({ hint: expect.stringContaining('chmod 600') }));
    expect(() => readTokenFile('/nowhere/tokens')).toThrow(
      expect.objectContaining({ code: 'configuration', hint: expect.stringContaining('kb token create') }),
    );
  });

  it('must be outside of what requests may read, also through links', () => {
    const [home, other] = [folder(), folder({ tokens: '[]' })];
    symlinkSync(home, join(other, 'link'));
    const at = (tokens_file: string, allowed_roots?: string[]) => tokenPath({ settings: { tokens_file, allowed_roots }, home, cwd: home });
    expect(at(join(other, 'tokens'))).toBe(join(other, 'tokens'));
    expect(at('tokens', [other])).toBe(join(home, 'tokens'));
    for (const file of ['tokens', join(other, 'link', 'tokens')]) expect(() => at(file)).toThrow(/allowed_roots/);
  });

  it('keeps its comments when a row is added', () => {
    const { row } = createToken({ name: 'new', scopes: ['write'], collections: ['a', 'b'] });
    const yaml = fileWith(`# the bots\n- name: bot\n  hash: ${hash}\n  scopes: [read]\n  collections: ['*'] # all\n`);
    const text = withRow(readTokenFile(yaml), row, { isJson: false });
    expect(text).toMatch(/# the bots[^]*# all/);
    expect(readTokenFile(fileWith(text)).rows).toEqual([ROW, row]);
    const json = withRow(readTokenFile(fileWith(JSON.stringify([ROW]))), row, { isJson: true });
    expect(JSON.parse(json)).toEqual([ROW, row]);
    expect(() => withRow(readTokenFile(yaml), { ...row, name: 'bot' }, { isJson: false })).toThrow(/"bot"/);
  });
});

describe('a token', () => {
  it('is recognized by its hash, and identifies the caller', () => {
    const { token, row } = createToken({ name: 'new', scopes: ['write'], collections: ['a'] });
    expect([token.length >= 32, row.hash]).toEqual([true, createHash('sha256').update(token).digest('hex')]);
    const authenticate = createAuthenticator({ token: 'the-first-of-all', rows: () => [row] })!;
    expect(authenticate(`Bearer ${token}`)).toEqual({ name: 'new', scopes: ['write'], collections: ['a'] });
    expect(authenticate('bearer the-first-of-all')).toMatchObject({ scopes: ['read', 'write', 'admin'], collections: ['*'] });
    for (const header of [undefined, '', token, `Bearer ${row.hash}`, `Bearer ${token}x`, `Basic ${token}`])
      expect(authenticate(header)).toBeUndefined();
  });

  it('is required if there is a file, even an empty one, but not without any', () => {
    expect(createAuthenticator({ token: undefined, rows: () => [] })!('Bearer x')).toBeUndefined();
    expect(createAuthenticator({ token: undefined, rows: undefined })).toBeUndefined();
  });
});

it('a tokens file is read again when it has changed, and keeps its last rows if it is broken', () => {
  const file = fileWith(JSON.stringify([ROW]));
  const problems: string[] = [];
  const authenticate = createAuthenticator({ token: undefined, rows: createRowReader(file, (problem) => problems.push(problem)) })!;
  expect(authenticate('Bearer a-token')).toMatchObject({ name: 'bot' });
  const { token, row } = createToken({ name: 'new', scopes: ['read'], collections: ['*'] });
  writeFileSync(file, JSON.stringify([row]));
  expect([authenticate(`Bearer ${token}`)?.name, authenticate('Bearer a-token')]).toEqual(['new', undefined]);
  writeFileSync(file, '- [');
  expect([authenticate(`Bearer ${token}`)?.name, authenticate(`Bearer ${token}`)?.name]).toEqual(['new', 'new']);
  expect(problems).toEqual([expect.stringContaining('stay in use')]);
});

it('a deleted tokens file has no valid tokens until it is back', () => {
  const file = fileWith(JSON.stringify([ROW]));
  const problems: string[] = [];
  const authenticate = createAuthenticator({ token: undefined, rows: createRowReader(file, (problem) => problems.push(problem)) })!;
  rmSync(file);
  expect([authenticate('Bearer a-token'), authenticate('Bearer a-token')]).toEqual([undefined, undefined]);
  expect(problems).toEqual([expect.stringContaining('refused until it is back')]);
  writeFileSync(file, JSON.stringify([ROW]), { mode: 0o600 });
  expect(authenticate('Bearer a-token')).toMatchObject({ name: 'bot' });
});
