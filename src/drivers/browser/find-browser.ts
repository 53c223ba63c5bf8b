import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a browser is searched; by default on this machine. */
interface BrowserEnvironment {
  environment?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Path of the Chromium that Playwright installs; empty if unknown. */
  playwrights?: () => Promise<string>;
}

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];

const APPLICATIONS = ['Google Chrome.app/Contents/MacOS/Google Chrome', 'Chromium.app/Contents/MacOS/Chromium'];
const PROGRAMS = ['Google\\Chrome\\Application\\chrome.exe', 'Chromium\\Application\\chrome.exe'];

/** The paths of installed Chromes and Chromiums, best first: on the PATH, where installers put them, Playwright's own. Not all of them may start. */
export async function findBrowsers(surroundings: BrowserEnvironment = {}): Promise<string[]> {
  const { environment = process.env, platform = process.platform, playwrights = playwrightsChromium } = surroundings;
  const paths = [...onPath(environment, platform), ...places(environment, platform), await playwrights()];
  return [...new Set(paths)].filter((path) => path !== '' && isProgram(path));
}

/** The first choice among them, or undefined. */
export async function findBrowser(surroundings: BrowserEnvironment = {}): Promise<string | undefined> {
  const [first] = await findBrowsers(surroundings);
  return first;
}

function onPath(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return []; // installers put nothing there
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function places({ HOME = '', ...environment }: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return APPLICATIONS.flatMap((path) => [join('/Applications', path), join(HOME, 'Applications', path)]);
  if (platform !== 'win32') return [];
  const folders = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => environment[name] ?? []);
  return PROGRAMS.flatMap((path) => folders.map((folder) => `${folder}\\${path}`));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function playwrightsChromium(): Promise<string> {
  const { chromium } = await import('playwright');
  return chromium.executablePath();
}
