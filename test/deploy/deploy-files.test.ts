import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { packageRoot } from '../../src/core/project.ts';
import { providers } from '../../src/drivers/providers/providers.ts';
import { Config } from '../../src/schema/config.ts';
import { keysOf } from '../../src/schema/fields.ts';
import { composeFiles, dockerfile, imageEnvironment, type Service, stages, unit } from '../support/deployment.ts';

/** Every variable that kb or its Node reads. */
const VARIABLES = new Set([
  ...keysOf(Config).map(({ variable }) => variable),
  ...Object.values(providers).flatMap(({ key_variables, base_url_variable }) => [...key_variables, base_url_variable]),
  'KB_SERVER_TOKEN',
  'QDRANT_API_KEY',
  'XDG_STATE_HOME',
  'KB_CONFIG',
  'NODE_ENV',
  'MALLOC_ARENA_MAX', // read by glibc
]);
const unknown = (names: readonly string[]): string[] => names.filter((name) => !VARIABLES.has(name));

/** A tag that says a version, not what is newest. */
const PINNED = /:v?\d+\.\d+(\.\d+)?(-[\w.]+)?$/;

/** Throws where the command line of a container or unit is none of kb's. */
function assertCommand(words: readonly string[]): void {
  const [command, ...rest] = words;
  const file = join(packageRoot, 'commands', `${command}.ts`);
  expect(existsSync(file), `kb ${command}`).toBe(true);
  const flags = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  const source = readFileSync(file, 'utf8');
  expect(flags.filter((flag) => flag !== 'config' && !source.includes(`    ${flag}: Flags.`))).toEqual([]);
}

describe('the Dockerfile', () => {
  const last = stages(dockerfile()).at(-1)!;
  const of = (name: string) => last.filter((instruction) => instruction.name === name).map(({ value }) => value);

  it('begins with pinned, slim images of the Node version that kb is developed with', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    const bases = dockerfile().flatMap(({ name, value }) => (name === 'FROM' ? [value.split(' ')[0]!] : []));
    expect(bases).toEqual([`node:${devDependencies.node}-bookworm-slim`, `node:${devDependencies.node}-bookworm-slim`]);
  });

  it('runs as a non-root user, after all steps that need root', () => {
    expect(of('USER')).toEqual(['1000:1000']); // "node": Kubernetes' runAsNonRoot knows numbers alone
    const order = last.map(({ name }) => name);
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'));
  });

  it('copies files that exist and that .dockerignore keeps', () => {
    const ignored = readFileSync(join(packageRoot, '.dockerignore'), 'utf8').split('\n');
    const copied = dockerfile()
      .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--from'))
      .flatMap(({ value }) => value.split(' ').slice(0, -1));
    expect(copied).toContain('package-lock.json');
    expect(copied.filter((path) => !existsSync(join(packageRoot, path)) || ignored.includes(path))).toEqual([]);
    const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { files: string[] };
    const built = new Set(['dist', 'oclif.manifest.json']);
    expect(files.filter((path) => ignored.includes(path) && !built.has(path))).toEqual([]);
    for (const needed of ['src', 'packages', 'commands', 'scripts', 'web', 'tsconfig.build.json', '.npmrc'])
      expect(ignored).not.toContain(needed);
  });

  it('starts a command of the package, with variables that kb knows', () => {
    const { bin } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    expect(of('ENTRYPOINT').map((value) => JSON.parse(value))).toEqual([[Object.keys(bin)[0]]]);
    assertCommand(JSON.parse(of('CMD')[0]!));
    expect(unknown(Object.keys(imageEnvironment()))).toEqual([]);
  });

  it('keeps the store in a volume, and has a health check', () => {
    expect(of('VOLUME')).toEqual(['/data/.kb']);
    expect(of('WORKDIR')).toEqual(['/data']);
    expect(of('HEALTHCHECK')).toHaveLength(1);
    expect(of('EXPOSE')).toEqual([imageEnvironment().KB_SERVER_PORT]);
  });
});

describe('the compose files', () => {
  const all = Object.entries(composeFiles());
  const services = all.flatMap(([file, { services: inside }]) =>
    Object.entries(inside).map(([name, service]): [string, Service] => [`${file} ${name}`, service]),
  );

  it('are one for kb alone and one for each companion', () => {
    expect(all.map(([file]) => file).toSorted()).toEqual([
      'compose.caddy.yaml',
      'compose.ollama.yaml',
      'compose.qdrant.yaml',
      'compose.yaml',
    ]);
  });

  it('pin the images that are not built here', () => {
    const images = services.flatMap(([name, { image, build }]) => (image && !build ? [`${name} ${image}`] : []));
    expect(images.length).toBeGreaterThan(2);
    expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
  });

  it('set variables that kb knows, and take secrets from the environment', () => {
    for (const [name, { environment = {} }] of services.filter(([key]) => key.endsWith(' kb'))) {
      expect([name, unknown(Object.keys(environment))]).toEqual([name, []]);
      const secrets = Object.entries(environment).filter(([variable]) => /TOKEN|_KEY$/.test(variable));
      for (const [, value] of secrets) expect(value).toMatch(/^\$\{\w+:\?.+\}$/);
    }
  });

  it('mount existing files and declared volumes', () => {
    const declared = new Set(all.flatMap(([, { volumes }]) => Object.keys(volumes ?? {})));
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]!));
    const missing = mounts.filter((from) => (from.startsWith('.') ? !existsSync(join(packageRoot, 'deploy', from)) : !declared.has(from)));
    expect(missing).toEqual([]);
    const kb = composeFiles()['compose.yaml']!.services.kb!;
    expect(kb.volumes).toContain('base:/data/.kb');
    expect(existsSync(join(packageRoot, 'deploy', kb.build!, 'Dockerfile'))).toBe(true);
  });

  it('run commands of kb, listen on this machine only, and drop privileges', () => {
    const kb = composeFiles()['compose.yaml']!.services.kb!;
    assertCommand(kb.command!);
    expect(kb.ports).toEqual(['127.0.0.1:8000:8000']);
    expect(kb).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });

  it('depend on existing services', () => {
    const names = new Set(services.map(([name]) => name.split(' ')[1]));
    expect(services.flatMap(([, { depends_on = [] }]) => depends_on).filter((name) => !names.has(name))).toEqual([]);
  });

  it('contain valid settings of kb, beside the configuration of the folder', () => {
    const home = join(packageRoot, 'deploy');
    for (const [, { services: inside }] of all) {
      const given = Object.entries(inside.kb?.environment ?? {}).map(([name, value]) => [name, String(value)]);
      const environment = { ...imageEnvironment(), ...Object.fromEntries(given) } as Record<string, string>;
      const { config } = loadConfig({ cwd: home, file: join(home, 'kb.config.yaml'), environment });
      expect(config.server).toMatchObject({ host: '0.0.0.0', port: 8000 });
      expect(config.sources.docs).toEqual(['docs']);
    }
  });

  it('point Caddy to the service and port of kb', () => {
    const caddyfile = readFileSync(join(packageRoot, 'deploy', 'Caddyfile'), 'utf8');
    expect(caddyfile).toContain(`reverse_proxy kb:${imageEnvironment().KB_SERVER_PORT}`);
    expect(Object.keys(composeFiles()['compose.caddy.yaml']!.services.caddy!.environment!)).toContain(/\{\$(\w+)\}/.exec(caddyfile)![1]);
  });
});

describe('the systemd unit', () => {
  const directives = unit();
  const value = (name: string) => directives.get(name)?.at(-1);

  it('starts kb with a configuration, a state folder and variables that kb knows', () => {
    const [program, ...words] = value('ExecStart')!.split(' ');
    expect([program, words[0]]).toEqual(['/usr/bin/env', 'kb']);
    assertCommand(words.slice(1));
    const variables = directives.get('Environment')!.map((pair) => pair.split('=')[0]!);
    expect(unknown(variables)).toEqual([]);
    expect(directives.get('Environment')).toContain(`KB_STORAGE_URL=/var/lib/${value('StateDirectory')}/lancedb`);
  });

  it('runs as its own user, which may write only its state', () => {
    for (const [name, expected] of Object.entries({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      PrivateTmp: 'yes',
      CapabilityBoundingSet: '',
      UMask: '0077',
    }))
      expect([name, value(name)]).toEqual([name, expected]);
    expect(directives.has('MemoryDenyWriteExecute'), 'Node compiles while it runs').toBe(false);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('is valid for systemd (skipped without it)', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(packageRoot, 'deploy', 'kb.service')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
