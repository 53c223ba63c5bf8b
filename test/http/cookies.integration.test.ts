import { afterEach, expect, test } from 'vitest';
import { doorkeeper, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('a page that redirects to itself with a cookie is read, also if the caller follows redirects itself', async () => {
  const web = await site({
    '/a': (request, response) =>
      request.headers.cookie === 'seen=yes'
        ? response.end('ok')
        : response.writeHead(302, { location: '/a', 'set-cookie': 'seen=yes; Path=/; HttpOnly' }).end(),
  });
  for (const redirect of ['follow', 'manual'] as const) expect(text(await door([web]).request(`${web.url}/a`, { redirect }))).toBe('ok');
});

test('cookies go to their origin and path only, until they expire, and win over configured ones', async () => {
  const other = await site({ '/': (request, response) => response.end(request.headers.cookie ?? 'none') });
  const web = await site({
    '/in': (_request, response) => response.writeHead(200, { 'set-cookie': ['a=1', 'own=new; Path=/', 'deep=2; Path=/in/'] }).end(),
    '/out': (_request, response) => response.writeHead(200, { 'set-cookie': 'a=; Max-Age=0' }).end(),
    '/show': (request, response) => response.end(request.headers.cookie ?? 'none'),
  });
  const http = door([web, other], { network: { sites: [{ origin: web.url, cookies: { own: 'old', key: 'k' } }] } });
  const shown = async (address: string) => text(await http.request(address));
  expect(await shown(`${web.url}/show`)).toBe('own=old; key=k');
  await http.request(`${web.url}/in`);
  expect([await shown(`${web.url}/show`), await shown(`${other.url}/`)]).toEqual(['own=new; key=k; a=1', 'none']);
  await http.request(`${web.url}/out`);
  expect(await shown(`${web.url}/show`)).toBe('own=new; key=k');
});

test('cookies of a session that the configuration opened do not go with a request that a network caller could use to change something', async () => {
  const web = await site({
    '/in': (_request, response) => response.writeHead(200, { 'set-cookie': 'session=s' }).end(),
    '/show': (request, response) => response.end(request.headers.cookie ?? 'none'),
  });
  const http = door([web], { surface: 'server', network: { allow_private: true } });
  await http.request(`${web.url}/in`);
  expect(text(await http.request(`${web.url}/show`))).toBe('session=s');
  expect(text(await http.request(`${web.url}/show`, { method: 'POST', body: 'x' }))).toBe('none');
});
