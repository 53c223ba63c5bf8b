// `npm run build`: bundles the program, with the libraries that are development packages, into dist/. What is one file loads faster than many, and
// some libraries would, installed as packages, bring hundreds of megabytes along that nothing needs. What `dependencies` names is installed beside kb.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { root } from './prepare.mjs';

/** Where everything is built before it takes the place of dist/: a build that fails leaves the program as it was. */
const BUILT = join(root, 'dist.new');
/** Modules that are loaded by their path. All others are put into chunks. */
const ENTRIES = ['commands/**/*.ts', 'src/index.ts', 'src/cli/main.ts', 'src/drivers/**/embed-worker.ts', 'src/stages/text-worker.ts'];
/** Workers of the packages: a package finds its own next to the chunk that it is in. */
const WORKERS = 'packages/*/src/**/*-worker.ts';
/**
 * What is loaded together is in one chunk: a layer is what its doors import, directly or not, less what is in the layers above it. No door loads a layer that
 * it does not need: the help is without the engine, and a process that parses without schemas.
 */
const LAYERS = {
  oclif: /@oclif\/core\/lib\/main\.js$/,
  workers: /\b(?:embed|ocr|parse)-worker\.ts$/,
  parsing: /\bdocuments\/src\/parse\.ts$/,
  engine: /\bsrc\/(?:index|engine\/engine)\.ts$/,
  cli: /\bcommands\/(?:\w+\/)?[\w-]+\.ts$/,
};
/** Not bundled: LanceDB's native part, which is installed beside kb; what its own embedders and oclif's way to run TypeScript need, which kb does not use. */
const LEFT_OUT = /^@lancedb\/lancedb-|^openai$|^@huggingface\/transformers$|^typescript$/;
/** Bundled, and yet installed: the types of kb's library name it. */
const OF_TYPES = 'zod';
/** pdf.js asks for a library that draws pictures. Reading text needs only that these names exist. */
const CANVAS = { from: 'require("@napi-rs/canvas")', to: '{ DOMMatrix: class {}, ImageData: class {}, Path2D: class {} }' };
const TOOLS = ['typescript', 'rolldown', 'oclif', 'execa'];

const withoutCanvas = {
  name: 'without-canvas',
  transform(code, id) {
    if (!id.endsWith(join('legacy', 'build', 'pdf.mjs'))) return undefined;
    if (!code.includes(CANVAS.from)) fail('pdf.js no longer asks for its canvas as scripts/build.mjs expects.');
    return { code: code.replaceAll(CANVAS.from, CANVAS.to), map: null };
  },
};

const require = createRequire(import.meta.url);
const missing = TOOLS.filter((name) => !existsSync(join(root, 'node_modules', name)));
if (missing.length === 0) await build();
else fail(`kb cannot be built without its development packages (${missing.join(', ')}): run "npm ci".`);

async function build() {
  rmSync(BUILT, { recursive: true, force: true });
  await run('tsc', '-p', 'tsconfig.build.json', '--outDir', BUILT);
  linkTypes();
  const used = new Set([...(await bundleProgram()), ...(await bundlePage())]);
  addTables();
  addLicences(used);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(BUILT, join(root, 'dist'));
  await run('oclif', 'manifest');
}

/** Makes the types name the packages, which are not installed with the program, by their paths. */
function linkTypes() {
  for (const path of globSync('{src,commands}/**/*.d.ts', { cwd: BUILT })) {
    const file = join(BUILT, path);
    const text = readFileSync(file, 'utf8');
    const linked = text.replaceAll(/(?<=from ')@citekb\/[^']+/g, (name) => relative(dirname(file), typesOf(name)).replaceAll(sep, '/'));
    if (linked !== text) writeFileSync(file, linked);
  }
}

/** The built types of an entry point of a package. */
function typesOf(entry) {
  const [, name, subpath] = /^@citekb\/([^/]+)(.*)$/.exec(entry);
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  return join(BUILT, 'packages', name, exports[`.${subpath}`]);
}

async function run(program, ...words) {
  const { execa } = await import('execa');
  const { exitCode } = await execa({ cwd: root, preferLocal: true, stdio: 'inherit', reject: false })(program, words);
  if (exitCode !== 0) process.exit(exitCode ?? 1);
}

/** Bundles the program; only the chunks of the largest libraries are minified, which `*-library.ts` re-export. Gives the folders of the packages in it. */
async function bundleProgram() {
  const { minifySync } = await import('rolldown/utils');
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const held = {};
  const layers = {
    name: 'layers',
    buildEnd() {
      for (const [layer, doors] of Object.entries(LAYERS)) held[layer] = importedBy(doors, this);
    },
    renderChunk: (code, { fileName, moduleIds }) =>
      moduleIds.some((id) => id.endsWith('-library.ts')) ? minifySync(fileName, code) : undefined,
  };
  const groups = Object.keys(LAYERS).map((name, i, { length }) => ({
    name,
    test: (id) => held[name].has(id),
    minShareCount: 2,
    priority: length - i,
  }));
  return await bundle(
    {
      input: Object.fromEntries([
        ...globSync(ENTRIES, { cwd: root }).map((path) => [path.replaceAll(sep, '/').replace(/\.ts$/, ''), join(root, path)]),
        ...globSync(WORKERS, { cwd: root }).map((path) => [`chunks/${basename(path, '.ts')}`, join(root, path)]),
      ]),
      platform: 'node',
      external: (id, importer = '') =>
        packageOf(importer) ? LEFT_OUT.test(id) : Object.hasOwn(dependencies, nameIn(id)) && nameIn(id) !== OF_TYPES,
      plugins: [withoutCanvas, layers],
    },
    { dir: BUILT, chunkFileNames: 'chunks/[name].js', codeSplitting: { groups } },
  );
}

/** The page that `kb serve` shows, beside the program. */
async function bundlePage() {
  for (const name of ['index.html', 'style.css', 'icon.svg']) cpSync(join(root, 'web', name), join(BUILT, 'web', name));
  return await bundle(
    { input: join(root, 'web', 'main.ts'), platform: 'browser' },
    { file: join(BUILT, 'web', 'main.js'), minify: true, codeSplitting: false },
  );
}

async function bundle(input, output) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({ ...input, onLog: noted });
  const written = await made.write({ ...output, format: 'esm' });
  await made.close();
  return written.output.flatMap((chunk) => chunk.moduleIds ?? []).flatMap((id) => packageOf(id) ?? []);
}

/** The modules that are loaded with these, themselves among them: what is imported on demand is not. */
function importedBy(doors, modules) {
  const found = new Set([...modules.getModuleIds()].filter((id) => doors.test(id.replaceAll('\\', '/'))));
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

function nameIn(id) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

function noted(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') fail(log.message); // it would be missing where the package is installed
  if (level === 'error') handle(level, log);
}

function packageOf(id) {
  const [path] = id.replaceAll('\\', '/').split('?');
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** What pdf.js reads beside its program. */
function addTables() {
  const folder = dirname(createRequire(require.resolve('pdf-parse')).resolve('pdfjs-dist/package.json'));
  for (const name of ['cmaps', 'standard_fonts', 'wasm', 'LICENSE'])
    cpSync(join(folder, name), join(BUILT, 'chunks', 'pdfjs', name), { recursive: true });
  cpSync(join(folder, 'legacy', 'build', 'pdf.worker.min.mjs'), join(BUILT, 'chunks', 'pdf.worker.mjs'));
}

/** The licences of the packages that were put in, each under its name. */
function addLicences(folders) {
  const target = join(BUILT, 'licences');
  mkdirSync(target, { recursive: true });
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(?!_header)/i.test(file));
    const prefix = `${name.replaceAll('/', '-')}-${version}`;
    for (const file of texts) cpSync(join(folder, file), join(target, `${prefix}-${file}`));
    if (texts.length > 0) continue;
    if (license === 'Apache-2.0') cpSync(join(root, 'LICENSE'), join(target, `${prefix}-LICENSE`));
    else process.stderr.write(`${relative(root, folder).replaceAll(sep, '/')} (${license}) has no text of its licence.\n`);
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
