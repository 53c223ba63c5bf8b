import { call, operatorAdvice } from '../../core/advice/advice.ts';
import pLimit from 'p-limit';
import type { Browser as Chromium, BrowserContext } from 'playwright';
import { KbError, stoppedError } from '../../core/errors.ts';
import { callerHeaders } from '../../http/client.ts';
import { parseAddress } from '../../http/message.ts';
import { throwIfAborted } from '../../core/run.ts';
import { redactUrl } from '../../core/secrets.ts';
import type { Renderer, RendererOptions } from '../../ports/reading.ts';
import { BrowserEndedError, type Visit, render, isSafeFor, type TabParts } from './visit.ts';
import type { AddressPolicy } from '../../http/address-policy.ts';
import { readProxies, systemLookup } from '../../http/connections.ts';
import type { Network } from '../../schema/config-sources.ts';
import type { GuardProxy } from './guard-proxy.ts';
import { type TabCredentials, watchTraffic } from './traffic.ts';
import { createSnapshot } from './settle.ts';

/** The browser of an engine, shared by its runs: it starts with the first page, and ends some time after the last one. */
export interface Browser {
  renderer(options: RendererOptions): Renderer;
  close(): Promise<void>;
}

/** Maximum open pages of all runs: more are not faster on two cores, and each takes memory. */
const MAX_TABS = 2;
/** Milliseconds without a page after which the browser ends: it takes half a gigabyte, and less than a second to start. */
const IDLE_TIMEOUT = 30_000;

interface BrowserOptions {
  /** Lists the paths of browsers, the preferred one first. Default: those of this machine. */
  find?: () => Promise<readonly string[]>;
  /** Milliseconds without a page after which it ends. */
  idle?: number;
}

/** Creates a browser that starts when the first page is rendered. */
export function createBrowser({ find, idle = IDLE_TIMEOUT }: BrowserOptions = {}): Browser {
  const limit = pLimit(MAX_TABS);
  let launched: Promise<Chromium> | undefined;
  let ending: NodeJS.Timeout | undefined;
  let isClosed = false;
  const endBrowser = async () => {
    clearTimeout(ending);
    const browser = launched;
    launched = undefined;
    await (await browser?.catch(() => undefined))?.close().catch(() => {});
  };
  const start = (): Promise<Chromium> => {
    const forget = () => void (launched === starting && (launched = undefined)); // not if another one has been started
    const starting = import('./chromium.ts').then(({ launchChromium }) => launchChromium(find));
    starting.then((browser) => browser.once('disconnected', forget)).catch(forget);
    return starting;
  };
  const withBrowser: WithBrowser = (work) =>
    limit(async () => {
      clearTimeout(ending);
      if (isClosed) throw stoppedError();
      try {
        launched ??= start();
        return await work(await launched);
      } catch (error) {
        throw isClosed ? stoppedError(error) : error;
      } finally {
        if (limit.activeCount <= 1 && limit.pendingCount === 0) ending = setTimeout(() => void endBrowser(), idle).unref();
      }
    });
  return {
    renderer: (options) => createRenderer(options, withBrowser),
    close: () => {
      isClosed = true;
      return endBrowser();
    },
  };
}

type WithBrowser = <Result>(work: (browser: Chromium) => Promise<Result>) => Promise<Result>;

function createRenderer(options: RendererOptions, withBrowser: WithBrowser): Renderer {
  const tabs = new Tabs(options);
  const visit = (page: Visit) =>
    withBrowser(async (browser) => {
      throwIfAborted(page.signal);
      try {
        return await tabs.use(browser, page, (tab) => tab.render(page));
      } catch (error) {
        if (error instanceof KbError || browser.isConnected()) throw error;
        throw new BrowserEndedError('The browser ended.', { cause: error });
      }
    });
  return {
    async render(address, { site: given, signal }) {
      const url = parseAddress(address);
      url.hash = new URL(address).hash; // a route of the page's scripts
      const headers = callerHeaders(url, given?.headers);
      url.username = '';
      url.password = '';
      const page = { url, headers, signal };
      try {
        return await visit(page).catch((error: unknown) => (error instanceof BrowserEndedError ? visit(page) : Promise.reject(error)));
      } catch (error) {
        if (!(error instanceof BrowserEndedError)) throw error;
        throw new KbError('unavailable', `${redactUrl(url)} was not opened: the browser ended twice.`, {
          hint: ['Try again.', operatorAdvice`${call('doctor')} names the browser.`],
          cause: error,
          isRetryable: true,
        });
      }
    },
    close: () => tabs.close(),
  };
}

/** Milliseconds to wait until a tab is closed: a busy page does not respond. */
const CLOSE_TIMEOUT = 5000;

interface TabOptions {
  proxy: GuardProxy;
  network: Network;
  surface: AddressPolicy['surface'];
}

type Tab = Awaited<ReturnType<typeof openTab>>;

/** Opens a tab with a profile of its own, for one page after another; it reaches the network only through the proxy. After an error it must be closed. */
async function openTab(browser: Chromium, { proxy, network, surface }: TabOptions) {
  const context = await browser.newContext({
    proxy: { server: proxy.server, bypass: '<-loopback>' },
    userAgent: network.user_agent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
  try {
    const tabParts = await prepareTab(context, proxy.createPass(), { network, surface });
    return {
      render: (visit: Visit) => render(visit, tabParts),
      clear: async () => void (await tabParts.page.goto('about:blank').catch(() => {})),
      isOpen: () => !tabParts.page.isClosed(),
      /** Whether this tab is safe for a page, in view of the pages that it has shown before. */
      isSafeFor: (visit: Visit) => isSafeFor(visit, tabParts),
      close: () => closeContext(browser, context),
    };
  } catch (error) {
    await closeContext(browser, context);
    throw error;
  }
}

async function prepareTab(context: BrowserContext, pass: TabCredentials, bounds: Pick<TabParts, 'network' | 'surface'>): Promise<TabParts> {
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
    ping: () => session.send('Runtime.evaluate', { expression: '0' }).catch(() => {}),
  };
}

/** Closes a tab; ends the browser if it does not close the tab in time. */
async function closeContext(browser: Chromium, context: BrowserContext): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), CLOSE_TIMEOUT);
  const end = await Promise.race([context.close().catch(() => {}), late]);
  clearTimeout(timer);
  if (end === 'late') await browser.close().catch(() => {});
}

/** Milliseconds after which a page that was read is cleared, which stops its scripts, unless another page replaces it before. */
const CLEAR_AFTER = 200;

/** The tabs of one run, and the proxy through which they reach the network. */
export class Tabs {
  readonly #options: RendererOptions;
  readonly #all = new Set<Tab>();
  readonly #free: Tab[] = [];
  #proxy: Promise<GuardProxy> | undefined;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /** Runs work with a tab that is safe for the page. Throws a KbError (`aborted` after `close`), or what the work throws. */
  async use<Result>(browser: Chromium, page: Visit, work: (tab: Tab) => Promise<Result>): Promise<Result> {
    const tab = await this.#withTimeout(this.#take(browser, page), page);
    try {
      if (this.#isClosed) throw stoppedError();
      const result = await work(tab);
      this.#free.push(tab);
      setTimeout(() => this.#free.includes(tab) && void tab.clear(), CLEAR_AFTER).unref();
      return result;
    } catch (error) {
      await this.#drop(tab);
      throw this.#isClosed ? stoppedError(error) : error;
    } finally {
      if (this.#isClosed) await this.#drop(tab);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#free.length = 0;
    await Promise.all([...this.#all].map((tab) => this.#drop(tab)));
    await (await this.#proxy)?.close();
  }

  async #drop(tab: Tab): Promise<void> {
    this.#all.delete(tab);
    await tab.close();
  }

  async #take(browser: Chromium, page: Visit): Promise<Tab> {
    const suitable = this.#free.findIndex((tab) => tab.isOpen() && tab.isSafeFor(page));
    if (suitable >= 0) return this.#free.splice(suitable, 1)[0]!;
    const unsuitable = this.#free.shift();
    if (unsuitable) await this.#drop(unsuitable);
    if (this.#isClosed) throw stoppedError(); // otherwise a proxy would be opened and never closed
    this.#proxy ??= openProxy(this.#options);
    const { network, surface } = this.#options;
    const tab = await openTab(browser, { proxy: await this.#proxy, network, surface });
    this.#all.add(tab);
    return tab;
  }

  /** Waits for a tab until the timeout, because a busy browser may not open it. A tab that opens later is closed. */
  async #withTimeout(opening: Promise<Tab>, { url, signal }: Visit): Promise<Tab> {
    const { promise: over, reject: stop } = Promise.withResolvers<never>();
    const aborted = () => stop(stoppedError(signal?.reason));
    signal?.addEventListener('abort', aborted);
    const timer = setTimeout(() => stop(tabTimeoutError(url, this.#options.network)), this.#options.network.timeout * 1000);
    let isLate = false;
    opening.then((tab) => isLate && void this.#drop(tab)).catch(() => {});
    try {
      return await Promise.race([opening, over]);
    } catch (error) {
      isLate = true;
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    }
  }
}

const tabTimeoutError = (url: URL, { timeout }: Network): KbError =>
  new KbError('unavailable', `${redactUrl(url)} was not opened in time: the browser opened no tab within ${timeout} seconds.`, {
    hint: 'Try again, or raise the timeout.',
    isRetryable: true,
  });

async function openProxy({ network, surface, named, environment = process.env, lookup = systemLookup }: RendererOptions) {
  const { openGuardProxy } = await import('./guard-proxy.ts');
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  return openGuardProxy({ policy, lookup, proxies: readProxies(environment), timeout: network.timeout });
}
