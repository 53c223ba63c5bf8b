import { call, toOperator } from '../../core/advice/advice.ts';
import pLimit from 'p-limit';
import type { Browser as Chromium } from 'playwright';
import { KbError, stoppedError } from '../../core/errors.ts';
import { givenHeaders } from '../../http/exchange.ts';
import { addressOf } from '../../http/message.ts';
import { throwIfAborted } from '../../core/run.ts';
import { redactUrl } from '../../core/secrets.ts';
import type { Renderer, RendererOptions } from '../../ports/reading.ts';
import { Tabs } from './tabs.ts';
import { BrowserGone, type Visit } from './visit.ts';

/** One browser for an engine, shared by its runs: it starts with the first page and ends a while after the last one. */
export interface Browser {
  renderer(options: RendererOptions): Renderer;
  close(): Promise<void>;
}

/** Pages open at once, of all runs: more do not pay on two cores, and each takes memory. */
const TABS = 2;
/** By default half a minute: it takes half a gigabyte, and less than a second to start. */
const IDLE = 30_000;

interface BrowserOptions {
  /** Tells where browsers are, the first choice first; this machine's own where absent. */
  find?: () => Promise<readonly string[]>;
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
  const start = (): Promise<Chromium> => {
    const forget = () => void (launched === mine && (launched = undefined)); // by now it may have a successor
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
        throw new KbError('unavailable', `${redactUrl(url)} was not opened: the browser ended twice.`, {
          hint: ['Try again.', toOperator`${call('doctor')} names the browser.`],
          cause: error,
          isRetryable: true,
        });
      }
    },
    close: () => tabs.close(),
  };
}
