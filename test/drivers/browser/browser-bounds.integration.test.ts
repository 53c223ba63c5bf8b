import { execFileSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
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

const script = (body: string) => `<p>Text</p><script>${body}</script>`;

withBrowser('a page that exceeds a limit', () => {
  it('is stopped if its script never ends, and the next page opens', async () => {
    const web = await site({ '/busy': script('while (true);'), '/': FILLER });
    const page = renderer([web], { network: { timeout: 6 } });
    expect(await failure(page.render(`${web.url}/busy`, {}))).toMatchObject({
      code: 'unavailable',
      isRetryable: true,
      message: expect.stringContaining('the limit is 6 seconds'),
    });
    expect((await page.render(`${web.url}/`, {})).status).toBe(200);
  });

  it('is stopped before the timeout if its script never yields', async () => {
    const web = await site({ '/busy': script('while (true) document.body.append(document.createElement("p"));') });
    expect(await failure(renderer([web]).render(`${web.url}/busy`, {}))).toMatchObject({
      code: 'invalid',
      isRetryable: false,
      message: expect.stringMatching(/its scripts come to no end|it brought its tab of the browser down/), // it may have filled its memory by then
    });
  });

  it('is read as it is after a maximum time if it never stops changing', async () => {
    const web = await site({
      '/grows': `${FILLER}${script('setInterval(() => document.body.append("more "), 10)')}`,
      '/asks': `${FILLER}${script('const ask = () => fetch("/answer").then(ask); ask()')}`,
      '/waits': `${FILLER}${script('fetch("/never")')}`,
      '/answer': '{}',
      '/never': () => {},
    });
    const page = renderer([web], { network: { timeout: 8 } });
    const pages = await Promise.all(['/grows', '/asks', '/waits'].map((path) => page.render(web.url + path, {})));
    expect(pages.map((one) => text(one).includes('Some words about water'))).toEqual([true, true, true]);
  });

  it('fails as too large if it loads more than the limit, compressed or not', async () => {
    const endless = (_request: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => void (response.destroyed || response.write('<p>more</p>'.repeat(1000), () => setImmediate(more)));
      more();
    };
    const web = await site({
      '/endless': endless,
      '/loads': `${FILLER}<script src="/endless"></script>`,
      '/grows': script('let text = "x".repeat(1e6); document.body.append(text, text, text);'),
      '/packed': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(`<p>${'x'.repeat(20_000_000)}`) },
      '/fits': FILLER,
    });
    const page = renderer([web], { network: { max_bytes: 2_000_000 } });
    for (const path of ['/endless', '/loads', '/grows', '/packed'])
      expect(await failure(page.render(web.url + path, {}))).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('2000000 bytes'),
        hint: expect.stringContaining('network.max_bytes'),
      });
    expect((await page.render(`${web.url}/fits`, {})).status).toBe(200);
  });

  it.runIf(process.platform === 'linux')('is killed if it takes too much memory', async () => {
    const web = await site({ '/': script('const taken = []; for (;;) taken.push(new Uint8Array(5e7).fill(1))') });
    expect(await failure(renderer([web]).render(`${web.url}/`, {}))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('brought its tab of the browser down'),
    });
  });

  it('cannot navigate more often than allowed, by redirects or by scripts', async () => {
    const web = await site({
      '/redirects': (request, response) => void response.writeHead(302, { location: `/redirects?${Math.random()}` }).end(),
      '/scripts': '<script>location.href = "/scripts?" + Math.random()</script>',
      '/once': { status: 302, headers: { location: '/end' } },
      '/end': FILLER,
    });
    const page = renderer([web], { network: { max_redirects: 3 } });
    for (const path of ['/redirects', '/scripts']) {
      web.hits.length = 0;
      expect(await failure(page.render(web.url + path, {}))).toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('redirects more than 3 times'),
      });
      expect(web.hits.length).toBe(4);
    }
    expect((await page.render(`${web.url}/once`, {})).url).toBe(`${web.url}/end`);
  });

  it('does not download files', async () => {
    const web = await site({ '/file': { headers: { 'content-disposition': 'attachment; filename="a.html"' }, body: FILLER } });
    expect(await failure(renderer([web]).render(`${web.url}/file`, {}))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('file to download'),
    });
  });

  it('shows no dialogs and opens no other page', async () => {
    const web = await site({
      '/': `${FILLER}${script('alert(1); const said = [confirm(2), prompt(3)]; addEventListener("beforeunload", (event) => event.preventDefault()); open("/other"); document.body.append(String(said))')}`,
      '/other': FILLER,
      '/next': FILLER,
    });
    const page = renderer([web]);
    expect(text(await page.render(`${web.url}/`, {}))).toContain('false,');
    expect((await page.render(`${web.url}/next`, {})).url).toBe(`${web.url}/next`);
  });

  it('cannot open hundreds of other pages', async () => {
    const web = await site({
      '/': `${FILLER}${script('for (let i = 0; i < 200; i++) open("/other"); fetch("/opened")')}`,
      '/opened': '{}',
      '/other': FILLER,
    });
    expect(text(await renderer([web]).render(`${web.url}/`, {}))).toContain('Some words about water');
    expect(web.hits.map(({ url }) => url)).toEqual(['/', '/opened']);
  });

  it('cannot store data for the next run', async () => {
    const web = await site({
      '/': `${FILLER}${script('document.body.append(`had ${document.cookie}|${localStorage.a}`); document.cookie = "a=kept"; localStorage.a = "kept"')}`,
    });
    for (let run = 0; run < 2; run++) expect(text(await renderer([web]).render(`${web.url}/`, {}))).toContain('had |undefined');
  });
});

withBrowser('a browser', () => {
  it('stops when the run is aborted', async () => {
    const web = await site({ '/never': () => {} });
    const controller = new AbortController();
    const page = renderer([web]);
    const work = failure(page.render(`${web.url}/never`, { signal: controller.signal }));
    await expect.poll(() => web.hits.length, { timeout: 20_000 }).toBe(1);
    controller.abort();
    expect(await work).toMatchObject({ code: 'aborted' });
    expect(await failure(page.render(`${web.url}/never`, { signal: controller.signal }))).toMatchObject({ code: 'aborted' });
    expect(web.hits.length).toBe(1);
  });

  it('restarts once after it was killed', async () => {
    let killings = 1;
    const web = await site({
      '/': (_request, response) => {
        if (killings-- > 0) for (const pid of browsers()) process.kill(pid, 'SIGKILL');
        else response.writeHead(200, { 'content-type': 'text/html' }).end(FILLER);
      },
    });
    const page = renderer([web]);
    expect((await page.render(`${web.url}/`, {})).status).toBe(200);
    killings = 2;
    expect(await failure(page.render(`${web.url}/`, {}))).toMatchObject({ code: 'unavailable', isRetryable: true });
    expect((await page.render(`${web.url}/`, {})).status).toBe(200);
  });

  it('leaves no process behind after it is closed', async () => {
    const web = await site({ '/': FILLER });
    await renderer([web]).render(`${web.url}/`, {});
    expect(browsers().length).toBe(1);
    await browser.close();
    expect(browsers()).toEqual([]);
    expect(await failure(renderer([web]).render(`${web.url}/`, {}))).toMatchObject({ code: 'aborted' });
  });

  it('ends even if it replaced a browser that was still closing', async () => {
    const web = await site({ '/': FILLER });
    const brief = createBrowser({ idle: 1 });
    const page = brief.renderer({ network: DEFAULTS.network as Network, surface: 'cli', named: [web.url], environment: {} });
    for (let time = 0; time < 3; time++) {
      await page.render(`${web.url}/`, {});
      await pause(20); // by now it is ending
    }
    await expect.poll(browsers, { timeout: 20_000 }).toEqual([]);
    await page.close();
    await brief.close();
  });

  it('opens nothing more and leaves no server once its run or itself is closed', async () => {
    const web = await site({ '/never': () => {} });
    const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    const before = servers();
    for (const closes of ['run', 'browser'] as const) {
      const own = createBrowser();
      const page = own.renderer({ network: DEFAULTS.network as Network, surface: 'cli', named: [web.url], environment: {} });
      web.hits.length = 0;
      const works = [1, 2, 3, 4].map(() => failure(page.render(`${web.url}/never`, {})));
      await expect.poll(() => web.hits.length, { timeout: 20_000 }).toBe(2);
      await (closes === 'run' ? page : own).close();
      for (const error of await Promise.all(works)) expect(error).toMatchObject({ code: 'aborted' });
      await page.close();
      await own.close();
      expect(web.hits.length).toBe(2);
      await expect.poll(servers, { timeout: 20_000 }).toBeLessThanOrEqual(before); // one of another test may have been closing
    }
  });

  it('ends after an idle time, and starts again on demand', async () => {
    const web = await site({ '/': FILLER });
    const brief = createBrowser({ idle: 1 });
    const page = brief.renderer({ network: DEFAULTS.network as Network, surface: 'cli', named: [web.url], environment: {} });
    for (let time = 0; time < 2; time++) {
      await page.render(`${web.url}/`, {});
      await expect.poll(browsers, { timeout: 20_000 }).toEqual([]);
    }
    await page.close();
    await brief.close();
  });
});

/** The processes that this one started, and that are no part of another of them. */
function browsers(): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n');
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.+)$/.exec(line)).filter((row) => row !== null);
  return rows.filter(([, , parent, name]) => Number(parent) === process.pid && /chrom/i.test(name!)).map(([, pid]) => Number(pid));
}
