import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addToken, listTokens, revokeToken } from '../../src/cli/token-rows.ts';
import { serverTokenPath } from '../../src/server/token-file.ts';
import { folder } from '../support/folder.ts';

/** A file of tokens that is yet to be made, and the settings that name it. */
function placed(name: string) {
  const [home, file] = [folder(), join(folder(), 'private', name)];
  return { file, place: { settings: { tokens_file: file }, home, cwd: home } };
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const BOT = { name: 'bot', scopes: ['read' as const], collections: ['a', 'b'] };
const CI = { name: 'ci', scopes: ['read' as const, 'write' as const], collections: ['*'] };

describe.each(['tokens.yaml', 'tokens.json'])('the rows of %s', (name) => {
  it('hold hashes instead of tokens, readable by the owner of the file only', () => {
    const { file, place } = placed(name);
    const made = addToken(BOT, place);
    expect(made.file).toBe(file);
    const kept = readFileSync(file, 'utf8');
    expect([kept.includes(made.token), kept.includes(hashOf(made.token))]).toEqual([false, true]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(addToken({ ...CI, scopes: ['read', 'write', 'read'] }, place).row).toMatchObject(CI);
    expect(listTokens(place)).toEqual([BOT, CI]);
  });

  it('are empty at first, and no row can be removed then', () => {
    const { file, place } = placed(name);
    expect(listTokens(place)).toEqual([]);
    expect(() => revokeToken('bot', place)).toThrow(expect.objectContaining({ hint: expect.stringContaining('kb token create') }));
    expect(existsSync(file)).toBe(false);
  });

  it('lose one row, and the rest stays unchanged', () => {
    const { file, place } = placed(name);
    addToken(BOT, place);
    const { token } = addToken(CI, place);
    if (name === 'tokens.yaml') writeFileSync(file, `# who may\n\n${readFileSync(file, 'utf8')}`);
    expect(() => revokeToken('bto', place)).toThrow(expect.objectContaining({ hint: expect.stringContaining('"bot"') }));
    expect(revokeToken('bot', place)).toBe(file);
    const kept = readFileSync(file, 'utf8');
    expect([kept.includes('bot'), kept.includes(hashOf(token)), statSync(file).mode & 0o777]).toEqual([false, true, 0o600]);
    if (name === 'tokens.yaml') expect(kept).toContain('# who may');
    revokeToken('ci', place);
    expect(listTokens(place)).toEqual([]);
  });
});

it('reject a name that is taken, an invalid name and an invalid place', () => {
  const { place } = placed('tokens.yaml');
  addToken(BOT, place);
  expect(() => addToken(BOT, place)).toThrow('"bot"');
  expect(() => addToken({ ...BOT, name: 'two words' }, place)).toThrow('name');
  expect(() => addToken(CI, { ...place, settings: { tokens_file: 'here.yaml' } })).toThrow('allowed_roots');
});

it('are in the configuration folder of the user without server.tokens_file, one file for each folder', () => {
  const config = folder();
  vi.stubEnv('XDG_CONFIG_HOME', config);
  onTestFinished(() => void vi.unstubAllEnvs());
  const place = (home: string) => ({ settings: {}, home, cwd: home });
  const [one, two] = [place(folder()), place(folder())];
  expect([listTokens(one), serverTokenPath(one)]).toEqual([[], undefined]);
  const filter = { team: 'support' };
  const made = addToken({ ...BOT, filter }, one);
  expect(made.file.startsWith(join(config, 'kb', 'tokens'))).toBe(true);
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  expect([listTokens(one), listTokens(two)]).toEqual([[{ ...BOT, filter }], []]);
  expect([serverTokenPath(one), serverTokenPath(two)]).toEqual([made.file, undefined]);
  revokeToken('bot', one);
  expect(serverTokenPath(one)).toBeUndefined();
});
