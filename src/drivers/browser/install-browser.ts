import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { KbError } from '../../core/errors.ts';
import { runInstaller } from '../setup/run-installer.ts';
import { launchChromium, findBrowsers } from './chromium.ts';

interface ReadyBrowser {
  path: string;
  version: string;
  /** Whether it was installed now. */
  isInstalled: boolean;
}

/** Functions that find, check and install a browser. */
export interface SetupOptions {
  signal?: AbortSignal | undefined;
  find?: () => Promise<readonly string[]>;
  /** Returns the version of the browser at a path; throws a KbError if it does not start. */
  check?: (path: string) => Promise<string>;
  /** Command that installs a browser: a program and its arguments. */
  installer?: readonly string[];
}

/**
 * Finds a browser that starts, else installs Chromium by Playwright; yields the output of the installer. Throws a KbError with the next
 * step.
 */
export async function* setUpBrowser(options: SetupOptions = {}): AsyncGenerator<string, ReadyBrowser, void> {
  const { find = findBrowsers, check = versionOf, signal } = options;
  for (const path of await find()) {
    const started = await check(path).catch((error: KbError) => error);
    if (typeof started === 'string') return { path, version: started, isInstalled: false };
    yield started.message;
  }
  yield 'No Chrome or Chromium was found that starts: Playwright’s Chromium is installed.';
  yield* runInstaller(options.installer ?? playwrightsInstaller(), { signal, failure: notInstalled });
  return { ...(await firstThatStarts(await find(), check)), isInstalled: true };
}

async function firstThatStarts(paths: readonly string[], check: (path: string) => Promise<string>) {
  let failure: unknown = notInstalled('the installer ended, and no browser was found afterwards');
  for (const path of paths) {
    try {
      return { path, version: await check(path) };
    } catch (error) {
      failure = error; // the last path is that of the installer
    }
  }
  throw failure;
}

async function versionOf(path: string): Promise<string> {
  const browser = await launchChromium(async () => [path]).catch((error: KbError) => {
    const { message, hint = '' } = error;
    throw new KbError('unavailable', message, { hint, cause: error }); // the request was not at fault
  });
  const version = browser.version();
  await browser.close();
  return version;
}

/** Command of Playwright; with the system libraries of the browser if they can be installed: by root, with apt. */
function playwrightsInstaller(): readonly string[] {
  const program = join(dirname(createRequire(import.meta.url).resolve('playwright/package.json')), 'cli.js');
  const isDebian = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  return [process.execPath, program, 'install', '--no-shell', ...(isDebian ? ['--with-deps'] : []), 'chromium'];
}

/** How to install a browser without Playwright. */
const BY_HAND: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install --cask google-chrome',
  win32: 'winget install Google.Chrome',
  linux: 'apt-get install chromium (Debian), dnf install chromium (Fedora), or google.com/chrome',
};

const notInstalled = (reason: string): KbError =>
  new KbError('unavailable', `Chromium was not installed: ${reason.replace(/\.$/, '')}.`, {
    hint: `Install Chrome or Chromium yourself: ${BY_HAND[process.platform] ?? 'google.com/chrome'}. It is found then.`,
    isRetryable: true,
  });
