import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { composeFiles, dockerfile, imageEnvironment } from '../support/deployment.ts';
import { folder } from '../support/folder.ts';

const TOKEN = 'correct-horse-battery';
/** The user `node` of the image; where the tests do not run as root, they run as their own. */
const NODE_USER = 1000;

/** What `npm pack` would pack, unpacked beside the packages that it needs. */
function unpacked(): string {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: packageRoot, encoding: 'utf8' });
  const packed = JSON.parse(stdout) as { files: { path: string }[] }[] | Record<string, { files: { path: string }[] }>;
  const { files } = Object.values(packed)[0]!;
  const root = join(folder(), 'citekb');
  for (const { path } of files) cpSync(join(packageRoot, path), join(root, path));
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  chmodSync(dirname(root), 0o755);
  return root;
}

/** Another user than root, where root runs the tests and that user may read the packages. */
function otherUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const other = { uid: NODE_USER, gid: NODE_USER };
  return spawnSync(process.execPath, [join(packageRoot, 'bin', 'run.js'), '--version'], other).status === 0 ? other : {};
}

it('the image runs as a non-root user: it serves, watches, is healthy, and stops on SIGTERM', async () => {
  const root = unpacked();
  const user = otherUser();
  const data = folder({ 'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n' });
  cpSync(join(packageRoot, 'deploy', 'kb.config.yaml'), join(data, 'kb.config.yaml'));
  mkdirSync(join(data, '.kb'));
  chmodSync(data, 0o555); // a volume lies at .kb, all else is read-only
  if (user.uid !== undefined) chownSync(join(data, '.kb'), user.uid, user.gid!);

  const { command } = composeFiles()['compose.yaml']!.services.kb!;
  const env = {
    ...imageEnvironment(),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: '/nonexistent',
    KB_SERVER_TOKEN: TOKEN,
    KB_SERVER_HOST: '127.0.0.1', // not to be reached from elsewhere
    KB_SERVER_PORT: '0',
    KB_EMBEDDING_PROVIDER: 'none',
    XDG_STATE_HOME: join(data, '.kb', 'state'),
  };
  const run = { cwd: data, env, extendEnv: false, reject: false, ...user } as const;
  const server = execa(process.execPath, [join(root, 'bin', 'run.js'), ...command!], { ...run, buffer: true });
  onTestFinished(() => void server.kill('SIGKILL'));
  let said = '';
  const listening = new Promise<void>((heard, failed) => {
    const look = (text: Buffer) => {
      said += text.toString();
      if (/listening on/.test(said) && /watch: Stored 1 chunk of 1 document/.test(said)) heard();
    };
    server.stdout.on('data', look);
    server.stderr.on('data', look);
    void server.then(({ exitCode }) => failed(new Error(`it ended with ${exitCode}: ${said}`)));
  });
  await listening;
  const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)![1]!;

  const check = JSON.parse(/CMD (\[.*\])/.exec(dockerfile().find(({ name }) => name === 'HEALTHCHECK')!.value)![1]!) as string[];
  const healthy = async (where: string) =>
    (await execa(process.execPath, check.slice(1), { ...run, env: { ...env, KB_SERVER_PORT: where } })).exitCode;
  expect(check[0]).toBe('node');
  expect(await healthy(port)).toBe(0);
  const asked = await fetch(`http://127.0.0.1:${port}/v1/retrieve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ query: 'gate', mode: 'text' }),
  });
  expect(await asked.text()).toContain('locked at ten');
  if (user.uid !== undefined)
    expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(new RegExp(`^Uid:\\s+${user.uid}\\s`, 'm'));

  server.kill('SIGTERM');
  expect((await server).exitCode).toBe(0);
  expect(await healthy(port)).toBe(1);
});

it('the image ends with 2 without a token, and names the variable', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [join(packageRoot, 'bin', 'run.js'), 'serve'], {
    cwd: folder(),
    env: { ...imageEnvironment(), PATH: process.env.PATH! },
    extendEnv: false,
    reject: false,
  });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('KB_SERVER_TOKEN')]);
});
