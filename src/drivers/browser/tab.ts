import type { Browser, BrowserContext } from 'playwright';
import type { AddressPolicy } from '../../http/address-policy.ts';
import type { RenderedPage } from '../../ports/reading.ts';
import type { Network } from '../../schema/config-sources.ts';
import type { GuardProxy } from './guard-proxy.ts';
import type { Pass } from './pass.ts';
import { createSnapshot } from './settle.ts';
import { watchTraffic } from './traffic.ts';
import { render, suits, type TabParts, type Visit } from './visit.ts';

/** A tab of a browser, for one page after another. After an error it is to be closed. */
export interface Tab {
  /** Throws a KbError. */
  render(visit: Visit): Promise<RenderedPage>;
  clear(): Promise<void>;
  isOpen(): boolean;
  /** Whether what is given for a page is safe from the pages that it has shown before. */
  suits(visit: Visit): boolean;
  close(): Promise<void>;
}

/** Milliseconds that closing may take: a busy page does not answer, and the browser ends it. */
const CLOSING = 5000;

interface TabOptions {
  proxy: GuardProxy;
  network: Network;
  surface: AddressPolicy['surface'];
}

/** Opens a tab with a profile of its own, which reaches the network through the proxy alone. */
export async function openTab(browser: Browser, { proxy, network, surface }: TabOptions): Promise<Tab> {
  const context = await browser.newContext({
    proxy: { server: proxy.server, bypass: '<-loopback>' },
    userAgent: network.user_agent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
  try {
    const parts = await preparedIn(context, proxy.pass(), { network, surface });
    return {
      render: (visit) => render(visit, parts),
      clear: async () => void (await parts.page.goto('about:blank').catch(() => {})),
      isOpen: () => !parts.page.isClosed(),
      suits: (visit) => suits(visit, parts),
      close: () => closed(browser, context),
    };
  } catch (error) {
    await closed(browser, context);
    throw error;
  }
}

async function preparedIn(context: BrowserContext, pass: Pass, bounds: Pick<TabParts, 'network' | 'surface'>): Promise<TabParts> {
  const page = await context.newPage();
  context.on('page', (other) => void other.close().catch(() => {}));
  const session = await context.newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const top = frameTree.frame.id;
  const traffic = await watchTraffic(session, pass, top);
  return {
    page,
    pass,
    traffic,
    ...bounds,
    snapshot: createSnapshot(session, top),
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
