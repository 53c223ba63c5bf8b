import { call, operatorAdvice } from '../../core/advice/advice.ts';
import pLimit from 'p-limit';
import type { Browser as Chromium, BrowserContext } from 'playwright';
import { KbError, stoppedError } from '../../core/errors.ts';
import { callerHeaders } from '../../http/client.ts';
import { parseAddress } from '../../http/message.ts';
import { throwIfAborted } from '../../core/run.ts';
import { redactUrl } from '../../core/secrets.ts';
import type { Renderer, RendererOptions } from '../../ports/reading.ts';
import { BrowserGone, type Visit, render, suits, type TabParts } from './visit.ts';
import type { AddressPolicy } from '../../http/address-policy.ts';
import { readProxies, systemLookup } from '../../http/connections.ts';
import type { Network } from '../../schema/config-sources.ts';
import type { GuardProxy } from './guard-proxy.ts';
import { type TabCredentials, watchTraffic } from './traffic.ts';
import { createSnapshot } from './settle.ts';

/** The browser of an engine, shared by its runs: it starts with the first page and ends a while after the last one. */
export interface Browser {
  renderer(options: RendererOptions): Renderer;
  close(): Promise<void>;
}

/** Maximum open pages of all runs: more do not pay on two cores, and each takes memory. */
const TABS = 2;
/** Milliseconds without a page after which the browser ends: it takes half a gigabyte, and less than a second to start. */
const IDLE = 30_000;

interface BrowserOptions {
  /** Lists the paths of browsers, the first choice first. Default: those of this machine. */
  find?: () => Promise<readonly string[]>;
  /** Milliseconds without a page after which it ends. */
  idle?: number;
}

/** Creates a browser that starts when the first page is rendered. */
export function createBrowser({ find, idle = IDLE }: BrowserOptions = {}): Browser {
  const limit = pLimit(TABS);
  let launched: Promise<Chromium> | undefined;
  let ending: NodeJS.Timeout | undefined;
  let isClosed = false;
  const end = async () => {
    clearTimeout(ending);
    const browser = launched;
    launched = undefined;
    await (await browser?.catch(() => undefined))?.close().catch(() => {});
  };
  const start = (): Promise<Chromium> => {
    const forget = () => void (launched === mine && (launched = undefined)); // another one may have been started
    const mine = import('./chromium.ts').then(({ launchChromium }) => launchChromium(find));
    mine.then((browser) => browser.once('disconnected', forget)).catch(forget);
    return mine;
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
        if (limit.activeCount <= 1 && limit.pendingCount === 0) ending = setTimeout(() => void end(), idle).unref();
      }
    });
  return {
    renderer: (options) => createRenderer(options, withBrowser),
    close: () => {
      isClosed = true;
      return end();
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
        throw new BrowserGone('The browser ended.', { cause: error });
      }
    });
  return {
    async render(address, { site: given, signal }) {
      const url = parseAddress(address);
      const headers = callerHeaders(url, given?.headers);
      url.username = '';
      url.password = '';
      const page = { url, headers, signal };
      try {
        return await visit(page).catch((error: unknown) => (error instanceof BrowserGone ? visit(page) : Promise.reject(error)));
      } catch (error) {
        if (!(error instanceof BrowserGone)) throw error;
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

/** Milliseconds for closing a tab: a busy page does not answer. */
const CLOSING = 5000;

interface TabOptions {
  proxy: GuardProxy;
  network: Network;
  surface: AddressPolicy['surface'];
}

type Tab = Awaited<ReturnType<typeof openTab>>;

/** Opens a tab with a profile of its own, for one page after another; it reaches the network through the proxy alone. After an error it must be closed. */
async function openTab(browser: Chromium, { proxy, network, surface }: TabOptions) {
  const context = await browser.newContext({
    proxy: { server: proxy.server, bypass: '<-loopback>' },
    userAgent: network.user_agent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  });
  try {
    const parts = await prepareTab(context, proxy.pass(), { network, surface });
    return {
      render: (visit: Visit) => render(visit, parts),
      clear: async () => void (await parts.page.goto('about:blank').catch(() => {})),
      isOpen: () => !parts.page.isClosed(),
      /** Whether a page is safe in this tab from the pages that it has shown before. */
      suits: (visit: Visit) => suits(visit, parts),
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
    isAlive: () => session.send('Runtime.evaluate', { expression: '0' }).catch(() => {}),
  };
}

/** Closes a tab; ends the browser if it does not close the tab in time. */
async function closeContext(browser: Chromium, context: BrowserContext): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), CLOSING);
  const end = await Promise.race([context.close().catch(() => {}), late]);
  clearTimeout(timer);
  if (end === 'late') await browser.close().catch(() => {});
}

/** Milliseconds after which the scripts of a page that was read are stopped, if no other page replaces it. */
const LINGER = 200;

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

  /** Works with a tab that suits the page. Throws a KbError (`aborted` once they are closed), or what the work throws. */
  async use<Result>(browser: Chromium, page: Visit, work: (tab: Tab) => Promise<Result>): Promise<Result> {
    const tab = await this.#inTime(this.#take(browser, page), page);
    try {
      if (this.#isClosed) throw stoppedError();
      const result = await work(tab);
      this.#free.push(tab);
      setTimeout(() => this.#free.includes(tab) && void tab.clear(), LINGER).unref();
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
    const fit = this.#free.findIndex((tab) => tab.isOpen() && tab.suits(page));
    if (fit >= 0) return this.#free.splice(fit, 1)[0]!;
    const unfit = this.#free.shift();
    if (unfit) await this.#drop(unfit);
    if (this.#isClosed) throw stoppedError(); // before a proxy is opened that nobody would close
    this.#proxy ??= openProxy(this.#options);
    const { network, surface } = this.#options;
    const tab = await openTab(browser, { proxy: await this.#proxy, network, surface });
    this.#all.add(tab);
    return tab;
  }

  /** Waits for a tab until the timeout, because a busy browser may not open it. A tab that comes later is closed. */
  async #inTime(opening: Promise<Tab>, { url, signal }: Visit): Promise<Tab> {
    const { promise: over, reject: stop } = Promise.withResolvers<never>();
    const aborted = () => stop(stoppedError(signal?.reason));
    signal?.addEventListener('abort', aborted);
    const timer = setTimeout(() => stop(lateError(url, this.#options.network)), this.#options.network.timeout * 1000);
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

const lateError = (url: URL, { timeout }: Network): KbError =>
  new KbError('unavailable', `${redactUrl(url)} was not opened in time: the browser opened no tab within ${timeout} seconds.`, {
    hint: 'Try again, or raise the timeout.',
    isRetryable: true,
  });

async function openProxy({ network, surface, named, environment = process.env, lookup = systemLookup }: RendererOptions) {
  const { openGuardProxy } = await import('./guard-proxy.ts');
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  return openGuardProxy({ policy, lookup, proxies: readProxies(environment), timeout: network.timeout });
}
