import { describe, expect, it } from 'vitest';
import { fileTypes } from '../../../../../packages/documents/src/file-types.ts';
import { Frontier, type FrontierOptions } from '../../../../../src/stages/extract/pages/crawl/frontier.ts';
import { scopeOf } from '../../../../../src/stages/extract/pages/crawl/crawl-rules.ts';

const site = 'http://a.example';
const frontierOf = (over: Partial<FrontierOptions> = {}) =>
  new Frontier({
    scope: scopeOf({ start: `${site}/`, final: `${site}/` }, { include: [], exclude: [] }),
    robots: { allows: () => true },
    skipped: new Map(),
    reader: fileTypes(),
    max_depth: 3,
    max_redirects: 10,
    limit: 100,
    ...over,
  });

describe('a frontier', () => {
  it('counts addresses that are too deep, each once, up to a limit', () => {
    const frontier = frontierOf({ max_depth: 0, max_known: 50 });
    for (const path of ['a', 'a/', 'b', 'a']) frontier.add(`${site}/${path}`);
    expect(frontier.deeper).toBe(2);
    for (let i = 0; i < 60; i++) frontier.add(`${site}/${i}`);
    expect(frontier.deeper).toBe(50);
  });

  it('does not count an address as too deep that a sitemap names', () => {
    const frontier = frontierOf({ max_depth: 1 });
    frontier.deepen();
    frontier.add(`${site}/a`);
    expect(frontier.deeper).toBe(1);
    frontier.add(`${site}/a`, { isSameLevel: true });
    expect([frontier.deeper, frontier.next()?.url]).toEqual([0, `${site}/a`]);
  });

  it('does not request crawler traps, and protects them', () => {
    const skipped: FrontierOptions['skipped'] = new Map();
    const frontier = frontierOf({ skipped });
    frontier.add(`${site}/a/a/a/a/a`);
    frontier.add(`${site}/x?q=${'a'.repeat(3_000)}`);
    frontier.add(`${site}/x?q=${'a'.repeat(3_000)}`);
    frontier.deepen();
    expect([frontier.next(), skipped.get('trap')?.keys.size]).toEqual([undefined, 2]);
    expect(frontier.mayBeGone(`${site}/a/a/a/a/a`)).toBe(false);
  });

  it('protects addresses that are skipped by their extension', () => {
    const frontier = frontierOf();
    expect([frontier.isProtected(`${site}/photo.png`), frontier.isProtected(`${site}/photo`)]).toEqual([true, false]);
  });

  it('takes no address for gone that it has not queued', () => {
    const frontier = frontierOf();
    frontier.add(`${site}/a`);
    expect(['/a', '/b'].map((path) => frontier.mayBeGone(site + path))).toEqual([true, false]);
  });

  it('remembers addresses up to a limit', () => {
    const frontier = frontierOf({ limit: 100, max_known: 50 });
    for (let i = 0; i < 50; i++) frontier.add(`${site}/${i}`);
    expect(frontier.isOverflowing).toBe(false);
    frontier.add(`${site}/50`);
    expect([frontier.isOverflowing, frontier.queued, frontier.mayBeGone(`${site}/50`)]).toEqual([true, 50, false]);
  });
});
