// `npm run demo`: the example manuals become a knowledge base, which is searched and answers two questions, with the real program.
import { spawnSync } from 'node:child_process'; // and not execa: whoever starts this may have an old Node, and no packages
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';
import { TOUR, plain, typed } from './tour.mjs';

const NEXT = `Nothing left this machine, and everything is kept in examples/.kb. What next?

  cd examples
  npx kb chat "How much coffee do I need for a ristretto?"
  npx kb chat                      a conversation; /help shows what it understands
  cd ..
  npx kb ingest --docs FOLDER      a knowledge base of your own documents
  npx kb --help                    everything else
`;

ensureInstalled();
ensureBuilt();
say('cd examples');
for (const words of TOUR) run(words);
process.stdout.write(`\n${NEXT}`);

/** Prints a command as a person would type it, then runs it; the demo ends where a command fails. */
function run(words) {
  say(`npx kb ${typed(words)}`);
  const options = { cwd: join(root, 'examples'), stdio: 'inherit', env: plain() };
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'run.js'), ...words], options);
  if (status !== 0) process.exit(status ?? 1);
}

function say(line) {
  process.stdout.write(`\n$ ${line}\n`);
}
