import type { Browser, LaunchOptions } from 'playwright';
import { KbError } from '../../base/errors.ts';
import { openRoom } from './browser-room.ts';
import { findBrowsers } from './find-browser.ts';
import { watchMemory } from './memory-watch.ts';

/**
 * What keeps the browser itself from going anywhere beside the proxy of a page (QUIC, WebRTC, names that it resolves ahead, its own services), and the
 * heap of a script within 512 MiB.
 */
const FLAGS = [
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp', // its name in older versions
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-domain-reliability',
  '--disable-gpu',
  '--renderer-process-limit=2', // as many as there are tabs: a sixth of the work of a page was to start processes in advance
  '--js-flags=--max-old-space-size=512',
];

/** Nothing listens there: what belongs to no page of ours reaches nothing. */
const NOWHERE = 'http://127.0.0.1:1';

/** By default every page may open as many others as it likes; this way it needs somebody who clicks. */
const WITHOUT = ['--disable-popup-blocking'];

/** All that a browser needs to know of its surroundings: where its files, its screen and its language are. Keys and passwords are in variables of any name. */
const TOLD =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_\w+|FONTCONFIG_\w+|LD_LIBRARY_PATH|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAM(DATA|FILES.*))$/i;

/** Starts the first Chrome or Chromium of those found that does start. Throws a KbError (`setup`) where there is none, or none starts. */
export async function launchChromium(find: () => Promise<readonly string[]> = findBrowsers): Promise<Browser> {
  let first: unknown;
  for (const path of await find()) {
    try {
      return await started(path);
    } catch (error) {
      first ??= error;
    }
  }
  throw (
    first ??
    new KbError('setup', 'No Chrome or Chromium was found, which pages that a script writes need.', {
      hint: 'kb setup-browser installs one.',
    })
  );
}

async function started(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright');
  const room = await openRoom();
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath, artifactsDir: room.path, ...launchOptions() });
    browser.once('disconnected', () => room.leave());
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await room.note(processInfo.find(({ type }) => type === 'browser')?.id ?? -1);
    watchMemory(browser, session);
    return browser;
  } catch (error) {
    await browser?.close().catch(() => {});
    room.leave();
    throw new KbError('setup', `The browser ${executablePath} did not start: ${reasonOf(error as Error)}.`, {
      hint: 'Start it by hand to see why, or install another one: kb setup-browser does it.',
      cause: error,
    });
  }
}

const launchOptions = (): LaunchOptions => ({
  headless: true,
  chromiumSandbox: process.getuid?.() !== 0, // it refuses to start in its sandbox as root
  proxy: { server: NOWHERE, bypass: '<-loopback>' },
  args: FLAGS,
  ignoreDefaultArgs: WITHOUT,
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => TOLD.test(name))) as Record<string, string>,
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
});

/** What the browser said last, or else the first line of what Playwright says. */
function reasonOf({ message }: Error): string {
  const said = /\[pid=\d+\]\[err\] .{0,200}?(?:ERROR|FATAL)[^\]]{0,200}\] ?(.+)/.exec(message)?.[1];
  return (said ?? message.split('\n')[0]!).trim().replace(/\.$/, '');
}
