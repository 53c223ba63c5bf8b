import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrowser, findBrowsers } from '../../../src/drivers/browser/chromium.ts';
import { folder } from '../../support/folder.ts';

const executable = (files: Record<string, string>): string => {
  const path = folder(files);
  for (const name of Object.keys(files)) chmodSync(join(path, name), 0o755);
  return path;
};
const none = async () => '';

test('finds browsers on the PATH, Chrome before Chromium, in the order of the folders', async () => {
  const first = executable({ chromium: '' });
  const second = executable({ chromium: '', 'google-chrome': '' });
  const inFolders = (...folders: string[]) =>
    findBrowser({ environment: { PATH: folders.join(delimiter) }, platform: 'linux', playwrightPath: none });
  expect(await inFolders(first, second)).toBe(join(second, 'google-chrome'));
  expect(await inFolders(first)).toBe(join(first, 'chromium'));
  expect(await inFolders(folder())).toBeUndefined();
});

test('finds each browser once, the preferred one first and that of Playwright last', async () => {
  const place = executable({ chromium: '', 'google-chrome': '', 'other/chrome': '' });
  const path = join(place, 'other/chrome');
  const found = await findBrowsers({
    environment: { PATH: [place, place].join(delimiter) },
    platform: 'linux',
    playwrightPath: async () => path,
  });
  expect(found).toEqual([join(place, 'google-chrome'), join(place, 'chromium'), path]);
});

test('ignores folders and files that are not executable', async () => {
  const place = folder({ 'google-chrome': '' });
  mkdirSync(join(place, 'chromium'));
  expect(await findBrowser({ environment: { PATH: place }, platform: 'linux', playwrightPath: none })).toBeUndefined();
});

test('finds applications in the home folder of a Mac', async () => {
  const home = executable({ 'Applications/Chromium.app/Contents/MacOS/Chromium': '' });
  const found = await findBrowser({ environment: { HOME: home, PATH: '' }, platform: 'darwin', playwrightPath: none });
  expect(found).toMatch(/Chrom(e|ium)$/);
});

test('uses the Chromium of Playwright if no other browser is installed', async () => {
  const place = executable({ chrome: '', 'bin/chromium': '' });
  const path = join(place, 'chrome');
  const playwrights = async () => path;
  expect(await findBrowser({ environment: { PATH: '' }, platform: 'linux', playwrightPath: playwrights })).toBe(path);
  expect(await findBrowser({ environment: { PATH: join(place, 'bin') }, platform: 'linux', playwrightPath: playwrights })).toBe(
    join(place, 'bin/chromium'),
  );
  expect(await findBrowser({ environment: {}, platform: 'linux', playwrightPath: async () => join(place, 'nothing') })).toBeUndefined();
});
