import type { Browser } from 'playwright';
import { KbError } from '../../base/errors.ts';
import { holdsSecret } from '../../base/secrets.ts';
import { findBrowser } from './find-browser.ts';
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

/** Starts the Chrome or Chromium that is found. Throws a KbError (`setup`) where there is none, or where it does not start. */
export async function launchChromium(find: () => Promise<string | undefined> = findBrowser): Promise<Browser> {
  const executablePath = await find();
  if (executablePath === undefined)
    throw new KbError('setup', 'No Chrome or Chromium was found, which pages that a script writes need.', {
      hint: 'kb setup-browser installs one.',
    });
  const { chromium } = await import('playwright');
  const environment = Object.entries(process.env).filter(([name]) => !holdsSecret(name));
  try {
    const browser = await chromium.launch({
      executablePath,
      headless: true,
      chromiumSandbox: process.getuid?.() !== 0, // it refuses to start in its sandbox as root
      proxy: { server: NOWHERE, bypass: '<-loopback>' },
      args: FLAGS,
      env: Object.fromEntries(environment) as Record<string, string>,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    await watchMemory(browser);
    return browser;
  } catch (error) {
    throw new KbError('setup', `The browser ${executablePath} did not start: ${reasonOf(error as Error)}.`, {
      hint: 'Start it by hand to see why, or install another one: kb setup-browser finds it.',
      cause: error,
    });
  }
}

/** What the browser said last, or else the first line of what Playwright says. */
function reasonOf({ message }: Error): string {
  const said = /\[pid=\d+\]\[err\] .*?(?:ERROR|FATAL)[^\]]*\] ?(.+)/.exec(message)?.[1];
  return (said ?? message.split('\n')[0]!).trim().replace(/\.$/, '');
}
