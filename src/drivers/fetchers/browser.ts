import pLimit from 'p-limit';
import type { Browser as Chromium } from 'playwright';
import type { AddressPolicy, Lookup } from '../../base/address.ts';
import { systemLookup } from '../../base/connect.ts';
import { KbError } from '../../base/errors.ts';
import { givenHeaders } from '../../base/http-exchange.ts';
import { addressOf } from '../../base/http-message.ts';
import { proxiesIn } from '../../base/proxies.ts';
import { throwIfAborted } from '../../base/run.ts';
import { shown } from '../../base/secrets.ts';
import type { Renderer } from '../../ports/reading.ts';
import type { Network } from '../../schema/config.ts';
import type { GuardProxy } from './guard-proxy.ts';
import type { Tab } from './tab.ts';
import { BrowserGone, type Visit } from './visit.ts';

/** What a run may reach: the same as `createHttp` is given. */
export interface RendererOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  named: readonly string[];
  environment?: NodeJS.ProcessEnv;
  lookup?: Lookup;
}

/** One browser for an engine, shared by its runs: it starts with the first page and ends a while after the last one. */
export interface Browser {
  renderer(options: RendererOptions): Renderer;
  close(): Promise<void>;
}

/** Pages open at once, of all runs: more do not pay on two cores, and each takes memory. */
const TABS = 2;
/** By default half a minute: it takes half a gigabyte, and less than a second to start. */
const IDLE = 30_000;
/** Milliseconds after which the scripts of a page that was read are stopped, where no other page takes its place. */
const LINGER = 200;

export interface BrowserOptions {
  /** Tells where the browser is; this machine's own where absent. */
  find?: () => Promise<string | undefined>;
  /** Milliseconds without a page after which it ends. */
  idle?: number;
}

/** Makes nothing and starts nothing until a page is rendered. */
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
  const launch = async (): Promise<Chromium> => {
    const browser = await (await import('./chromium.ts')).launchChromium(find);
    browser.once('disconnected', () => (launched = undefined));
    return browser;
  };
  const withBrowser: WithBrowser = (work) =>
    limit(async () => {
      clearTimeout(ending);
      if (isClosed) throw new KbError('aborted', 'The work was stopped.');
      try {
        launched ??= launch();
        launched.catch(() => (launched = undefined));
        return await work(await launched);
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
  const tabs = createTabs(options);
  const visit = (page: Visit) =>
    withBrowser(async (browser) => {
      throwIfAborted(page.signal);
      try {
        return await tabs.use(browser, (tab) => tab.render(page));
      } catch (error) {
        if (error instanceof KbError || browser.isConnected()) throw error;
        throw new BrowserGone('The browser ended.', { cause: error });
      }
    });
  return {
    async render(address, { given, signal }) {
      const url = addressOf(address);
      const headers = givenHeaders(url, given?.headers);
      url.username = '';
      url.password = '';
      const page = { url, headers, signal };
      try {
        return await visit(page).catch((error: unknown) => (error instanceof BrowserGone ? visit(page) : Promise.reject(error)));
      } catch (error) {
        if (!(error instanceof BrowserGone)) throw error;
        throw new KbError('unavailable', `${shown(url)} was not opened: the browser ended twice.`, {
          hint: 'Try again; kb doctor names the browser.',
          cause: error,
          isRetryable: true,
        });
      }
    },
    close: tabs.close,
  };
}

/** The tabs of one run, and the proxy that is their way to the network. */
function createTabs(options: RendererOptions) {
  const all = new Set<Tab>();
  const free: Tab[] = [];
  let proxy: Promise<GuardProxy> | undefined;
  let isClosed = false;
  const drop = async (tab: Tab) => {
    all.delete(tab);
    await tab.close();
  };
  const open = async (browser: Chromium): Promise<Tab> => {
    while (free.length > 0) {
      const tab = free.pop()!;
      if (tab.isOpen()) return tab;
      await drop(tab);
    }
    proxy ??= openProxy(options);
    const { openTab } = await import('./tab.ts');
    const tab = await openTab(browser, { proxy: await proxy, network: options.network });
    all.add(tab);
    return tab;
  };
  return {
    async use<Result>(browser: Chromium, work: (tab: Tab) => Promise<Result>): Promise<Result> {
      const tab = await open(browser);
      try {
        const result = await work(tab);
        free.push(tab);
        setTimeout(() => free.includes(tab) && void tab.clear(), LINGER).unref();
        return result;
      } catch (error) {
        await drop(tab);
        throw error;
      } finally {
        if (isClosed) await drop(tab);
      }
    },
    async close() {
      isClosed = true;
      free.length = 0;
      await Promise.all([...all].map(drop));
      await (await proxy)?.close();
    },
  };
}

async function openProxy({ network, surface, named, environment = process.env, lookup = systemLookup }: RendererOptions) {
  const { openGuardProxy } = await import('./guard-proxy.ts');
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  return openGuardProxy({ policy, lookup, proxies: proxiesIn(environment), timeout: network.timeout });
}
