import { accessSync, constants, statSync, readlinkSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { call, operatorAdvice } from '../../core/advice/advice.ts';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import type { Browser, CDPSession, LaunchOptions } from 'playwright';
import { childEnvironment } from '../../core/child-environment.ts';
import { KbError } from '../../core/errors.ts';
import { isRunning } from '../../core/process-owner.ts';

/** Where to search for a browser; by default on this machine. */
interface BrowserEnvironment {
  environment?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Path of the Chromium that Playwright installs; empty if unknown. */
  playwrightPath?: () => Promise<string>;
}

const PROGRAM_NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];

const MAC_APPLICATIONS = ['Google Chrome.app/Contents/MacOS/Google Chrome', 'Chromium.app/Contents/MacOS/Chromium'];
const WINDOWS_PROGRAMS = ['Google\\Chrome\\Application\\chrome.exe', 'Chromium\\Application\\chrome.exe'];

/** Lists the paths of installed Chromes and Chromiums, best first: on the PATH, where installers put them, of Playwright. Some may not start. */
export async function findBrowsers(options: BrowserEnvironment = {}): Promise<string[]> {
  const { environment = process.env, platform = process.platform, playwrightPath = findPlaywrightChromium } = options;
  const paths = [...pathCandidates(environment, platform), ...standardPaths(environment, platform), await playwrightPath()];
  return [...new Set(paths)].filter((path) => path !== '' && isProgram(path));
}

/** Returns the first of `findBrowsers`, or undefined. */
export async function findBrowser(options: BrowserEnvironment = {}): Promise<string | undefined> {
  const [first] = await findBrowsers(options);
  return first;
}

function pathCandidates(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return []; // installers do not add browsers to the PATH
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  return PROGRAM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function standardPaths({ HOME = '', ...environment }: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return MAC_APPLICATIONS.flatMap((path) => [join('/Applications', path), join(HOME, 'Applications', path)]);
  if (platform !== 'win32') return [];
  const folders = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => environment[name] ?? []);
  return WINDOWS_PROGRAMS.flatMap((path) => folders.map((folder) => `${folder}\\${path}`));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function findPlaywrightChromium(): Promise<string> {
  const { chromium } = await import('playwright');
  return chromium.executablePath();
}

/** A folder for the files of one browser. If this process is killed, the next one finds there which files it has to remove. */
interface BrowserFolder {
  path: string;
  /** Notes the profile of the browser with this process id. Playwright creates it elsewhere, and does not remove it if this process is killed. */
  noteProfile(pid: number): Promise<void>;
  remove(): void;
}

/** The names hold host and process: containers may share a folder, but not their process ids. */
const FOLDER_PREFIX = `kb-browser-${hostname()}-`;
const PROFILE = /^playwright_chromiumdev_profile-\w+$/;
const PROFILE_NOTE = 'profile';

/** Creates such a folder among the temporary files. Removes the folders and profiles of dead processes. */
async function createBrowserFolder(): Promise<BrowserFolder> {
  for (const name of await readdir(tmpdir())) await removeIfAbandoned(name).catch(() => {}); // what cannot be removed does no harm
  const path = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  return {
    path,
    async noteProfile(pid) {
      const profile = (await readdir(tmpdir())).find((name) => PROFILE.test(name) && isLockedBy(join(tmpdir(), name), pid));
      if (profile !== undefined) await writeFile(join(path, PROFILE_NOTE), profile);
    },
    remove: () => rmSync(path, { recursive: true, force: true }), // synchronous, because the process may be about to end
  };
}

/**
 * Whether a browser uses a profile: Chromium marks it with a link to host and process id. On Windows it does not, so abandoned profiles stay there.
 */
function isLockedBy(profile: string, pid: number): boolean {
  try {
    return readlinkSync(join(profile, 'SingletonLock')).endsWith(`-${pid}`);
  } catch {
    return false;
  }
}

async function removeIfAbandoned(name: string): Promise<void> {
  const pid = name.startsWith(FOLDER_PREFIX) ? /^(\d+)-\w+$/.exec(name.slice(FOLDER_PREFIX.length))?.[1] : undefined;
  if (pid === undefined || isRunning(Number(pid))) return;
  const folder = join(tmpdir(), name);
  const { uid } = await lstat(folder);
  if (process.getuid && uid !== process.getuid()) return; // in a shared folder, the notes of other users are ignored
  const profile = await readFile(join(folder, PROFILE_NOTE), 'utf8').catch(() => '');
  if (PROFILE.test(profile)) await rm(join(tmpdir(), profile), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

/** Maximum bytes of the process of a page, several times the memory of a large page. */
const MAX_MEMORY = 2 ** 30;
/** Milliseconds between two checks: a page needs at least that long to take 1 GiB. */
const CHECK_INTERVAL = 500;

/**
 * Kills the processes of pages that take too much memory, so that only the page fails. Works on Linux only, where memory can be read without starting a process.
 */
function watchMemory(browser: Browser, session: CDPSession): void {
  if (process.platform !== 'linux') return;
  const checkPages = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pages = processInfo.filter(({ type }) => type === 'renderer');
    for (const { id } of pages) await killIfLarge(id).catch(() => {}); // it may have ended meanwhile
  };
  const timer = setInterval(() => void checkPages().catch(() => {}), CHECK_INTERVAL).unref();
  browser.once('disconnected', () => clearInterval(timer));
}

async function killIfLarge(pid: number): Promise<void> {
  if ((await residentBytes(pid)) > MAX_MEMORY) process.kill(pid, 'SIGKILL');
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Flags that keep the browser from bypassing the proxy (QUIC, WebRTC, DNS prefetch, its own services), and limit the heap of a script to 512 MiB. */
const FLAGS = [
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp', // its name in older versions
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-domain-reliability',
  '--disable-gpu',
  '--renderer-process-limit=2', // one for each tab: starting spare processes took a sixth of the work for a page
  '--js-flags=--max-old-space-size=512',
];

/** Proxy address where nothing listens: requests that do not belong to a page fail. */
const DEAD_PROXY = 'http://127.0.0.1:1';

/** Default flags that are removed: without this one, a page opens others only if somebody clicks. */
const REMOVED_FLAGS = ['--disable-popup-blocking'];

/** Starts the found browsers in turn until one starts. Throws a KbError (`setup`) if there is none, or none starts. */
export async function launchChromium(find: () => Promise<readonly string[]> = findBrowsers): Promise<Browser> {
  let first: unknown;
  for (const path of await find()) {
    try {
      return await start(path);
    } catch (error) {
      first ??= error;
    }
  }
  throw (
    first ??
    new KbError('setup', 'No Chrome or Chromium was found, which pages that a script writes need.', {
      hint: operatorAdvice`${call('setup_browser')} installs one.`,
    })
  );
}

async function start(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright');
  const folder = await createBrowserFolder();
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath, artifactsDir: folder.path, ...launchOptions() });
    browser.once('disconnected', () => folder.remove());
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await folder.noteProfile(processInfo.find(({ type }) => type === 'browser')?.id ?? -1);
    watchMemory(browser, session);
    return browser;
  } catch (error) {
    await browser?.close().catch(() => {});
    folder.remove();
    throw new KbError('setup', `The browser ${executablePath} did not start: ${reasonOf(error as Error)}.`, {
      hint: operatorAdvice`Start it by hand to see why, or install another one: ${call('setup_browser')} does it.`,
      cause: error,
    });
  }
}

const launchOptions = (): LaunchOptions => ({
  headless: true,
  chromiumSandbox: process.getuid?.() !== 0, // it refuses to start in its sandbox as root
  proxy: { server: DEAD_PROXY, bypass: '<-loopback>' },
  args: FLAGS,
  ignoreDefaultArgs: REMOVED_FLAGS,
  env: childEnvironment('browser'),
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
});

function reasonOf({ message }: Error): string {
  const logged = /\[pid=\d+\]\[err\] .{0,200}?(?:ERROR|FATAL)[^\]]{0,200}\] ?(.+)/.exec(message)?.[1];
  return (logged ?? message.split('\n')[0]!).trim().replace(/\.$/, '');
}
