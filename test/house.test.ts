import { describe, expect, it } from 'vitest';
import { localModels } from '../src/drivers/embedders/local-models.ts';
import { parsers } from '../src/drivers/parsers/parsers.ts';
import { drivers } from '../src/drivers/registry.ts';
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
const floorOf = (path: string): number => FLOORS.find(([, pattern]) => pattern.test(path))?.[0] ?? 0;

const imports = files.flatMap(importsOf);
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

  it('has no circle', () => {
    const next = Map.groupBy(own, ({ from }) => from);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) return void circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path)) return;
      for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    };
    for (const path of files) visit(path, []);
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

  it('has no barrel but src/index.ts', () => {
    expect(files.filter((path) => path.endsWith('/index.ts') && path !== 'src/index.ts')).toEqual([]);
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
