// `npm run release`: packs kb and the model that has a package of its own, installs the package in a clean folder as a user would, with nothing but the registry, and takes the tour of the demo
// there. Prints the figures; nothing is published, which `npm publish` of the packed file does.
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';
import { CITED, TOUR, plain, typed } from './tour.mjs';

/** Millions of bytes that the installation may take. */
const MAX_MEGABYTES = 450;
/** Milliseconds after which a step is given up. */
const TIMEOUT = 300_000;

ensureInstalled();
ensureBuilt();
const { execa } = await import('execa');
const folder = mkdtempSync(join(tmpdir(), 'kb-release-'));
const user = join(folder, 'user');
try {
  mkdirSync(user);
  const file = await packed();
  const took = await installed(file);
  await tour();
  const { bytes, packages } = weighed(join(user, 'node_modules'));
  process.stdout.write(
    `\nInstalled in ${took} s: ${Math.round(bytes / 1e6)} MB in ${packages} packages; packed ${(lstatSync(file).size / 1e6).toFixed(1)} MB.\n`,
  );
  if (bytes > MAX_MEGABYTES * 1e6) throw new Error(`At most ${MAX_MEGABYTES} MB are allowed.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The path of the packed file. */
async function packed() {
  await npm(root, 'pack', '--pack-destination', folder);
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  await npm(join(root, 'models', 'multilingual-e5-small'), 'pack', '--pack-destination', folder); // published beside it
  return join(folder, file);
}

/** Installs it, with the scripts of all packages; gives the seconds that it took. */
async function installed(file) {
  writeFileSync(join(user, 'package.json'), '{ "name": "user", "version": "1.0.0", "type": "module" }\n');
  const began = Date.now();
  const { all } = await execa('npm', ['install', '--ignore-scripts=false', file], {
    cwd: user,
    stdin: 'ignore',
    all: true,
    timeout: TIMEOUT,
  });
  process.stderr.write(`${all}\n`);
  if (/npm warn install-scripts.*citekb/.test(all)) throw new Error('Installing the package warns of a script of it.');
  return Math.round((Date.now() - began) / 1000);
}

async function npm(cwd, ...words) {
  await execa('npm', words, { cwd, stdio: ['ignore', 2, 2], timeout: TIMEOUT });
}

/** Throws where a command fails, or no answer cites what it should. */
async function tour() {
  cpSync(join(root, 'examples', 'manuals'), join(user, 'manuals'), { recursive: true });
  let said = '';
  for (const words of TOUR) {
    process.stdout.write(`\n$ kb ${typed(words)}\n`);
    const program = join(user, 'node_modules', '.bin', 'kb');
    const options = { cwd: user, env: plain(), extendEnv: false, stdio: ['ignore', ['inherit', 'pipe'], 'inherit'], timeout: TIMEOUT };
    said += (await execa(program, words, options)).stdout;
  }
  if (!CITED.test(said)) throw new Error('No answer cites its source.');
}

/** The bytes of all files, and how many packages there are. */
function weighed(modules) {
  const entries = readdirSync(modules, { recursive: true, withFileTypes: true });
  const bytes = entries.reduce((sum, entry) => sum + (entry.isFile() ? lstatSync(join(entry.parentPath, entry.name)).size : 0), 0);
  const isPackage = ({ name, parentPath }) => name === 'package.json' && /node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+$/.test(parentPath);
  return { bytes, packages: entries.filter(isPackage).length };
}
