// Prints the figures of the house: how many files and lines, how they hang together, and how many of them one document and one question run through.
// usage: node scripts/house.mjs [--run] [--chain]   (--run needs `npm run build` before: it ingests one file and asks one question)
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';
import { chainsOf, exportsOf, filesIn, importsOf, lines, twice } from '../test/support/source-files.ts';
import { root } from './prepare.mjs';

const files = [...filesIn('src'), ...filesIn('packages')].filter((path) => !path.includes('/test/'));
/** Where modules begin, by the file of the build that they are in. */
const begun = new Map();
const own = files.flatMap(importsOf).filter(({ to }) => /^(?:src|packages)\//.test(to));
const chainOf = chainsOf(own);

const quantile = (values, share) =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))];

const report = (name, value) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);
const sizes = files.map(lines);
const folders = Object.entries(Object.groupBy(files, (path) => dirname(path))).toSorted(([, one], [, other]) => other.length - one.length);
const [deepest] = files.map(chainOf).toSorted((one, other) => other.length - one.length);
const doubled = twice(files.flatMap(exportsOf).map(({ name }) => name));
const named = twice(files.map((path) => basename(path)));

report('files · lines', `${files.length} · ${sizes.reduce((sum, size) => sum + size, 0)}`);
report('lines a file, median / p90 / max', `${quantile(sizes, 0.5)} / ${quantile(sizes, 0.9)} / ${Math.max(...sizes)}`);
report('most files in a folder', `${folders[0][1].length} (${folders[0][0]})`);
report('import depth, file by file', `${deepest.length} (${deepest[0]})`);
report('imports a file', (new Set(own.map(({ from, to }) => `${from} ${to}`)).size / files.length).toFixed(1));
report('exported names that mean two things', `${doubled.length} ${doubled.join(' ')}`);
report('file names used twice', `${named.length} ${named.join(' ')}`);
if (process.argv.includes('--run')) await reportRuns();
if (process.argv.includes('--chain')) for (const [place, path] of deepest.entries()) report(String(deepest.length - place), path);

/** Files of src of which at least one function ran in a command, by V8's coverage. */
async function filesRun(folder, parameters) {
  const coverage = mkdtempSync(join(tmpdir(), 'kb-coverage-'));
  await execaNode(join(root, 'bin/run.js'), parameters, { cwd: folder, env: { NODE_V8_COVERAGE: coverage } });
  const ran = new Set();
  for (const name of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), 'utf8')).result)
      if (url.includes('/dist/'))
        for (const { functionName, ranges } of functions)
          if (functionName && ranges[0].count > 0) ran.add(moduleAt(fileURLToPath(url), ranges[0].startOffset));
  rmSync(coverage, { recursive: true });
  return [...ran].filter((path) => /^(?:src|packages)\//.test(path)).length;
}

/** The module that a place in a file of the build comes from, by the comments that begin them. */
function moduleAt(file, offset) {
  if (!begun.has(file)) begun.set(file, [...readFileSync(file, 'utf8').matchAll(/^\/\/ ((?:src|packages|commands|node_modules)\/\S+)$/gm)]);
  return begun.get(file).findLast(({ index }) => index < offset)?.[1];
}

async function reportRuns() {
  const folder = mkdtempSync(join(tmpdir(), 'kb-house-'));
  writeFileSync(join(folder, 'guide.md'), '# Guide\n\n## Tokens\n\nA token can be rotated in the settings.\n');
  report('files run by one document', await filesRun(folder, ['ingest', '--docs', 'guide.md']));
  report('files run by one question', await filesRun(folder, ['chat', 'How can a token be rotated?']));
  rmSync(folder, { recursive: true });
}
