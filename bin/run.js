#!/usr/bin/env node
// The launcher. It is started by whatever Node the machine has, so it is written for an old one until it knows better.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 22, 2]; // as package.json says
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const own = join(root, 'node_modules', 'node', 'bin', 'node');
/** A checkout has the lockfile; a package that was installed must not be worked on with npm where it lies. */
const isCheckout = existsSync(join(root, 'package-lock.json'));

if (isTooOld()) await restart();
else if (!existsSync(join(root, 'dist', 'src', 'cli', 'main.js')))
  stop(isCheckout ? 'kb is not built yet. Run «npm run build» in ' + root + '.' : 'This installation of kb is damaged. Install it again.');
else {
  if (module.enableCompileCache) module.enableCompileCache(); // before anything of size is loaded
  await import('../dist/src/cli/main.js').then((main) => main.main(root));
}

function isTooOld() {
  const running = process.versions.node.split('.').map(Number);
  for (let i = 0; i < NEEDED.length; i++) if (running[i] !== NEEDED[i]) return running[i] < NEEDED[i];
  return false;
}

/** Starts again on the Node that came with the packages, as if this process were it. */
async function restart() {
  if (!existsSync(own)) {
    stop(
      'kb needs Node ' +
        NEEDED.join('.') +
        ' or newer; this is ' +
        process.versions.node +
        '. Install a newer one from https://nodejs.org' +
        (isCheckout ? ', or run «npm ci» in ' + root + ', which brings one along.' : '.'),
    );
    return;
  }
  const { spawn } = await import('node:child_process');
  // Over the channel it notices when this process is gone.
  const child = spawn(own, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code === null ? 1 : code;
  });
}

function stop(message) {
  process.stderr.write(message + '\n');
  process.exitCode = 2;
}
