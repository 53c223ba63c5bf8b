import { afterEach, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/http/message.ts';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('the guard allows a server no private address, and with a list only the listed origins', async () => {
  const web = await site({ '/a': 'ok' });
  const other = await site({ '/a': 'ok' });
  expect(await failure(door([web], { surface: 'server' }).request(`${web.url}/a`))).toMatchObject({ code: 'forbidden' });
  const listed = door([], { surface: 'server', network: { allow_private: [web.url] } });
  expect(text(await listed.request(`${web.url}/a`))).toBe('ok');
  expect(await failure(listed.request(`${other.url}/a`))).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('network.allow_private'),
  });
  expect([web.hits.length, other.hits.length]).toEqual([1, 0]);
});

test('the guard connects to the checked address, even if the name changes meanwhile', async () => {
  const web = await site({ '/a': 'ok' });
  const { port } = new URL(web.url);
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return [{ address: asked.length === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
  };
  const http = door([], { network: { allow_private: [`http://rebind.example:${port}`] }, lookup });
  expect(text(await http.request(`http://rebind.example:${port}/a`))).toBe('ok');
  expect(asked).toEqual(['rebind.example']);
  expect(web.hits[0]!.headers.host).toBe(`rebind.example:${port}`);
});

test('the guard refuses a name with a private address', async () => {
  const web = await site({ '/a': 'ok' });
  const http = door([], { network: { allow_private: false }, lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
  const error = await failure(http.request(`http://public.example:${new URL(web.url).port}/a`));
  expect(error).toMatchObject({ code: 'forbidden', isRetryable: false });
  expect(error.message).not.toContain('127.0.0.1');
  expect(web.hits).toEqual([]);
});

test('an invalid address or scheme is a usage error', async () => {
  for (const address of ['nonsense', 'ftp://127.0.0.1/x', 'javascript:alert(1)', '/etc/passwd'])
    expect(await failure(door([]).request(address))).toMatchObject({ code: 'usage', message: expect.stringContaining(address) });
});

test('line breaks in headers and methods add nothing to a request', async () => {
  const web = await site({ '/a': 'ok' });
  const hostile: HttpRequest[] = [
    { headers: { 'x-note': 'a\r\nX-Evil: 1' } },
    { headers: { 'x\r\nX-Evil': '1' } },
    { method: 'GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET' },
  ];
  for (const options of hostile) expect(await failure(door([web]).request(`${web.url}/a`, options))).toMatchObject({ isRetryable: false });
  expect(web.hits.filter(({ headers }) => 'x-evil' in headers)).toEqual([]);
});
