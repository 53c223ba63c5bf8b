import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { withBrowser } from '../../support/browser.ts';
import { failure, text } from '../../http/door.ts';
import { FILLER, rendering } from './rendering.ts';
import { listening } from '../../support/listening.ts';

const { browser, site, renderer, closeSites } = rendering();
afterEach(closeSites);
afterAll(() => browser.close());

/** A server that counts who comes by; what they want it never learns. */
async function stranger() {
  const came: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      came.push(data.toString().split('\r\n')[0]!);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
    });
  });
  return { came, ...(await listening(server)) };
}

let other: Awaited<ReturnType<typeof stranger>>;
beforeEach(async () => void (other = await stranger()));
afterEach(() => other.close());

/** Everything that a page may try in order to reach another origin; it writes "done" when all has been tried. */
const attempts = (target: string) => {
  const { host, port } = new URL(target);
  return `<link rel="stylesheet" href="${target}/style.css"><link rel="preconnect" href="${target}"><link rel="prefetch" href="${target}/prefetch">
  <iframe src="${target}/frame"></iframe><img src="${target}/image"><script src="${target}/script.js"></script>${FILLER}
  <form action="${target}/form" method="post" target="hidden"><input name="a"></form><iframe name="hidden"></iframe>
  <script>
    const soon = (ms) => new Promise((done) => setTimeout(done, ms));
    const tries = [
      fetch("${target}/fetch", { mode: "no-cors" }),
      fetch("/redirect", { mode: "no-cors" }),
      new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.onloadend = done; xhr.open("GET", "${target}/xhr"); xhr.send(); }),
      new Promise((done) => { const socket = new WebSocket("ws://${host}/socket"); socket.onclose = done; }),
      new Promise((done) => { const source = new EventSource("${target}/events"); source.onerror = () => (source.close(), done()); }),
      new Promise((done) => { const worker = new Worker(URL.createObjectURL(new Blob(['fetch("${target}/worker", { mode: "no-cors" }).finally(() => postMessage(1))']))); worker.onmessage = done; }),
      (async () => { const peer = new RTCPeerConnection({ iceServers: [{ urls: ["stun:127.0.0.1:${port}", "turn:127.0.0.1:${port}?transport=tcp"], username: "a", credential: "b" }] });
        peer.createDataChannel("x"); await peer.setLocalDescription(await peer.createOffer()); await soon(500); peer.close(); })(),
    ];
    if (!self.WebTransport) throw new Error("no WebTransport");
    tries.push(new WebTransport("https://${host}/transport").ready);
    navigator.sendBeacon("${target}/beacon", "x");
    document.forms[0].submit();
    open("${target}/popup");
    fetch("/holding");
    Promise.race([Promise.allSettled(tries), soon(3000)]).then(() => (document.body.append("done"), fetch("/done")));
  </script>`;
};

withBrowser('the guard of the browser', () => {
  const attacking = async () =>
    site({
      '/': attempts(other.url),
      '/redirect': { status: 302, headers: { location: `${other.url}/redirected` } },
      '/holding': (_request, response) => setTimeout(() => response.end('{}'), 3500),
      '/done': '{}',
    });

  it('blocks every request of a page to an origin that is not allowed', async () => {
    const web = await attacking();
    const udp = createSocket('udp4');
    const datagrams: unknown[] = [];
    udp.on('message', (message) => datagrams.push(message));
    await new Promise<void>((done) => udp.bind(other.port, '127.0.0.1', done));
    try {
      const page = await renderer([], { surface: 'server', network: { allow_private: [web.url] } }).render(`${web.url}/`, {});
      expect(text(page)).toMatch(/done<\/body>/);
      expect(other.came).toEqual([]);
      expect(datagrams).toEqual([]);
    } finally {
      udp.close();
    }
  });

  it('lets the same requests through if the origin is allowed', async () => {
    const web = await attacking();
    await renderer([], { surface: 'server', network: { allow_private: [web.url, other.url] } }).render(`${web.url}/`, {});
    const asked = other.came.map((line) => line.split(' ')[1]);
    for (const path of ['/style.css', '/frame', '/script.js', '/fetch', '/redirected', '/xhr', '/socket', '/events', '/worker'])
      expect(asked).toContain(path);
  });

  it('refuses the page itself without a connection, and gives the reason', async () => {
    const page = renderer([], { surface: 'server', network: { allow_private: false } });
    for (const address of [
      other.url,
      `http://localhost:${other.port}`,
      `https://127.0.0.1:${other.port}`,
      `http://[::ffff:127.0.0.1]:${other.port}`,
    ])
      expect(await failure(page.render(address, {}))).toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(/was not fetched: .*\(loopback\)\./),
        hint: expect.stringContaining('network.allow_private'),
      });
    expect(other.came).toEqual([]);
  });

  it('refuses a forbidden target of a redirect, a script or a refresh', async () => {
    const web = await site({
      '/redirect': { status: 302, headers: { location: `${other.url}/a` } },
      '/script': `<script>location.href = "${other.url}/b"</script>`,
      '/refresh': `<meta http-equiv="refresh" content="0; url=${other.url}/c">`,
    });
    const page = renderer([web]);
    for (const path of ['/redirect', '/script', '/refresh'])
      expect(await failure(page.render(web.url + path, {}))).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`(redirected to ${other.url}/`),
      });
    expect(other.came).toEqual([]);
  });

  it('connects to the addresses that it checked, even if the name resolves differently later', async () => {
    const web = await site({ '/': FILLER });
    const { port } = new URL(web.url);
    const asked: string[] = [];
    const answers = [[{ address: '127.0.0.1', family: 4 }], [{ address: '10.0.0.1', family: 4 }]];
    const lookup = async (name: string) => (asked.push(name), answers[0]!);
    const page = renderer([], { surface: 'server', network: { allow_private: [`http://name.example:${port}`] }, lookup });
    expect((await page.render(`http://name.example:${port}/`, {})).url).toBe(`http://name.example:${port}/`);
    expect(asked).toContain('name.example');
    const inner = renderer([], { surface: 'server', network: { allow_private: false }, lookup: async () => answers[1]! });
    expect(await failure(inner.render('http://inner.example/', {}))).toMatchObject({ code: 'forbidden' });
  });

  it.each([
    'file:///etc/hosts',
    'ftp://site.example/',
    'data:text/html,<p>hello',
    'javascript:alert(1)',
    'chrome://version',
    'about:blank',
  ])('does not open %s', async (address) => {
    expect(await failure(renderer([]).render(address, {}))).toMatchObject({ code: 'usage' });
  });

  it('keeps a page from opening local files', async () => {
    const web = await site({
      '/redirect': { status: 302, headers: { location: 'file:///etc/hosts' } },
      '/script': `${FILLER}<iframe src="file:///etc/hosts"></iframe><script>try { location.href = "file:///etc/hosts" } catch {}</script>`,
    });
    const page = renderer([web]);
    expect(await failure(page.render(`${web.url}/redirect`, {}))).toBeInstanceOf(Error);
    const { url, bytes } = await page.render(`${web.url}/script`, {});
    expect(url).toBe(`${web.url}/script`);
    expect(text({ bytes })).not.toContain('localhost');
  });
});
