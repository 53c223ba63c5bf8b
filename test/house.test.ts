import { describe, expect, it } from 'vitest';
import { localModels } from '../src/drivers/embedders/local-models.ts';
import { drivers } from '../src/drivers/registry.ts';
import { parsers } from '../packages/documents/src/formats.ts';
import { filesIn, importsOf, lines, text } from './support/source-files.ts';

// The plan of the house: an import only ever goes down, and the two wings (stages, drivers) do not know each other.

const FLOORS: [number, RegExp][] = [
  [6, /^commands\//],
  [5, /^src\/(cli|server|mcp)\//],
  [5, /^src\/index\.ts$/],
  [5, /^web\//],
  [4, /^src\/(engine|config)\//],
  [3, /^src\/(stages|drivers)\//],
  [2, /^src\/(core|http|text|languages|ports)\//],
  [1, /^src\/schema\//],
];
const MAX_COMMAND_LENGTH = 45;
/** Imported when they are needed: `kb --help` must not wait for them. */
const HEAVY =
  /^(@lancedb|apache-arrow|onnxruntime-node|@huggingface|playwright|pdf-parse|openai|fastify|xlsx|mammoth|officeparser|linkedom|piscina|turndown|listr2|@inquirer|undici|@qdrant)/;

const files = [...filesIn('src'), ...filesIn('commands'), ...filesIn('web')];
const packageFiles = filesIn('packages').filter((path) => /^packages\/[^/]+\/src\//.test(path));
const floorOf = (path: string): number => FLOORS.find(([, pattern]) => pattern.test(path))?.[0] ?? 0;

const imports = files.flatMap(importsOf);
const packageOf = (path: string): string | undefined => /^packages\/[^/]+/.exec(path)?.[0];
/** The names by which the root may import packages. */
const { exports } = JSON.parse(text('packages/documents/package.json')) as { exports: object };
const entryPoints = new Set(Object.keys(exports).map((path) => path.replace('.', '@citekb/documents')));
const own = imports.filter(({ to }) => /^(src|commands|web)\//.test(to));
const wing = (path: string): string | undefined => /^src\/(stages|drivers)\//.exec(path)?.[1];

describe('the house', () => {
  it('has a floor for every file', () => {
    expect(files.filter((path) => floorOf(path) === 0)).toEqual([]);
    expect(files.length).toBeGreaterThan(50);
  });

  it('has imports that go down or stay on their floor', () => {
    expect(own.filter(({ from, to }) => floorOf(to) > floorOf(from)).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('keeps stages and drivers apart', () => {
    const crossing = own.filter(({ from, to }) => wing(from) && wing(to) && wing(from) !== wing(to));
    expect(crossing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('lets schemas know nothing but zod and each other', () => {
    const strange = imports.filter(({ from, to }) => from.startsWith('src/schema/') && to !== 'zod' && !to.startsWith('src/schema/'));
    expect(strange).toEqual([]);
  });

  it('lets the page know the schemas as types, and of the rest only what reads text', () => {
    const strange = own.filter(
      ({ from, to, isType }) => from.startsWith('web/') && !/^(web|src\/text)\//.test(to) && !(isType && to.startsWith('src/schema/')),
    );
    expect(strange).toEqual([]);
    expect(own.filter(({ from, to }) => to.startsWith('web/') && !from.startsWith('web/'))).toEqual([]);
  });

  it('lets a package import nothing from the root, and the root only its entry points', () => {
    const inside = filesIn('packages')
      .flatMap(importsOf)
      .filter(({ to }) => to.includes('/'));
    const climbing = inside.filter(
      ({ from, to }) =>
        /^(?:src|test|bench|commands|web|scripts)\//.test(to) || (to.startsWith('packages/') && packageOf(to) !== packageOf(from)),
    );
    expect(climbing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    expect(packageFiles.length).toBeGreaterThan(50);
    const deep = imports.filter(({ to }) => to.startsWith('packages/') || (to.startsWith('@citekb/') && !entryPoints.has(to)));
    expect(deep.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('lets stages, the page and what is below them use of the packages only what reads text', () => {
    const reading = imports.filter(
      ({ from, to, isType }) => !isType && to === '@citekb/documents' && !/^src\/drivers\/(?:documents|setup\/ocr)\.ts$/.test(from),
    );
    expect(reading.map(({ from }) => from)).toEqual([]);
  });

  it('installs with the program what its packages import', () => {
    const all = (path: string): Record<string, string> => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(text(path)) as Record<string, Record<string, string>>;
      return { ...devDependencies, ...dependencies };
    };
    const { dependencies } = JSON.parse(text('packages/documents/package.json')) as { dependencies: Record<string, string> };
    const installed = all('package.json');
    expect(Object.fromEntries(Object.keys(dependencies).map((name) => [name, installed[name]]))).toEqual(dependencies);
  });

  it('has no circle', () => {
    const next = Map.groupBy([...own, ...packageFiles.flatMap(importsOf)], ({ from }) => from);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) return void circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path)) return;
      for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    };
    for (const path of [...files, ...packageFiles]) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('names no driver in a stage or in the engine', () => {
    // the reranker `llm` is no driver that stands for itself: it grades with the language model that the engine hands it
    const named = Object.values({ ...drivers, rerankers: { ...drivers.rerankers, llm: undefined } }).flatMap((table) =>
      Object.entries(table).flatMap(([name, driver]) => (driver ? [name] : [])),
    );
    expect(named).toEqual(expect.arrayContaining(['lancedb', 'qdrant', 'openai', 'anthropic', 'ollama', 'local']));
    const words = [...new Set(named)].join('|');
    const NAMED = new RegExp(
      `(['"\`])(?:${words})\\1|\\b(?:stores|embedders|rerankers|llms|providers)\\.(?:${words})\\b|^  (?:${words}):|[!=]== BUNDLED\\b`,
      'm',
    );
    expect(files.filter((path) => /^src\/(stages|engine)\//.test(path) && NAMED.test(text(path)))).toEqual([]);
  });

  it('names no file type and no bundled model in a stage or in the engine', () => {
    const types = parsers.map(({ file_type }) => file_type).join('|');
    const media = parsers.flatMap(({ media_types = [] }) => media_types.filter((type) => !type.includes('*'))).join('|');
    const extensions = parsers.flatMap((parser) => parser.extensions.map((extension) => extension.slice(1))).join('|');
    const NAMED = new RegExp(
      [
        `file_?type\\b[^\\n]{0,12}(['"\`])(?:${types})\\1`, // file_type === 'pdf', fileType('pdf')
        `fileType\\(['"\`]`, // the name of a file that stands for a type
        `(?<![/\\w])(?:${media.replaceAll(/[.+]/g, '\\$&').replaceAll('/', '\\\\?/')})(?![\\w.-])`,
        `(['"\`])\\.(?:${extensions})\\2`,
        `%pdf|<!doctype html>`,
        Object.keys(localModels).join('|'),
      ].join('|'),
      'i',
    );
    expect(
      NAMED.test("file_type: 'markdown'") &&
        NAMED.test("accept: 'text/html'") &&
        NAMED.test("x.endsWith('.md')") &&
        NAMED.test('/^text\\/html$/'),
    ).toBe(true);
    expect(files.filter((path) => /^src\/(stages|engine)\//.test(path) && NAMED.test(text(path)))).toEqual([]);
  });

  it('imports heavy packages when they are needed, outside the workers', () => {
    const eager = imports.filter(({ from, to, isType, isLazy }) => HEAVY.test(to) && !isType && !isLazy && !isLoadedLazily(from));
    expect(eager.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('has thin commands', () => {
    expect(files.filter((path) => path.startsWith('commands/') && lines(path) > MAX_COMMAND_LENGTH)).toEqual([]);
  });

  it('has no barrel but the entry points', () => {
    const barrels = [...files, ...packageFiles].filter((path) => path.endsWith('/index.ts'));
    expect(barrels.toSorted()).toEqual(['packages/documents/src/index.ts', 'packages/documents/src/markdown/index.ts', 'src/index.ts']);
  });
});

/** Drivers, workers and what they alone import are reached by `import()` from the registry, so that they may import what they are made of. */
function isLoadedLazily(path: string): boolean {
  const eager = new Set<string>();
  const visit = (from: string): void => {
    if (eager.has(from)) return;
    eager.add(from);
    for (const { to, isType, isLazy } of own.filter((item) => item.from === from)) if (!isType && !isLazy) visit(to);
  };
  for (const door of files.filter(
    (file) => file.startsWith('commands/') || file === 'src/cli/main.ts' || file === 'src/index.ts' || file === 'src/engine/engine.ts',
  ))
    visit(door);
  return !eager.has(path);
}
