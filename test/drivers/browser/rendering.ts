import { createBrowser } from '../../../src/drivers/browser/browser.ts';
import type { RendererOptions, Renderer } from '../../../src/ports/reading.ts';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { Network } from '../../../src/schema/config-sources.ts';
import { openSite, type Site, type SiteRoute } from '../../support/site.ts';

type Settings = Partial<Omit<RendererOptions, 'network'>> & { network?: Partial<Network> };

/** More than a page needs to be taken for one that holds text. */
export const FILLER = `<p>${'Some words about water and what it does to a pump. '.repeat(8)}</p>`;

/** One browser for the tests of a file, and sites and renderers that are closed after each of them. A renderer may reach the sites that are named. */
export function rendering() {
  const browser = createBrowser();
  const opened: { close(): Promise<void> }[] = [];
  return {
    browser,
    async site(routes: Record<string, SiteRoute>): Promise<Site> {
      const web = await openSite(routes);
      opened.push(web);
      return web;
    },
    renderer(named: readonly { url: string }[], { network = {}, ...options }: Settings = {}): Renderer {
      const renderer = browser.renderer({
        network: { ...DEFAULTS.network, ...network } as Network,
        surface: 'cli',
        named: named.map(({ url }) => url),
        environment: {},
        ...options,
      });
      opened.push(renderer);
      return renderer;
    },
    async closeSites() {
      await Promise.all(opened.splice(0).map((thing) => thing.close()));
    },
  };
}
