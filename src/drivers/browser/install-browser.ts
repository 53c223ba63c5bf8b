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
 * Finds a browser that starts, or else installs Chromium with Playwright; yields the output of the installer. Throws a KbError with the next step.
 */
export async function* setUpBrowser(options: SetupOptions = {}): AsyncGenerator<string, ReadyBrowser, void> {
  const { find = findBrowsers, check = readVersion, signal } = options;
  for (const path of await find()) {
    const started = await check(path).catch((error: KbError) => error);
    if (typeof started === 'string') return { path, version: started, isInstalled: false };
    yield started.message;
  }
  yield 'No Chrome or Chromium was found that starts: Playwright’s Chromium is installed.';
  yield* runInstaller(options.installer ?? playwrightInstaller(), { cwd: playwrightFolder(), signal, failure: installationError });
  return { ...(await findStarting(await find(), check)), isInstalled: true };
}

async function findStarting(paths: readonly string[], check: (path: string) => Promise<string>) {
  let failure: unknown = installationError('the installer ended, and no browser was found afterwards');
  for (const path of paths) {
    try {
      return { path, version: await check(path) };
    } catch (error) {
      failure = error; // the last error counts: the last path is that of the installer
    }
  }
  throw failure;
}

async function readVersion(path: string): Promise<string> {
  const browser = await launchChromium(async () => [path]).catch((error: KbError) => {
    const { message, hint = '' } = error;
    throw new KbError('unavailable', message, { hint, cause: error }); // `setup` would blame the request
  });
  const version = browser.version();
  await browser.close();
  return version;
}

const playwrightFolder = (): string => dirname(createRequire(import.meta.url).resolve('playwright/package.json'));

/** Returns Playwright's install command; as root on a system with apt, it also installs the browser's system libraries. */
function playwrightInstaller(): readonly string[] {
  const program = join(playwrightFolder(), 'cli.js');
  const isDebian = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  return [process.execPath, program, 'install', '--no-shell', ...(isDebian ? ['--with-deps'] : []), 'chromium'];
}

/** How to install a browser without Playwright. */
const MANUAL_INSTALLATION: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install --cask google-chrome',
  win32: 'winget install Google.Chrome',
  linux: 'apt-get install chromium (Debian), dnf install chromium (Fedora), or google.com/chrome',
};

const installationError = (reason: string): KbError =>
  new KbError('unavailable', `Chromium was not installed: ${reason.replace(/\.$/, '')}.`, {
    hint: `Install Chrome or Chromium yourself: ${MANUAL_INSTALLATION[process.platform] ?? 'google.com/chrome'}. It is found then.`,
    isRetryable: true,
  });
