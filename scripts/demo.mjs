// `npm run demo`: the example manuals become a knowledge base, which is searched and answers two questions, with the real program.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

const COMMANDS = [
  ['ingest', '--docs', 'manuals'],
  ['retrieve', 'little or no steam from the wand', '--top-k', '2'],
  ['chat', 'How long is the warranty on the boilers?'],
  ['chat', 'What does error E24 mean?'],
];

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
for (const words of COMMANDS) run(words);
process.stdout.write(`\n${NEXT}`);

/** Prints a command as a person would type it, then runs it; the demo ends where a command fails. */
function run(words) {
  say(`npx kb ${words.map((word) => (/^[\w./-]+$/.test(word) ? word : `"${word}"`)).join(' ')}`);
  const { status } = spawnSync(process.execPath, [join(root, 'bin', 'run.js'), ...words], {
    cwd: join(root, 'examples'),
    stdio: 'inherit',
    env: plain(),
  });
  if (status !== 0) process.exit(status ?? 1);
}

function say(line) {
  process.stdout.write(`\n$ ${line}\n`);
}

// The visitor's own KB_ settings would point the demo at another base or provider.
function plain() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KB_')));
}
