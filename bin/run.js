#!/usr/bin/env node
// The launcher. It is started by whatever Node the machine has, so it is written for an old one until it knows better.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 22;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const own = join(root, 'node_modules', 'node', 'bin', 'node');

if (Number(process.versions.node.split('.')[0]) < NEEDED) await restart();
else if (!existsSync(join(root, 'dist', 'src', 'cli', 'main.js'))) stop('kb is not built yet. Run «npm run build» in ' + root + '.');
else {
  if (module.enableCompileCache) module.enableCompileCache(); // before anything of size is loaded; 22.0 does not have it
  await import('../dist/src/cli/main.js').then((main) => main.main(root));
}

/** Starts again on the Node that came with the packages, as if this process were it. */
async function restart() {
  if (!existsSync(own)) {
    stop(
      'kb needs Node ' +
        NEEDED +
        ' or newer; this is ' +
        process.versions.node +
        '. Install a newer one from https://nodejs.org, or run «npm install» in ' +
        root +
        ', which brings one along.',
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
