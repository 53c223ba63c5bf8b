import type { Browser, BrowserContext } from 'playwright';
import type { RenderedPage } from '../../ports/reading.ts';
import type { Network } from '../../schema/config.ts';
import type { GuardProxy, Pass } from './guard-proxy.ts';
import { createSnapshot } from './snapshot.ts';
import { watchTraffic } from './traffic.ts';
import { render, type TabParts, type Visit } from './visit.ts';

/** A tab of a browser, for one page after another. After an error it is to be closed. */
export interface Tab {
  /** Throws a KbError. */
  render(visit: Visit): Promise<RenderedPage>;
  /** Stops the scripts of the page that it shows. */
  clear(): Promise<void>;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Milliseconds that closing may take: a busy page does not answer, and the browser ends it. */
const CLOSING = 5000;

/** Opens a tab with a profile of its own, which reaches the network through the proxy alone. */
export async function openTab(browser: Browser, { proxy, network }: { proxy: GuardProxy; network: Network }): Promise<Tab> {
  const context = await browser.newContext({
    proxy: { server: proxy.server, bypass: '<-loopback>' },
    userAgent: network.user_agent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
  try {
    const parts = await preparedIn(context, proxy.pass(), network);
    return {
      render: (visit) => render(visit, parts),
      clear: async () => void (await parts.page.goto('about:blank').catch(() => {})),
      isOpen: () => !parts.page.isClosed(),
      close: () => closed(browser, context),
    };
  } catch (error) {
    await closed(browser, context);
    throw error;
  }
}

async function preparedIn(context: BrowserContext, pass: Pass, network: Network): Promise<TabParts> {
  const page = await context.newPage();
  context.on('page', (other) => void other.close().catch(() => {}));
  const session = await context.newCDPSession(page);
  const traffic = await watchTraffic(session, pass);
  return {
    page,
    pass,
    traffic,
    network,
    snapshot: createSnapshot(session),
    isAlive: () => session.send('Runtime.evaluate', { expression: '0' }).catch(() => {}),
  };
}

/** A browser that does not close a tab in time, busy as its page may be, is ended as a whole. */
async function closed(browser: Browser, context: BrowserContext): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), CLOSING);
  const end = await Promise.race([context.close().catch(() => {}), late]);
  clearTimeout(timer);
  if (end === 'late') await browser.close().catch(() => {});
}
