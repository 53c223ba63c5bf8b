import { afterAll, afterEach, expect, it } from 'vitest';
import { withBrowser } from '../../support/browser.ts';
import type { Site } from '../../support/site.ts';
import { failure, text } from '../../http/door.ts';
import { FILLER, rendering } from './rendering.ts';

const { browser, site, renderer, closeSites } = rendering();
afterEach(closeSites);
afterAll(() => browser.close());

const script = (body: string) => ({ headers: { 'content-type': 'text/javascript' }, body });
const configured = ({ url }: Site) => [{ origin: url, headers: { authorization: 'Bearer s3cret' }, cookies: { sid: 'c00kie' } }];
const who = ({ hits }: Site, path: string) =>
  hits.filter(({ url }) => url!.startsWith(path)).map(({ method, headers }) => `${method} ${headers.authorization ?? 'nobody'}`);

/** A site that tells its secret to whom it knows, wherever they ask from. */
const trusting = (routes: Parameters<typeof site>[0] = {}) =>
  site({
    '/api': (request, response) =>
      void response.writeHead(200, { 'access-control-allow-origin': '*' }).end(request.headers.authorization ? 'inner' : 'nothing'),
    ...routes,
  });

/** A page that asks another site for what it would tell to kb, and says what it heard. */
const curious = (url: string) => `${FILLER}<script>
  fetch('${url}/api?write', { method: 'POST', mode: 'no-cors' });
  fetch('${url}/api').then((answer) => answer.text()).then((text) => fetch('/heard?' + text));
</script>`;

withBrowser('headers that are configured for a site', () => {
  it('are sent to the site by the browser, and to no other', async () => {
    const other = await site({ '/other.js': script('') });
    const web = await site({
      '/app': `<main></main><script src="${other.url}/other.js"></script><script src="/own.js"></script>`,
      '/own.js': script(
        `document.querySelector("main").textContent = "written"; fetch('/sent', { method: 'POST' }); new Worker('/worker.js')`,
      ),
      '/worker.js': script(''),
      '/sent': 'x',
    });
    const page = await renderer([web, other], { network: { sites: configured(web) } }).render(`${web.url}/app`, {});
    expect(text(page)).toContain('written');
    expect(web.hits.map(({ url }) => url)).toEqual(expect.arrayContaining(['/app', '/own.js', '/sent']));
    for (const { headers } of web.hits) expect(headers).toMatchObject({ authorization: 'Bearer s3cret', cookie: 'sid=c00kie' });
    expect(other.hits.map(({ url }) => url)).toContain('/other.js');
    expect(JSON.stringify(other.hits)).not.toMatch(/authorization|c00kie/);
  });

  it('are not sent to another site after a redirect', async () => {
    const stranger = await site({ '/heard': '' });
    const web = await trusting({ '/go': { status: 302, headers: { location: `${stranger.url}/page` } } });
    stranger.routes['/page'] = curious(web.url);
    const page = renderer([web, stranger], { network: { sites: configured(web) } });
    expect((await page.render(`${web.url}/go`, {})).url).toBe(`${stranger.url}/page`);
    expect(who(web, '/go')).toEqual(['GET Bearer s3cret']);
    expect(who(web, '/api').toSorted()).toEqual(['GET nobody', 'POST nobody']);
    expect(stranger.hits.map(({ url }) => url)).toContain('/heard?nothing');
  });

  it('are not sent for another site that the tab showed before or that led to this one', async () => {
    const stranger = await site({ '/heard': '' });
    const slow = (_request: unknown, response: { end(body: string): void }) => setTimeout(() => response.end(FILLER), 500);
    const web = await trusting({ '/slow': slow, '/form': FILLER });
    stranger.routes['/page'] = `${FILLER}<script>
      const ask = () => fetch('${web.url}/api').then((answer) => answer.text()).then((text) => fetch('/heard?' + text, { keepalive: true }));
      ask();
      setInterval(ask, 100);
    </script>`;
    stranger.routes['/leads'] = `<form method="post" action="${web.url}/form"></form><script>document.forms[0].submit()</script>`;
    const page = renderer([web, stranger], { network: { sites: configured(web) } });
    await page.render(`${stranger.url}/page`, {});
    expect(who(web, '/api')).toContain('GET nobody');
    await page.render(`${web.url}/slow`, {});
    expect(who(web, '/slow')).toEqual(['GET Bearer s3cret']);
    expect(new Set(who(web, '/api'))).toEqual(new Set(['GET nobody']));
    await page.render(`${stranger.url}/leads`, {});
    expect(who(web, '/form')).toEqual(['POST nobody']);
  });

  it('are sent only with reading requests if the page was named over the network', async () => {
    const web = await site({
      '/app': `${FILLER}<script>fetch('/data', { method: 'POST' }); fetch('/data')</script>`,
      '/data': 'x',
    });
    const page = renderer([], { surface: 'server', network: { sites: configured(web), allow_private: [web.url] } });
    await page.render(`${web.url}/app`, {});
    expect(who(web, '/data').toSorted()).toEqual(['GET Bearer s3cret', 'POST nobody']);
    web.hits.length = 0;
    await page.render(`${web.url}/app`, { site: { headers: { 'x-http-method-override': 'DELETE' } } });
    expect(who(web, '/app')).toEqual(['GET nobody']);
  });

  it('are named in the error if they cannot be sent', async () => {
    const web = await site({ '/app': FILLER });
    const sites = [{ origin: web.url, headers: { 'x-key': 'a\nb: c' } }];
    const page = renderer([web], { network: { sites } });
    expect(await failure(page.render(`${web.url}/app`, {}))).toMatchObject({ code: 'setup', message: expect.stringContaining('"x-key"') });
    expect(web.hits).toEqual([]);
  });
});
