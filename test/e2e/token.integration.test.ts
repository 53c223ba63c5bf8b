import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { kb, startKb } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';

/** A folder whose configuration names a file of tokens in another one, which is yet to be made. */
function configured(): { cwd: string; file: string } {
  const file = join(folder(), 'private', 'tokens.yaml');
  return { cwd: folder({ 'kb.config.yaml': `server:\n  tokens_file: ${file}\n` }), file };
}

const health = (url: string, path: string, token: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

describe('kb token', () => {
  it('create prints a token once and stores its hash in the configured file', async () => {
    const { cwd, file } = configured();
    const made = await kb(['token', 'create', 'bot', '--scope', 'read', '--collection', 'a', '--collection', 'b'], { cwd });
    expect([made.code, made.error]).toEqual([0, expect.stringContaining(file)]);
    const token = made.out.trim();
    const kept = readFileSync(file, 'utf8');
    expect([kept.includes(token), kept.includes(createHash('sha256').update(token).digest('hex'))]).toEqual([false, true]);
    const json = await runCommand(['token', 'create', 'ci', '--scope', 'read', '--scope', 'write', '--json'], { cwd });
    expect(JSON.parse(json.out)).toEqual({ name: 'ci', scopes: ['read', 'write'], collections: ['*'], token: expect.any(String) });
    for (const [args, said] of [
      [['bot', '--scope', 'read'], '"bot"'],
      [['other', '--scope', 'reed'], 'reed'],
      [['other'], 'scope'],
    ] as const)
      expect(await runCommand(['token', 'create', ...args], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining(said) });
  });

  it('list shows the rows without hashes, and revoke removes one after confirmation', async () => {
    const { cwd, file } = configured();
    expect((await runCommand(['token', 'list'], { cwd })).out).toBe('There are no tokens yet. Next: kb token create NAME --scope read\n');
    const rows = [
      { name: 'bot', scopes: ['read'], collections: ['a', 'b'] },
      { name: 'ci', scopes: ['read', 'write'], collections: ['*'] },
    ];
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify(rows.map((row, i) => ({ ...row, hash: String(i).repeat(64) }))), { mode: 0o600 });
    expect((await runCommand(['token', 'list'], { cwd })).out).toBe('bot  read; a, b\nci   read, write; all collections\n');
    expect(JSON.parse((await runCommand(['token', 'list', '--json'], { cwd })).out)).toEqual({ tokens: rows });
    expect(await runCommand(['token', 'revoke', 'bot'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
    expect(await runCommand(['token', 'revoke', 'bot', '--yes'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('Revoked the token "bot"'),
    });
    expect(await runCommand(['token', 'revoke', 'bot', '--yes'], { cwd })).toMatchObject({ code: 1 });
    expect((await runCommand(['token', 'revoke', 'ci', '--yes', '--json'], { cwd })).out).toBe('{"name":"ci","revoked":true}\n');
    expect(readFileSync(file, 'utf8')).not.toMatch(/bot|ci/);
  });
});

describe('kb serve with a tokens file', () => {
  it('accepts these tokens, and with --reload no longer a revoked one', async () => {
    const { cwd, file } = configured();
    const create = async (name: string) => (await runCommand(['token', 'create', name, '--scope', 'read'], { cwd })).out.trim();
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

  it('does not start if others may read the file, or if it is missing', async () => {
    const { cwd, file } = configured();
    expect(await kb(['serve', '--port', '0'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining('kb token create') });
    await runCommand(['token', 'create', 'bot', '--scope', 'read'], { cwd });
    chmodSync(file, 0o644);
    expect(await kb(['serve', '--port', '0'], { cwd })).toMatchObject({ code: 2, error: expect.stringContaining(`chmod 600 ${file}`) });
  });

  it('accepts the tokens of the default file, which is made for the first token', async () => {
    const [cwd, env] = [folder(), { XDG_CONFIG_HOME: folder() }];
    const made = await kb(['token', 'create', 'desk', '--scope', 'read', '--where', 'team = support', '--json'], { cwd, env });
    const { token, ...row } = JSON.parse(made.out);
    expect([made.code, row]).toEqual([0, { name: 'desk', scopes: ['read'], collections: ['*'], filter: { team: 'support' } }]);
    const { said, child, until } = startKb(['serve', '--port', '0'], { cwd, env });
    onTestFinished(() => void child.kill('SIGTERM'));
    await until(/listening on/);
    const url = /listening on (\S+)/.exec(said.out)![1]!;
    const later = await kb(['token', 'create', 'later', '--scope', 'read'], { cwd, env });
    expect(await Promise.all([token, later.out.trim(), 'nobody'].map((each) => health(url, '/v1/jobs', each)))).toEqual([200, 200, 401]);
    child.kill('SIGTERM');
  });

  it('listens for other machines without KB_SERVER_TOKEN', async () => {
    const { cwd } = configured();
    await runCommand(['token', 'create', 'bot', '--scope', 'read'], { cwd });
    const { child, until } = startKb(['serve', '--config', 'kb.config.yaml', '--port', '0', '--host', '0.0.0.0'], { cwd });
    onTestFinished(() => void child.kill('SIGTERM'));
    await expect(until(/listening on/)).resolves.toBeUndefined();
    child.kill('SIGTERM');
  });
});
