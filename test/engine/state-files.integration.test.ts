import { linkSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { collect } from '../../src/core/run.ts';
import { describe as describeError } from '../../src/core/errors.ts';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine, EngineOptions } from '../../src/ports/engines.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { operations, type OperationName } from '../../src/schema/operations.ts';
import { result, WORDS } from '../support/engine.ts';
import { type AtEnd, folder, prepared } from '../support/folder.ts';
import { variantsOf } from '../support/hostile-requests.ts';

const MARKER = 'Zwackelhorn';
const PUBLIC = 'Bikes stay outside.';

/** A project whose state holds the marker, and links to it among the documents. */
function project(atEnd?: AtEnd): string {
  const home = realpathSync(
    folder(
      {
        'docs/bikes.md': PUBLIC,
        'docs/settings/harbor.yaml': `# ${MARKER}\ncollection: manuals\n`,
        'kb.config.yaml': `# ${MARKER}\n`,
        '.env': `NOTE=${MARKER}\n`,
        '.env.local': `NOTE=${MARKER}\n`,
        'docs/tokens.json': `[{"name": "${MARKER}"}]`,
        'docs/server.key': `${MARKER}\n`,
        'base/.jobs/job.json': `{"text": "${MARKER}"}`,
        'base/kept/notes.md': `# ${MARKER}\n`,
        '.kb/.jobs/job.json': `{"text": "${MARKER}"}`,
      },
      atEnd,
    ),
  );
  symlinkSync('../.env', join(home, 'docs/env.txt'));
  symlinkSync('../base', join(home, 'docs/store'));
  linkSync(join(home, 'docs/settings/harbor.yaml'), join(home, 'docs/hard.yaml'));
  linkSync(join(home, '.env'), join(home, 'docs/hard.txt'));
  return home;
}

const SETTINGS: Layer = {
  ...WORDS,
  collection: 'manuals',
  storage: { url: 'base' },
  ingestion: { docs: { kinds: ['documents', 'data'] } },
  server: { tokens_file: 'docs/tokens.json', allowed_roots: ['.', 'base', '.kb', '.env', 'kb.config.yaml'] },
};

function engineOf(home: string, options: Partial<EngineOptions> = {}, atEnd: AtEnd = onTestFinished): Engine {
  const config = Config.parse(mergeLayers(DEFAULTS, SETTINGS));
  const engine = createEngine({ config, home, file: join(home, 'docs/settings/harbor.yaml'), surface: 'server', ...options });
  atEnd(() => engine.close());
  return engine;
}

/** Everything that a run tells: its events, and its result or error. */
async function outcomeOf(engine: Engine, name: OperationName, request: unknown, options = {}): Promise<string> {
  return await collect(engine.run(name, request as never, options)).then(JSON.stringify, describeError);
}

/** The files of a folder that hold the marker. */
const holders = (home: string): string[] =>
  (readdirSync(home, { recursive: true }) as string[])
    .filter((path) => statSync(join(home, path)).isFile() && readFileSync(join(home, path)).includes(MARKER))
    .toSorted();

const FILES = [
  'docs/settings/harbor.yaml',
  'kb.config.yaml',
  './docs/../kb.config.yaml',
  '.env',
  '.env.local',
  '.ENV',
  'KB.config.yaml',
  'docs/tokens.json',
  'docs/server.key',
  'base/.jobs/job.json',
  'base/kept/notes.md',
  'Base/kept/notes.md',
  '.kb/.jobs/job.json',
  'docs/env.txt',
  'docs/store/kept/notes.md',
  'docs/hard.yaml',
  'docs/hard.txt',
];
const FOLDERS = ['base', 'base/.jobs', 'base/kept', '.kb', '.kb/new', 'docs/store'];
const PATTERNS = [
  '*.yaml',
  '**/*.yaml',
  '.env*',
  'base/**',
  'base/.jobs/*',
  '.kb/.jobs/*.json',
  'docs/*.txt',
  'docs/settings/*',
  '**/*.json',
];

/** Operations whose paths no request names: the server itself writes the files of an upload. */
const WITHOUT_REQUESTED_PATHS = new Set<OperationName>(['upload']);

/** The example of an operation, without addresses of other machines. */
const exampleOf = (input: z.ZodType): object => {
  const [example = {}] = (input.meta()?.examples ?? []) as object[];
  return JSON.parse(JSON.stringify(example).replaceAll(/https?:\/\/[^"]*/g, 'http://127.0.0.1:9/')) as object;
};

/** Fields that are known to take paths: operation and field. */
const PATH_FIELDS = [
  ...['docs', 'docs[]', 'docs.path', 'docs[].path', 'docs.folder', 'storage.url'].map((field) => `ingest ${field}`),
  ...['files', 'files[]', 'files.path', 'files[].path', 'folder'].map((field) => `parse ${field}`),
  ...['retrieve', 'chat', 'store', 'edit', 'delete'].map((name) => `${name} url`),
  'query retrieval.url',
  'copy_collection to_url',
];

describe('any text field of a request', () => {
  const NAMES = (Object.keys(operations) as OperationName[]).filter((name) => !WITHOUT_REQUESTED_PATHS.has(name));
  let home: string;
  let engine: Engine;
  let before: string[];
  const refusing: string[] = [];
  beforeAll(() =>
    prepared(async (atEnd) => {
      home = project(atEnd);
      engine = engineOf(home, {}, atEnd);
      await result(engineOf(home, { surface: 'cli' }, atEnd), 'ingest', { markdown: [{ source: 'opening', text: PUBLIC }] });
      before = holders(home);
    }),
  );

  it.each(NAMES)('of the operation %s reads and writes nothing of the state of kb', async (name) => {
    const input: z.ZodType = operations[name].input;
    for (const { field, value } of ['.kb/.jobs/job.json', 'base/.jobs'].flatMap((path) => [...variantsOf(input, path)])) {
      const [key] = field.split(/[.[]/) as [string];
      for (const request of [value, { ...value, ...exampleOf(input), [key]: value[key] }]) {
        const outcome = await outcomeOf(engine, name, request);
        expect(outcome, JSON.stringify(request)).not.toContain(MARKER);
        if (outcome.includes('belongs to kb itself')) refusing.push(`${name} ${field}`);
      }
    }
    expect(holders(home)).toEqual(before);
    expect(readdirSync(join(home, 'base/.jobs'))).toEqual(['job.json']);
    expect(readdirSync(join(home, '.kb'))).toEqual(['.jobs']);
  });

  it('is sent a path where it takes one', () => expect(refusing).toEqual(expect.arrayContaining(PATH_FIELDS)));
});

describe('a request', () => {
  it.each([
    ['over HTTP or MCP', {}, {}],
    ['with the rights of a token', { surface: 'cli' }, { access: { name: 'pier', scopes: ['read', 'write'], collections: ['*'] } }],
  ] as const)('%s is refused the state of kb, however its path is spelled', async (_, engineOptions, options) => {
    const home = project();
    const engine = engineOf(home, engineOptions);
    for (const path of [...FILES, ...FILES.map((file) => join(home, file)), ...FOLDERS, ...PATTERNS]) {
      for (const request of [{ files: [path, 'docs/bikes.md'] }, { folder: path }]) {
        const outcome = await outcomeOf(engine, 'parse', request, options);
        expect(outcome, path).not.toContain(MARKER);
        if (!path.startsWith(home)) expect(outcome, path).not.toContain(home);
        if ('files' in request) expect(JSON.parse(outcome), path).toMatchObject({ result: { documents: 1, outputs: [{ text: PUBLIC }] } });
      }
    }
    for (const request of [{ folder: '.' }, { folder: 'docs' }, { files: 'docs/**' }, { folder: 'docs', follow_links: true }]) {
      const { outputs } = await result(engine, 'parse', request, options as never);
      expect(outputs.map(({ source }) => source)).toEqual(['docs/bikes.md']);
    }
    for (const url of ['base/.jobs', 'base/other', '.kb', '.kb/lancedb', 'docs/store/x', 'docs/settings/harbor.yaml', 'docs/tokens.json'])
      await expect(result(engine, 'ingest', { markdown: 'A text.', storage: { url } }, options as never), url).rejects.toMatchObject({
        code: 'forbidden',
      });
  });
});

describe('on the command line', () => {
  it('a search of folders and patterns skips the state of kb, and a named file is read', async () => {
    const home = project();
    const engine = engineOf(home, { surface: 'cli' });
    for (const docs of ['.', 'docs', 'docs/**', '**/*.*', { folder: 'docs' }])
      for (const follow_links of [false, true]) {
        const { source_results } = await result(engine, 'ingest', { docs, ingestion: { docs: { follow_links } }, force: true } as never);
        expect(source_results.docs!.outputs.map(({ source }) => source)).toEqual(['docs/bikes.md']);
      }
    expect(await result(engine, 'parse', { folder: 'base' })).toMatchObject({
      documents: 0,
      errors: [
        { source: 'base', error: 'base belongs to kb itself and is not searched for documents. Name the files that you want to read.' },
      ],
    });
    const { outputs } = await result(engine, 'parse', { files: ['kb.config.yaml', 'base/kept/notes.md'] });
    expect(outputs.map(({ source }) => source)).toEqual(['kb.config.yaml', 'base/kept/notes.md']);
  });

  it('documents in the folder of the store are read if the configuration is in it, too', async () => {
    const home = folder({ 'bikes.md': PUBLIC, '.jobs/job.md': MARKER });
    const config = Config.parse(mergeLayers(DEFAULTS, { ...WORDS, storage: { url: '.' } }));
    const engine = engineOf(home, { config });
    await result(engine, 'ingest', { docs: '.' });
    const { outputs, errors } = await result(engine, 'parse', { files: ['bikes.md', '.jobs/job.md'] });
    expect(outputs.map(({ source }) => source)).toEqual(['bikes.md']);
    expect(errors.map(({ source }) => source)).toEqual(['.jobs/job.md']);
  });
});
