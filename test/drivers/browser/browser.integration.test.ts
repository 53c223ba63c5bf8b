import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createBrowser } from '../../../src/drivers/browser/browser.ts';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { Network } from '../../../src/schema/config-sources.ts';
import { withBrowser } from '../../support/browser.ts';
import { failure, text } from '../../http/door.ts';
import { FILLER, rendering } from './rendering.ts';

const { browser, site, renderer, closeSites } = rendering();
afterEach(closeSites);
afterAll(() => browser.close());

const script = (body: string) => ({ headers: { 'content-type': 'text/javascript' }, body });
const later = (milliseconds: number, body: string) => (_request: unknown, response: { end(body: string): void }) =>
  setTimeout(() => response.end(body), milliseconds);

it('names the command that installs a browser if there is none', async () => {
  const none = createBrowser({ find: async () => [] });
  const page = none.renderer({ network: DEFAULTS.network as Network, surface: 'cli', named: [] });
  expect(await failure(page.render('http://127.0.0.1:1/', {}))).toMatchObject({
    code: 'setup',
    hint: expect.stringContaining('kb setup-browser'),
  });
  await none.close();
});

withBrowser('a page in the browser', () => {
  it('contains what its script wrote and requested', async () => {
    const web = await site({
      '/app': '<title>App</title><div id="app">Loading…</div><script src="/app.js"></script>',
      '/app.js': script(
        'fetch("/data.json").then((r) => r.json()).then(({ text }) => { document.getElementById("app").innerHTML = "<main><p>" + text }) ',
      ),
      '/data.json': later(400, '{"text":"The carbon filter lasts for 60 litres."}'),
    });
    const page = await renderer([web]).render(`${web.url}/app`, {});
    expect(page).toMatchObject({ url: `${web.url}/app`, status: 200 });
    expect(text(page)).toContain('<main><p>The carbon filter lasts for 60 litres.</p></main>');
    expect(text(page)).not.toContain('Loading…');
  });

  it('contains its frames of the same origin, whose links lead where they led', async () => {
    const other = await site({ '/ad': FILLER });
    const web = await site({
      '/help': `<h1>Help</h1>${FILLER}<iframe src="/inner/"></iframe><iframe src="${other.url}/ad"></iframe>`,
      '/inner/': later(300, '<p>The code of the winch is 7316.</p><a href="more">More</a>'),
    });
    const page = text(await renderer([web, other]).render(`${web.url}/help`, {}));
    expect(page).toContain('The code of the winch is 7316.');
    expect(page).toContain(`href="${web.url}/inner/more"`);
    expect(page).toContain(`<iframe src="${other.url}/ad">`);
  });

  it('is another one for each route after #', async () => {
    const draw = 'document.body.innerHTML = "<p>This is the page of " + location.hash.slice(2) + ".</p>"';
    const web = await site({ '/': `<body></body><script>${draw}; addEventListener("hashchange", () => { ${draw} })</script>` });
    const tab = renderer([web]);
    for (const route of ['oil', 'bell', 'oil'])
      expect(text(await tab.render(`${web.url}/#/${route}`, {}))).toContain(`the page of ${route}.`);
  });

  it('is scrolled to its end as long as it grows, and says if that was not reached', async () => {
    const list = (most: number) =>
      `${FILLER}<div id="l"></div><div id="s" style="height:10px"></div><script>let n = 0; const add = () => { for (let i = 0; i < 5 && n < ${most}; i++) document.getElementById('l').insertAdjacentHTML('beforeend', '<p style="height:300px">Shelf ' + ++n + '.</p>') }; add(); new IntersectionObserver((seen) => { if (seen[0].isIntersecting) add() }).observe(document.getElementById('s'))</script>`;
    const web = await site({ '/short': list(30), '/endless': list(100_000) });
    const tab = renderer([web], { network: { timeout: 12 } });
    const short = await tab.render(`${web.url}/short`, {});
    expect([text(short).includes('Shelf 30.'), short.isCut]).toEqual([true, false]);
    expect(await tab.render(`${web.url}/endless`, {})).toMatchObject({ isCut: true });
  });

  it('reports its X-Robots-Tag header', async () => {
    const web = await site({
      '/tagged': (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'X-Robots-Tag': 'noindex, nofollow' }).end(FILLER),
      '/plain': FILLER,
    });
    expect((await renderer([web]).render(`${web.url}/tagged`, {})).robots_tags).toEqual(['noindex, nofollow']);
    expect((await renderer([web]).render(`${web.url}/plain`, {})).robots_tags).toEqual([]);
  });

  it('is awaited while its text grows, even without requests', async () => {
    const step = `let left = 8; const grow = () => { document.body.append("line " + left + ". "); if (--left) setTimeout(grow, 120) }; setTimeout(grow, 300);`;
    const web = await site({ '/slow': `<p>Wait</p><script>${step}</script>` });
    expect(text(await renderer([web]).render(`${web.url}/slow`, {}))).toContain('line 1.');
  });

  it('is awaited while a slow request is pending and it shows nothing yet', async () => {
    const web = await site({
      '/slow': `<p id="a">Loading…</p>${FILLER}<script>fetch('/data').then((r) => r.text()).then((next) => fetch(next)).then((r) => r.text()).then((t) => (a.textContent = t))</script>`,
      '/data': later(6000, '/more'),
      '/more': later(1200, 'What the server knows'),
    });
    expect(text(await renderer([web]).render(`${web.url}/slow`, {}))).toContain('What the server knows');
  });

  it('is not delayed by the script of a worker, whose end is not reported', async () => {
    const body = `${FILLER}<script>new Worker('/worker.js'); setTimeout(() => document.body.append(6 * 7), 4000)</script>`;
    const web = await site({ '/': body, '/worker.js': script('') });
    expect(text(await renderer([web]).render(`${web.url}/`, {}))).not.toContain('42');
  });

  it('is read even if its elements shadow properties of the document', async () => {
    const web = await site({ '/': `${FILLER}<form><input name="shadowRoot"><input name="querySelectorAll"></form>` });
    expect(text(await renderer([web]).render(`${web.url}/`, {}))).toContain('Some words about water');
  });

  it('has the status of its own response, even if another request to its server failed', async () => {
    const web = await site({
      '/': `<script>fetch('/broken').then(() => (location.href = '/closed'))</script>`,
      '/broken': (request) => request.socket.destroy(),
      '/closed': { status: 403, body: FILLER },
    });
    expect(await failure(renderer([web]).render(`${web.url}/`, {}))).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('403'),
    });
  });

  it('keeps the content of open shadow roots in its place', async () => {
    const element = `customElements.define("x-card", class extends HTMLElement { constructor() { super();
      this.attachShadow({ mode: "open" }).innerHTML = "<h2>From the shadow</h2><slot name=first></slot><slot>nothing</slot><x-inner></x-inner>"; } });
      customElements.define("x-inner", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<p>Deeper</p><slot>as it is</slot>"; } });`;
    const web = await site({ '/': `<x-card>plain <b slot="first">named</b></x-card>${FILLER}<script>${element}</script>` });
    const html = text(await renderer([web]).render(`${web.url}/`, {}));
    expect(html).toMatch(/<h2>From the shadow<\/h2><b slot="first">named<\/b>plain <x-inner><p>Deeper<\/p>as it is<\/x-inner><\/x-card>/);
    expect(html).not.toContain('<template');
  });

  it('is returned in UTF-8 with a byte order mark, whatever encoding it declares', async () => {
    const body = Buffer.concat([Buffer.from('<meta charset="windows-1251"><p>'), Buffer.from([0xd4, 0xe8, 0xeb, 0xfc, 0xf2, 0xf0])]);
    const web = await site({ '/': { headers: { 'content-type': 'text/html' }, body } });
    const { bytes } = await renderer([web]).render(`${web.url}/`, {});
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toContain('Фильтр');
  });

  it('is requested with the user agent of kb, without images, fonts and videos', async () => {
    const web = await site({
      '/': `<style>@font-face { font-family: x; src: url(/font.woff2) } p { font-family: x; background: url(/back.png) }</style>${FILLER}<img src="/a.png"><video src="/film.mp4"></video><script src="/a.js"></script>`,
      '/a.js': script(''),
    });
    await renderer([web], { network: { user_agent: 'kb-test/1' } }).render(`${web.url}/`, {});
    expect(web.hits.map(({ url }) => url)).toEqual(['/', '/a.js']);
    expect(web.hits.map(({ headers }) => headers['user-agent'])).toEqual(['kb-test/1', 'kb-test/1']);
  });

  it('gets the configured headers in each request to its origin, and in none to another origin', async () => {
    const other = await site({ '/landed': FILLER, '/data': { headers: { 'access-control-allow-origin': '*' }, body: '{}' } });
    const web = await site({
      '/page': `${FILLER}<script>fetch("/own"); fetch("${other.url}/data")</script>`,
      '/own': '{}',
      '/away': { status: 302, headers: { location: `${other.url}/landed` } },
    });
    const given = { headers: { 'x-team': 'docs', cookie: 'session=secret', authorization: 'Bearer secret' } };
    const page = renderer([web, other]);
    await page.render(`${web.url}/page`, { site: given });
    expect((await page.render(`${web.url}/away`, { site: given })).url).toBe(`${other.url}/landed`);
    expect(web.hits.map(({ url }) => url).toSorted()).toEqual(['/away', '/own', '/page']);
    for (const { headers } of web.hits) expect(headers).toMatchObject(given.headers);
    expect(other.hits.map(({ url }) => url).toSorted()).toEqual(['/data', '/landed']);
    for (const { headers } of other.hits) for (const name of Object.keys(given.headers)) expect(headers).not.toHaveProperty(name);
    await page.render(`${web.url}/own`, {});
    expect(web.hits.at(-1)!.headers).not.toHaveProperty('x-team');
  });

  it('gets the user name and password of its address as without a browser', async () => {
    const web = await site({ '/': FILLER });
    const page = await renderer([web]).render(`${web.url.replace('//', '//user:p%40ss@')}/`, {});
    expect(page.url).toBe(`${web.url}/`);
    expect(web.hits[0]!.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });

  it('is the page that a script navigates to', async () => {
    const web = await site({ '/': '<script>location.replace("/next")</script>', '/next': `<h1>Next</h1>${FILLER}` });
    const page = await renderer([web]).render(`${web.url}/`, {});
    expect(page.url).toBe(`${web.url}/next`);
    expect(text(page)).toContain('<h1>Next</h1>');
  });

  it('fails with an error status as without a browser', async () => {
    const web = await site({
      '/gone': { status: 410, body: FILLER },
      '/busy': { status: 503, headers: { 'retry-after': '7' }, body: FILLER },
      '/closed': { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: FILLER },
    });
    const page = renderer([web]);
    expect(await failure(page.render(`${web.url}/none`, {}))).toMatchObject({ code: 'not_found', isRetryable: false });
    expect(await failure(page.render(`${web.url}/gone`, {}))).toMatchObject({ code: 'not_found' });
    expect(await failure(page.render(`${web.url}/busy`, {}))).toMatchObject({ code: 'unavailable', isRetryable: true, retryAfter: 7 });
    expect(await failure(page.render(`${web.url}/closed`, {}))).toMatchObject({ code: 'unauthorized' });
    expect(web.hits.filter(({ headers }) => headers.authorization)).toEqual([]);
  });

  it('shares two tabs with the other pages of all runs', async () => {
    let open = 0;
    let most = 0;
    const { promise: second, resolve } = Promise.withResolvers<void>();
    const slow = async (_request: unknown, response: { end(body: string): void }) => {
      most = Math.max(most, ++open);
      if (open === 2) resolve();
      await Promise.race([second, pause(10_000)]); // the first one waits for company
      await pause(50);
      open--;
      response.end(FILLER);
    };
    const web = await site(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`/${i}`, slow])));
    const runs = [renderer([web]), renderer([web])];
    const pages = await Promise.all(Array.from({ length: 8 }, (_, i) => runs[i % 2]!.render(`${web.url}/${i}`, {})));
    expect(pages.map(({ url }) => new URL(url).pathname)).toEqual(Array.from({ length: 8 }, (_, i) => `/${i}`));
    expect(most).toBe(2);
  });
});
