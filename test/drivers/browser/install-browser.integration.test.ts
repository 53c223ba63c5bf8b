import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { collect } from '../../../src/core/run.ts';
import { launchChromium, findBrowsers } from '../../../src/drivers/browser/chromium.ts';
import { setUpBrowser, type SetupOptions } from '../../../src/drivers/browser/install-browser.ts';
import { failure } from '../../http/door.ts';
import { withBrowser } from '../../support/browser.ts';
import { folder } from '../../support/folder.ts';

/** A machine whose only place for programs is an empty folder; the installer is a script. */
function machine(script: string, { signal }: Pick<SetupOptions, 'signal'> = {}) {
  const place = folder({ 'installer.cjs': script });
  const setup = setUpBrowser({
    find: () => findBrowsers({ environment: { PATH: place }, platform: 'linux', playwrightPath: async () => '' }),
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

test('uses an installed browser, and installs nothing', async () => {
  const found = setUpBrowser({
    find: async () => ['/place/chromium', '/place/other'],
    check: async () => '1.0',
    installer: ['/nowhere/installer'],
  });
  expect(await collect(found)).toEqual({ events: [], result: { path: '/place/chromium', version: '1.0', isInstalled: false } });
});

/** What some systems have under the name of a browser. */
const stub = (): string => {
  const path = join(folder({ chromium: '#!/bin/sh\necho no library >&2; exit 1' }), 'chromium');
  chmodSync(path, 0o755);
  return path;
};

test('fails if the browser does not start even after the installation', async () => {
  const path = stub();
  const error = await failure(collect(setUpBrowser({ find: async () => [path], installer: [process.execPath, '--version'] })));
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(path), hint: expect.stringMatching(/\w/) });
});

test('skips a browser that does not start, and installs one if no other starts', async () => {
  const [broken, working] = ['/place/chromium-browser', '/place/chromium'];
  const check = async (path: string) => (path === working ? '1.0' : Promise.reject(new KbError('unavailable', `${path} did not start.`)));
  const other = await collect(setUpBrowser({ find: async () => [broken, working], check, installer: ['/nowhere/installer'] }));
  expect(other).toEqual({ events: [`${broken} did not start.`], result: { path: working, version: '1.0', isInstalled: false } });
  let looks = 0;
  const find = async () => (looks++ === 0 ? [broken] : [broken, working]);
  const { result } = await collect(setUpBrowser({ find, check, installer: [process.execPath, '--version'] }));
  expect(result).toEqual({ path: working, version: '1.0', isInstalled: true });
});

withBrowser('opening pages', () => {
  it('uses the first browser that starts', async () => {
    const browser = await launchChromium(async () => [stub(), ...(await findBrowsers())]);
    expect(browser.version()).toMatch(/^\d+\./);
    await browser.close();
  });

  it('does not pass secrets of the environment to the browser', async () => {
    const told = folder();
    const path = join(folder({ chromium: `#!/bin/sh\nenv > ${told}/env; exit 1` }), 'chromium');
    chmodSync(path, 0o755);
    process.env.KB_TEST_DATABASE_URL = 'postgres://user:pass@host';
    await expect(launchChromium(async () => [path])).rejects.toMatchObject({ code: 'setup' });
    delete process.env.KB_TEST_DATABASE_URL;
    const environment = readFileSync(join(told, 'env'), 'utf8');
    expect(environment).toMatch(/^PATH=/m);
    expect(environment).not.toContain('postgres');
  });
});

test('runs the installer if there is no browser, yields its output and finds the installed browser', async () => {
  const { place, setup } = machine(INSTALLS);
  const { events, result } = await collect(setup);
  const path = join(place, 'chromium');
  expect(result).toEqual({ path, version: `1.0 of ${path}`, isInstalled: true });
  expect(events[0]).toMatch(/^No Chrome or Chromium was found/);
  expect(events.slice(1).toSorted()).toEqual(['10% of 150 MiB', 'Downloading Chromium']);
});

test('explains why the installer failed, and how to install a browser by hand', async () => {
  const { setup } = machine('console.error("Error: getaddrinfo ENOTFOUND cdn.example\\n    at where"); process.exit(1)');
  const error = await failure(collect(setup));
  expect(error).toMatchObject({ code: 'unavailable', message: 'Chromium was not installed: getaddrinfo ENOTFOUND cdn.example.' });
  expect(error.hint).toMatch(/Install Chrome or Chromium yourself: \S+/);
});

test('fails if the installer cannot be run or no browser is found afterwards', async () => {
  const absent = setUpBrowser({ find: async () => [], installer: ['/nowhere/installer'] });
  expect(await failure(collect(absent))).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ENOENT') });
  expect((await failure(collect(machine('').setup))).message).toContain('no browser was found afterwards');
});

const STARTS_ANOTHER = `
const { spawn } = require('node:child_process');
console.log(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid);
setInterval(() => {}, 1000);`;

test('kills the installer and its child processes when the run is aborted', async () => {
  const controller = new AbortController();
  const { setup } = machine(STARTS_ANOTHER, { signal: controller.signal });
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
