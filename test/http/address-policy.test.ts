import { describe, expect, test } from 'vitest';
import { admit, mayBePrivate, privateKind, type AddressPolicy, type Lookup } from '../../src/http/address-policy.ts';

const strict: AddressPolicy = { allow_private: false, surface: 'server', named: [] };
const names: Record<string, string[]> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
  'inner.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mapped.example': ['::ffff:169.254.169.254'],
};
const lookup: Lookup = async (hostname) => (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const never: Lookup = async (hostname) => Promise.reject(new Error(`${hostname} was looked up`));
const decide = (url: string, policy = strict, ask = lookup) => admit(new URL(url), policy, ask);
const isRefused = async (url: string, policy = strict) => 'refused' in (await decide(url, policy));

describe('an address', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['100.100.100.200', 'carrier-grade-nat'],
    ['192.0.0.192', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['::7f00:1', 'reserved'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'rfc6145'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1::1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['2001::1', 'teredo'],
    ['fc00::1', 'unique-local'],
    ['fd00:ec2::254', 'unique-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::1', 'deprecated-site-local'],
    ['ff02::1', 'multicast'],
    ['4000::1', 'reserved'],
    ['no address', 'unreadable'],
  ])('%s is not one of the public internet: %s', (address, kind) => {
    expect(privateKind(address)).toBe(kind);
  });

  test.each(['8.8.8.8', '93.184.215.14', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    '%s is public',
    (address) => {
      expect(privateKind(address)).toBeUndefined();
    },
  );
});

describe('a connection', () => {
  test('may go to the addresses of the name', async () => {
    expect(await decide('https://public.example/x')).toEqual({
      addresses: [
        { address: '93.184.215.14', family: 4 },
        { address: '2606:2800:21f:cb07::1', family: 6 },
      ],
    });
  });

  test('to a numeric address needs no lookup', async () => {
    expect(await decide('http://8.8.8.8/', strict, never)).toEqual({ addresses: [{ address: '8.8.8.8', family: 4 }] });
    expect(await decide('http://[2606:4700::1111]/', strict, never)).toEqual({ addresses: [{ address: '2606:4700::1111', family: 6 }] });
  });

  test.each(['http://inner.example/', 'http://mapped.example/', 'http://mixed.example/'])(
    'is refused if the name has a private address: %s',
    async (url) => {
      expect(await isRefused(url)).toBe(true);
    },
  );

  test('is refused without revealing the address of the name', async () => {
    expect(JSON.stringify(await decide('http://inner.example/'))).not.toContain('10.1.2.3');
  });

  test.each([
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'sub.localhost',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
    '0',
    'user:pass@127.0.0.1',
    'example.com@127.0.0.1',
    '１２７.０.０.１',
    '127。0。0。1',
  ])('to this machine is refused however it is written, and nothing is looked up: %s', async (host) => {
    expect('refused' in (await decide(`http://${host}:8080/x`, strict, never))).toBe(true);
  });

  test.each(['file:///etc/hostname', 'ftp://public.example/', 'gopher://public.example/', 'data:text/plain,x'])(
    'by another scheme is refused: %s',
    async (url) => {
      expect(await isRefused(url, { ...strict, allow_private: true })).toBe(true);
    },
  );

  test('fails with the error of the lookup', async () => {
    await expect(decide('http://public.example/', strict, never)).rejects.toThrow('was looked up');
  });
});

describe('allow_private', () => {
  const at = (allow_private: AddressPolicy['allow_private'], surface: AddressPolicy['surface'] = 'cli', named: string[] = []) => ({
    allow_private,
    surface,
    named,
  });

  test('true allows every origin to be private', async () => {
    expect(await isRefused('http://inner.example/', at(true, 'server'))).toBe(false);
    expect(await isRefused('http://localhost:1/', { ...at(true), named: [] })).toBe(false);
  });

  test('false allows none, not even one named at the command line', () => {
    expect(mayBePrivate('http://127.0.0.1:8080', at(false, 'cli', ['http://127.0.0.1:8080']))).toBe(false);
  });

  test('auto allows the origins named at the command line, and none for a server', () => {
    const named = ['http://127.0.0.1:8080'];
    expect(mayBePrivate('http://127.0.0.1:8080', at('auto', 'cli', named))).toBe(true);
    expect(mayBePrivate('http://127.0.0.1:9090', at('auto', 'cli', named))).toBe(false);
    expect(mayBePrivate('https://127.0.0.1:8080', at('auto', 'cli', named))).toBe(false);
    expect(mayBePrivate('http://localhost:8080', at('auto', 'cli', named))).toBe(false);
    expect(mayBePrivate('http://127.0.0.1:8080', at('auto', 'server', named))).toBe(false);
  });

  test('a list allows its origins, however they are written, and no others', () => {
    const policy = at(['http://127.0.0.1:8080/', 'http://INNER.example:80', 'nonsense'], 'server', ['http://10.0.0.1']);
    expect(mayBePrivate('http://127.0.0.1:8080', policy)).toBe(true);
    expect(mayBePrivate('http://inner.example', policy)).toBe(true);
    expect(mayBePrivate('http://10.0.0.1', policy)).toBe(false);
    expect(mayBePrivate('http://127.0.0.1', policy)).toBe(false);
  });
});
