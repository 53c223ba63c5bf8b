// Makes a checkout ready to run: packages installed, program built. Plain JavaScript without packages, so that it runs on a fresh
// clone and on an old Node. Started as a program it does both; `npm test` and `npm run demo` begin with it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Installs the packages with `npm ci` when node_modules does not hold what package-lock.json names. */
export function ensureInstalled() {
  if (!isInstalled()) npm(['ci'], 'Installing the packages (npm ci)…');
}

/** Builds the program when a source, or the build's configuration, is newer than what was built. */
export function ensureBuilt() {
  if (!isBuilt()) npm(['run', 'build', '--silent'], 'Building (npm run build)…');
}

// Compared by content and not by time: switching branches touches the lockfile without changing what it asks for.
function isInstalled() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(packagesOf(join(root, 'package-lock.json')) ?? {});
  return wanted.every(([path, entry]) => path === '' || entry.optional || installed[path]?.version === entry.version);
}

function packagesOf(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : undefined;
}

// The build writes the manifest last, so a build that was interrupted is done again.
function isBuilt() {
  const manifest = join(root, 'oclif.manifest.json');
  if (!existsSync(manifest) || !existsSync(join(root, 'dist'))) return false;
  const sources = ['src', 'packages', 'commands', 'web', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'];
  return sources.every((name) => newest(join(root, name)) <= statSync(manifest).mtimeMs);
}

// Folders count too: a deleted file changes nothing but the time of its folder.
function newest(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return readdirSync(path).reduce((time, name) => Math.max(time, newest(join(path, name))), own.mtimeMs);
}

function npm(words, announcement) {
  process.stderr.write(`${announcement}\n`);
  const windows = process.platform === 'win32';
  const { status } = spawnSync('npm', words, { cwd: root, stdio: ['ignore', 2, 2], env: outside(), shell: windows });
  if (status !== 0) {
    process.stderr.write(`npm ${words.join(' ')} failed (what it said stands above).\n`);
    process.exit(1);
  }
}

// npm must not run on the Node that it is about to replace, the one in node_modules/.bin.
function outside() {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const folders = (process.env[name] ?? '').split(delimiter).filter((folder) => !folder.includes(`node_modules${sep}.bin`));
  return { ...process.env, [name]: folders.join(delimiter) };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  ensureBuilt();
}
