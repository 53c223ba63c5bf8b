// Prints the figures of the house: how many files and lines, how they hang together, and how many of them one document and one question run through.
// usage: node scripts/house.mjs [--run]   (--run needs `npm run build` before: it ingests one file and asks one question)
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
  });

const files = filesIn('src');
const text = new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const lines = (path) => text.get(path).split('\n').length - 1;

/** Files of src that a file imports, types and what is imported when it is needed included. */
const imports = new Map(
  files.map((from) => [
    from,
    [
      ...new Set(
        [...text.get(from).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, name]) =>
          relative(root, resolve(root, dirname(from), name)),
        ),
      ),
    ].filter((path) => text.has(path)),
  ]),
);

const depths = new Map();
/** Files in the longest chain of imports that begins with this one. */
const depthOf = (path) => {
  if (!depths.has(path)) depths.set(path, 1 + Math.max(0, ...(imports.get(path) ?? []).map(depthOf)));
  return depths.get(path);
};

const quantile = (values, share) =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** Exported names that more than one file declares. */
const doubled = () => {
  const places = new Map();
  for (const [path, source] of text)
    for (const name of new Set(
      [...source.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|const|class|type|interface) (\w+)/gm)].map(([, found]) => found),
    ))
      places.set(name, [...(places.get(name) ?? []), path]);
  return [...places].filter(([, found]) => found.length > 1);
};

const report = (name, value) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);
const sizes = files.map(lines);
const folders = Object.entries(Object.groupBy(files, (path) => dirname(path))).toSorted(([, one], [, other]) => other.length - one.length);
const deepest = files.toSorted((one, other) => depthOf(other) - depthOf(one))[0];
const named = Object.entries(Object.groupBy(files, (path) => path.split('/').at(-1))).filter(([, same]) => same.length > 1);

report('files · lines', `${files.length} · ${sizes.reduce((sum, size) => sum + size, 0)}`);
report('lines a file, median / p90 / max', `${quantile(sizes, 0.5)} / ${quantile(sizes, 0.9)} / ${Math.max(...sizes)}`);
report('most files in a folder', `${folders[0][1].length} (${folders[0][0]})`);
report('import depth, file by file', `${depthOf(deepest)} (${deepest})`);
report('imports a file', ([...imports.values()].reduce((sum, list) => sum + list.length, 0) / files.length).toFixed(1));
report(
  'exported names that mean two things',
  `${doubled().length} ${doubled()
    .map(([name]) => name)
    .join(' ')}`,
);
report('file names used twice', `${named.length} ${named.map(([name]) => name).join(' ')}`);
if (process.argv.includes('--run')) await reportRuns();
if (process.argv.includes('--chain'))
  for (let path = deepest; path; path = (imports.get(path) ?? []).find((next) => depthOf(next) === depthOf(path) - 1))
    report(String(depthOf(path)), path);

/** Files of src of which at least one function ran in a command, by V8's coverage. */
async function filesRun(folder, parameters) {
  const coverage = mkdtempSync(join(tmpdir(), 'kb-coverage-'));
  await execaNode(join(root, 'bin/run.js'), parameters, { cwd: folder, env: { NODE_V8_COVERAGE: coverage } });
  const ran = new Set();
  for (const name of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), 'utf8')).result)
      if (url.includes('/dist/src/') && functions.some(({ functionName, ranges }) => functionName && ranges[0].count > 0)) ran.add(url);
  rmSync(coverage, { recursive: true });
  return ran.size;
}

async function reportRuns() {
  const folder = mkdtempSync(join(tmpdir(), 'kb-house-'));
  writeFileSync(join(folder, 'guide.md'), '# Guide\n\n## Tokens\n\nA token can be rotated in the settings.\n');
  report('files run by one document', await filesRun(folder, ['ingest', '--docs', 'guide.md']));
  report('files run by one question', await filesRun(folder, ['chat', 'How can a token be rotated?']));
  rmSync(folder, { recursive: true });
}
