import { expect, it, onTestFinished } from 'vitest';
import { createBrowser } from '../../../src/drivers/fetchers/browser.ts';
import { findBrowser } from '../../../src/drivers/fetchers/find-browser.ts';
import { DEFAULTS, type Network } from '../../../src/schema/config.ts';
import { openSite } from '../../support/site.ts';

const hasBrowser = (await findBrowser().catch(() => undefined)) !== undefined;

it.skipIf(!hasBrowser)(
  'what is configured for a site goes to it from the browser too, and to no other (skipped where there is no browser)',
  async () => {
    const other = await openSite({ '/other.js': { headers: { 'content-type': 'text/javascript' }, body: '' } });
    const web = await openSite({
      '/app': `<main></main><script src="${other.url}/other.js"></script><script src="/own.js"></script>`,
      '/own.js': { headers: { 'content-type': 'text/javascript' }, body: 'document.querySelector("main").textContent = "written"' },
    });
    const browser = createBrowser();
    onTestFinished(async () => void (await Promise.all([browser.close(), web.close(), other.close()])));
    const sites = [{ origin: web.url, basic_auth: 'ann:s3cret', cookies: { sid: 'c00kie' } }];
    const network = { ...DEFAULTS.network, sites } as Network;
    const renderer = browser.renderer({ network, surface: 'cli', named: [web.url, other.url] });
    onTestFinished(() => renderer.close());
    const { bytes } = await renderer.render(`${web.url}/app`, {});
    expect(Buffer.from(bytes).toString()).toContain('written');
    const asked = web.hits.filter(({ url }) => url !== '/favicon.ico');
    expect(asked.map(({ url }) => url)).toEqual(expect.arrayContaining(['/app', '/own.js']));
    for (const { headers } of asked) {
      expect(headers.authorization).toBe(`Basic ${Buffer.from('ann:s3cret').toString('base64')}`);
      expect(headers.cookie).toBe('sid=c00kie');
    }
    expect(other.hits.map(({ url }) => url)).toContain('/other.js');
    expect(JSON.stringify(other.hits)).not.toMatch(/authorization|c00kie/);
  },
);
