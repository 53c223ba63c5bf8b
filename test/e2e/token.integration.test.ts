import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { kb, startKb } from '../support/program.ts';

/** A folder whose configuration names a file of tokens in another one, which is yet to be made. */
function configured(name = 'tokens.yaml'): { cwd: string; file: string } {
  const file = join(folder(), 'private', name);
  return { cwd: folder({ 'kb.config.yaml': `server:\n  tokens_file: ${file}\n` }), file };
}

const health = (url: string, path: string, token: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

describe('kb token create', () => {
  it.each(['tokens.yaml', 'tokens.json'])('prints a token once and keeps its hash in %s, for its owner alone', async (name) => {
    const { cwd, file } = configured(name);
    const made = await kb(['token', 'create', 'bot', '--scope', 'read', '--collection', 'a', '--collection', 'b'], { cwd });
    expect([made.code, made.error]).toEqual([0, expect.stringContaining(file)]);
    const token = made.out.trim();
    const kept = readFileSync(file, 'utf8');
    expect([kept.includes(token), kept.includes(createHash('sha256').update(token).digest('hex'))]).toEqual([false, true]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const json = await kb(['token', 'create', 'ci', '--scope', 'read', '--scope', 'write', '--json'], { cwd });
    expect(JSON.parse(json.out)).toEqual({ name: 'ci', scopes: ['read', 'write'], collections: ['*'], token: expect.any(String) });
  });

  it('refuses a name that is taken, a scope that is none, and a place that is no place for it', async () => {
    const { cwd } = configured();
    await kb(['token', 'create', 'bot', '--scope', 'read'], { cwd });
    for (const [args, said] of [
      [['bot', '--scope', 'read'], '«bot»'],
      [['other', '--scope', 'reed'], 'reed'],
      [['other'], 'scope'],
      [['two words', '--scope', 'read'], 'name'],
      [['other', '--scope', 'read', '--set', 'server.tokens_file=here.yaml'], 'allowed_roots'],
    ] as const)
      expect(await kb(['token', 'create', ...args], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining(said) });
    expect(await kb(['token', 'create', 'bot', '--scope', 'read'], { cwd: folder() })).toMatchObject({
      code: 2,
      error: expect.stringContaining('server.tokens_file'),
    });
  });
});

describe('kb token list and revoke', () => {
  it.each(['tokens.yaml', 'tokens.json'])('show the rows of %s without hashes and remove one, leaving the rest as it is', async (name) => {
    const { cwd, file } = configured(name);
    expect((await kb(['token', 'list'], { cwd })).out).toBe('There are no tokens yet. Next: kb token create NAME --scope read\n');
    expect(await kb(['token', 'revoke', 'bot', '--yes'], { cwd })).toMatchObject({
      code: 2,
      error: expect.stringContaining('kb token create'),
    });
    expect(existsSync(file)).toBe(false);
    await kb(['token', 'create', 'bot', '--scope', 'read', '--collection', 'a', '--collection', 'b'], { cwd });
    const token = (await kb(['token', 'create', 'ci', '--scope', 'read', '--scope', 'write'], { cwd })).out.trim();
    if (name === 'tokens.yaml') writeFileSync(file, `# who may\n\n${readFileSync(file, 'utf8')}`);
    expect((await kb(['token', 'list'], { cwd })).out).toBe('bot  read; a, b\nci   read, write; all collections\n');
    expect(JSON.parse((await kb(['token', 'list', '--json'], { cwd })).out)).toEqual({
      tokens: [
        { name: 'bot', scopes: ['read'], collections: ['a', 'b'] },
        { name: 'ci', scopes: ['read', 'write'], collections: ['*'] },
      ],
    });
    for (const [words, code, said] of [
      [['bot'], 2, '--yes'],
      [['bto', '--yes'], 1, '«bot»'],
    ] as const)
      expect(await kb(['token', 'revoke', ...words], { cwd })).toMatchObject({ code, error: expect.stringContaining(said) });
    expect(await kb(['token', 'revoke', 'bot', '--yes'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('Revoked the token «bot»'),
    });
    const kept = readFileSync(file, 'utf8');
    expect([kept.includes('bot'), kept.includes(createHash('sha256').update(token).digest('hex')), statSync(file).mode & 0o777]).toEqual([
      false,
      true,
      0o600,
    ]);
    if (name === 'tokens.yaml') expect(kept).toContain('# who may');
    expect((await kb(['token', 'revoke', 'ci', '--yes', '--json'], { cwd })).out).toBe('{"name":"ci","revoked":true}\n');
    expect((await kb(['token', 'list', '--json'], { cwd })).out).toBe('{"tokens":[]}\n');
  });
});

describe('kb serve with a file of tokens', () => {
  it('lets in who shows one of them, and with --reload no longer whose row is gone', async () => {
    const { cwd, file } = configured();
    const create = async (name: string) => (await kb(['token', 'create', name, '--scope', 'read'], { cwd })).out.trim();
    const [old, kept] = [await create('old'), await create('kept')];
    const { said, child, until } = startKb(['serve', '--port', '0', '--reload'], { cwd });
    onTestFinished(() => void child.kill('SIGTERM'));
    await until(/listening on/);
    const url = () => [...said.out.matchAll(/listening on (\S+)/g)].at(-1)![1]!;
    for (const token of [old, kept]) expect(await health(url(), '/v1/jobs', token)).toBe(200);
    expect(await health(url(), '/v1/jobs', 'nobody')).toBe(401);
    const rows = readFileSync(file, 'utf8').split(/^(?=- )/m);
    writeFileSync(file, rows.filter((row) => !row.includes('name: old')).join(''));
    await until(/listening on[^]*listening on/);
    expect([await health(url(), '/v1/jobs', old), await health(url(), '/v1/jobs', kept)]).toEqual([401, 200]);
    child.kill('SIGTERM');
  });

  it('does not start where others may read the file, or it is not there', async () => {
    const { cwd, file } = configured();
    expect(await kb(['serve', '--port', '0'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('kb token create') });
    await kb(['token', 'create', 'bot', '--scope', 'read'], { cwd });
    chmodSync(file, 0o644);
    expect(await kb(['serve', '--port', '0'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining(`chmod 600 ${file}`) });
  });

  it('listens for others without KB_SERVER_TOKEN', async () => {
    const { cwd } = configured();
    await kb(['token', 'create', 'bot', '--scope', 'read'], { cwd });
    const { child, until } = startKb(['serve', '--port', '0', '--host', '0.0.0.0'], { cwd });
    onTestFinished(() => void child.kill('SIGTERM'));
    await expect(until(/listening on/)).resolves.toBeUndefined();
    child.kill('SIGTERM');
  });
});
