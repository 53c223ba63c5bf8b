// `npm run image`: does what the Dockerfile does where there is no Docker, line by line, in a folder of its own and as a user that is not root; then starts the server as the container would, asks its
// health check, and stops it. Needs git and the npm registry. Throws where a line fails.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dockerfile, imageEnvironment, stages } from '../test/support/deployment.ts';
import { root } from './prepare.mjs';

/** The user of the image. Whoever is not root stays who they are. */
const [uid, gid] = valueOf('USER').split(':').map(Number);
const user = process.getuid() === 0 ? { uid, gid } : {};
/** Tries of the health check, one a second. */
const MAX_TRIES = 60;

const folder = mkdtempSync(join(tmpdir(), 'kb-image-'));
/** The folders that the Dockerfile names, in this one. */
const here = (text) => text.replaceAll(/(?<=^|[\s=])\/(?=src\b|package\b|data\b)/g, `${folder}/`);
/** What npm of whoever started this knows of the network; the user of the image has no such settings. */
const network = Object.fromEntries(
  ['cafile', 'registry', 'proxy', 'https-proxy'].flatMap((name) => {
    const value = spawnSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).stdout.trim();
    return value === '' || value === 'null' ? [] : [[`npm_config_${name.replaceAll('-', '_')}`, value]];
  }),
);
const { NODE_EXTRA_CA_CERTS } = process.env;
const environment = {
  ...network,
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  PATH: `${join(folder, 'global', 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: folder,
  npm_config_prefix: join(folder, 'global'),
  npm_config_cache: join(folder, 'cache'),
  KB_SERVER_TOKEN: 'a-token-for-this-run',
};

try {
  chmodSync(folder, 0o755);
  for (const name of ['src', 'package', 'data', 'global', 'cache']) mkdirSync(join(folder, name));
  own('.');
  for (const stage of stages(dockerfile())) build(stage);
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What the last stage says. */
function valueOf(wanted) {
  return stages(dockerfile())
    .at(-1)
    .find(({ name }) => name === wanted).value;
}

/** Gives a path to the user. */
function own(path) {
  if (user.uid !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, join(folder, path)]);
}

function build(instructions) {
  let cwd = folder;
  for (const { name, value } of instructions) {
    if (name === 'WORKDIR') cwd = here(value);
    if (name === 'COPY' && !value.startsWith('--from')) copy(value.split(' '), cwd);
    if (name === 'RUN') shell(here(value).replaceAll(/ --(owner|group)=\S+/g, ''), cwd); // who is not root owns what it makes
  }
}

/** Copies what git tracks and .dockerignore leaves in. */
function copy(paths, to) {
  const wanted = paths.slice(0, -1);
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  const isIn = (path, folders) => folders.some((one) => one === '.' || path === one || path.startsWith(`${one}/`));
  for (const path of stdout.split('\0').filter((one) => one !== '' && isIn(one, wanted) && !isIn(one, ignored)))
    cpSync(join(root, path), join(to, path));
  own(basename(to));
}

function shell(command, cwd) {
  process.stdout.write(`$ ${command.replaceAll(folder, '')}\n`);
  const { status } = spawnSync('sh', ['-c', command], { cwd, env: environment, stdio: ['ignore', 2, 2], ...user });
  if (status !== 0) throw new Error(`"${command}" ended with ${status}.`);
}

/** Starts the server, waits until it is healthy, and stops it as Docker does. */
async function run() {
  const [program] = JSON.parse(valueOf('ENTRYPOINT'));
  const paths = Object.fromEntries(Object.entries(imageEnvironment()).map(([name, value]) => [name, here(value)]));
  const env = { ...environment, ...paths, KB_SERVER_HOST: '127.0.0.1', KB_SERVER_PORT: await freePort() };
  const options = { cwd: join(folder, 'data'), env, stdio: ['ignore', 2, 2], ...user };
  process.stdout.write(`$ ${[program, ...JSON.parse(valueOf('CMD'))].join(' ')}\n`);
  const server = spawn(program, JSON.parse(valueOf('CMD')), options);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const [node, ...words] = JSON.parse(/CMD (\[.*\])/.exec(valueOf('HEALTHCHECK'))[1]);
  const isHealthy = () => spawnSync(node, words, options).status === 0;
  for (let tries = 0; !isHealthy(); tries++) {
    if (tries === MAX_TRIES || server.exitCode !== null) throw new Error('The server is not healthy.');
    await wait(1_000);
  }
  process.stdout.write('It is healthy.\n');
  server.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`The server ended with ${code}.`);
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return String(port);
}
