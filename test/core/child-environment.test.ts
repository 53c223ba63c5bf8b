import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { childEnvironment } from '../../src/core/child-environment.ts';
import { packageRoot } from '../../src/core/project.ts';

const KEYS = [
  'OPENAI_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'QDRANT_API_KEY',
  'KB_SERVER_TOKEN',
  'KB_PDF_PASSWORD',
  'GITHUB_TOKEN',
  'NPM_TOKEN',
];

it('passes no key to a child process, and to an installer what it needs to download', () => {
  for (const name of [...KEYS, 'HTTPS_PROXY', 'npm_config_registry', 'PATH', 'LANG']) vi.stubEnv(name, 'x');
  for (const child of ['browser', 'installer', 'build'] as const) {
    const passed = childEnvironment(child);
    expect(Object.keys(passed).filter((name) => KEYS.includes(name))).toEqual([]);
    expect(passed.LANG).toBe('x');
  }
  expect(childEnvironment('installer')).toMatchObject({ HTTPS_PROXY: 'x', npm_config_registry: 'x', PATH: 'x' });
  vi.unstubAllEnvs();
});

const sources = ['src', 'commands', 'packages/documents/src'].flatMap((folder) =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: join(folder, name), text: readFileSync(join(packageRoot, folder, name), 'utf8') })),
);

it('is named wherever a child process is started', () => {
  const starters = sources.filter(({ text }) => /from 'node:child_process'/.test(text));
  expect(starters.map(({ name }) => name).toSorted()).toEqual([
    'packages/documents/src/process/worker-process.ts',
    'src/drivers/setup/run-installer.ts',
    'src/server/reload.ts',
  ]);
  for (const { name, text } of starters) {
    const calls = [...text.matchAll(/(?<![.\w])(?:spawn|fork|exec|execFile|spawnSync|execFileSync|execSync)\(/g)];
    const named = calls.filter(({ index }) =>
      /\benv: (?:childEnvironment\('\w+'\)|environment\(\)|process\.env)/.test(text.slice(index, index + 300)),
    );
    expect([name, named.length]).toEqual([name, calls.length]);
  }
});

it('cannot hold variables of .env, because nothing adds them to the environment of the process', () => {
  const written = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/Object\.assign\(process\.env|process\.env(?:\.\w+|\['?\w+'?\]) (?:\?\?)?= .*/g)].map(([line]) => `${name}: ${line}`),
  );
  expect(written).toEqual([
    "src/drivers/embedders/local-embedder.ts: process.env.ORT_DISABLE_TELEMETRY = '1';",
    "src/drivers/stores/lancedb/lancedb-connection.ts: process.env['LANCEDB_LOG'] ??= 'error';",
  ]);
});
