import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collect } from '../../../src/base/run.ts';
import { findBrowser } from '../../../src/drivers/fetchers/find-browser.ts';
import { setUpBrowser, type SetupOptions } from '../../../src/drivers/fetchers/setup-browser.ts';
import { failure } from '../../base/door.ts';
import { folder } from '../../support/folder.ts';

/** A machine whose only place for programs is an empty folder; the installer is a script. */
function machine(script: string, { signal }: Pick<SetupOptions, 'signal'> = {}) {
  const place = folder({ 'installer.cjs': script });
  const setup = setUpBrowser({
    find: () => findBrowser({ environment: { PATH: place }, platform: 'linux', playwrights: async () => '' }),
    check: async (path) => `1.0 of ${path}`,
    installer: [process.execPath, join(place, 'installer.cjs'), place],
    signal,
  });
  return { place, setup };
}

const INSTALLS = `
const { writeFileSync } = require('node:fs');
process.stderr.write('Downloading Chromium\\n');
process.stdout.write('10% of 150 MiB\\n');
writeFileSync(process.argv[2] + '/chromium', '', { mode: 0o755 });`;

test('a browser that is there is taken, and nothing is installed', async () => {
  const found = setUpBrowser({ find: async () => '/place/chromium', check: async () => '1.0', installer: ['/nowhere/installer'] });
  expect(await collect(found)).toEqual({ events: [], result: { path: '/place/chromium', version: '1.0', isInstalled: false } });
});

test('a browser that does not start is a failure that says so', async () => {
  const path = join(folder({ chromium: '#!/bin/sh\necho no library >&2; exit 1' }), 'chromium');
  chmodSync(path, 0o755);
  const error = await failure(collect(setUpBrowser({ find: async () => path })));
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(path), hint: expect.stringMatching(/\w/) });
});

test('where there is none the installer is run, what it says is told, and what it installed is found', async () => {
  const { place, setup } = machine(INSTALLS);
  const { events, result } = await collect(setup);
  const path = join(place, 'chromium');
  expect(result).toEqual({ path, version: `1.0 of ${path}`, isInstalled: true });
  expect(events[0]).toMatch(/^No Chrome or Chromium was found/);
  expect(events.slice(1).toSorted()).toEqual(['10% of 150 MiB', 'Downloading Chromium']);
});

test('an installer that fails tells why, and what can be done without it', async () => {
  const { setup } = machine('console.error("Error: getaddrinfo ENOTFOUND cdn.example\\n    at where"); process.exit(1)');
  const error = await failure(collect(setup));
  expect(error).toMatchObject({ code: 'unavailable', message: 'Chromium was not installed: getaddrinfo ENOTFOUND cdn.example.' });
  expect(error.hint).toMatch(/Install Chrome or Chromium yourself: \S+/);
});

test('an installer that cannot be run, and one after which there is no browser, are failures', async () => {
  const absent = setUpBrowser({ find: async () => undefined, installer: ['/nowhere/installer'] });
  expect(await failure(collect(absent))).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ENOENT') });
  expect((await failure(collect(machine('').setup))).message).toContain('no browser was found afterwards');
});

test('a stop ends the installer', async () => {
  const controller = new AbortController();
  const { setup } = machine('console.log(process.pid); setInterval(() => {}, 1000)', { signal: controller.signal });
  await setup.next();
  const { value: pid } = await setup.next();
  controller.abort();
  expect(await failure(collect(setup))).toMatchObject({ code: 'aborted' });
  await expect.poll(() => isRunning(Number(pid)), { timeout: 20_000 }).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
