import { describe, expect, it } from 'vitest';
import { serverAddress, serverName } from '../../src/http/server-address.ts';

const address = (given: string) => serverAddress(given, { port: 6333 });

describe('the address of a server', () => {
  it('is normalized', () => {
    const spellings = [
      'http://127.0.0.1:6333',
      'http://127.0.0.1',
      'http://127.0.0.1:6333/',
      'HTTP://LocalHost:6333//',
      'http://localhost./',
      'http://127.1',
      'http://localhost:06333?x=1#y',
    ];
    expect(new Set(spellings.map(address))).toEqual(new Set(['http://127.0.0.1:6333']));
    expect(['http://Cloud.Example./', 'http://cloud.example'].map(address)).toEqual(Array(2).fill('http://cloud.example:6333'));
  });

  it('keeps what distinguishes servers', () => {
    const others = [
      'https://localhost:6333',
      'http://127.0.0.1:6334',
      'http://127.0.0.1:80',
      'http://127.0.0.1:6333/behind',
      'http://127.0.0.1:6333/Behind',
      'http://[::1]:6333',
      'http://localhost.example:6333',
    ];
    expect(new Set(others.map(address)).size).toBe(others.length);
    expect(['http://h:80', 'https://h:443/a/', 'http://[::1]'].map(address)).toEqual([
      'http://h:80',
      'https://h:443/a',
      'http://[::1]:6333',
    ]);
  });

  it('is unchanged if it is invalid or holds a password', () => {
    const others = ['', 'folder', './folder/', 'ftp://host/', 's3://bucket/store/', 'http://me:hidden@host/', 'localhost:6333'];
    expect(others.map(address)).toEqual(others);
  });

  it('has one name for both names of this machine and both schemes', () => {
    const spellings = ['http://localhost', 'http://127.0.0.1', 'https://localhost', 'https://127.0.0.1:6333'];
    expect(new Set(spellings.map((given) => serverName(address(given))))).toEqual(new Set(['127.0.0.1:6333']));
    expect(serverName(address('https://localhost.example/a'))).toBe('localhost.example:6333/a');
  });
});
