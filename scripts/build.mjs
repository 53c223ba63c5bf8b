// `npm run build`: compiles the program into dist/, and puts the libraries into it that, installed as packages, would bring hundreds of megabytes
// along that nothing needs.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { root } from './prepare.mjs';

const BUILT = join(root, 'dist', 'src');
const PDF = join(BUILT, 'drivers', 'parsers', 'pdf');
/** Modules that re-export a library, which is put into them. */
const LIBRARIES = [
  'drivers/stores/lancedb/lancedb-library.js',
  'drivers/stores/qdrant/qdrant-library.js',
  'drivers/providers/openai-library.js',
  'drivers/parsers/pdf/pdf-library.js',
  'mcp/mcp-library.js',
];
/** What is installed beside kb, or never asked for: LanceDB's own embedders. */
const OUTSIDE = [/^node:/, /^@lancedb\/lancedb-/, /^apache-arrow/, /^@huggingface\/transformers/, /^zod(?:\/|$)/];
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
else fail(`kb cannot be built without its development packages (${missing.join(', ')}): run «npm ci».`);

async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await run('tsc', '-p', 'tsconfig.build.json');
  const used = await bundle();
  await buildPage(used);
  addTables();
  addLicences(used);
  await run('oclif', 'manifest');
}

async function run(program, ...words) {
  const { execa } = await import('execa');
  const { exitCode } = await execa({ cwd: root, preferLocal: true, stdio: 'inherit', reject: false })(program, words);
  if (exitCode !== 0) process.exit(exitCode ?? 1);
}

/** Puts the libraries into the modules that re-export them. Gives the folders of the packages that went in. */
async function bundle() {
  const { rolldown } = await import('rolldown');
  const used = new Set();
  for (const file of LIBRARIES.map((name) => join(BUILT, name))) {
    const made = await rolldown({ input: file, platform: 'node', external: OUTSIDE, plugins: [withoutCanvas], onLog: noted });
    const { output } = await made.write({ file, format: 'esm', minify: true, codeSplitting: false });
    await made.close();
    for (const id of output.flatMap((chunk) => chunk.moduleIds ?? [])) if (packageOf(id)) used.add(packageOf(id));
  }
  return used;
}

/** Puts the page that `kb serve` shows, with the libraries that it needs, beside the program. Adds the folders of these packages. */
async function buildPage(used) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({ input: join(root, 'web', 'main.ts'), platform: 'browser', onLog: noted });
  const { output } = await made.write({ file: join(root, 'dist', 'web', 'main.js'), format: 'esm', minify: true, codeSplitting: false });
  await made.close();
  for (const id of output.flatMap((chunk) => chunk.moduleIds ?? [])) if (packageOf(id)) used.add(packageOf(id));
  for (const name of ['index.html', 'style.css', 'icon.svg']) cpSync(join(root, 'web', name), join(root, 'dist', 'web', name));
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
    cpSync(join(folder, name), join(PDF, 'pdfjs', name), { recursive: true });
  cpSync(join(folder, 'legacy', 'build', 'pdf.worker.min.mjs'), join(PDF, 'pdf.worker.mjs'));
}

/** The licences of the packages that were put in, each under its name. */
function addLicences(folders) {
  const target = join(root, 'dist', 'licences');
  mkdirSync(target, { recursive: true });
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    const prefix = `${name.replaceAll('/', '-')}-${version}`;
    for (const file of texts) cpSync(join(folder, file), join(target, `${prefix}-${file}`));
    if (texts.length === 0)
      process.stderr.write(`${relative(root, folder).replaceAll(sep, '/')} (${license}) has no text of its licence.\n`);
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
