import { describe, expect, it } from 'vitest';
import { fileTypes } from '../../../../../src/drivers/parsers/file-types.ts';
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

describe('what a crawl has found', () => {
  it('that lies too deep is counted, each address once, and up to a bound', () => {
    const frontier = frontierOf({ max_depth: 0, max_known: 50 });
    for (const path of ['a', 'a/', 'b', 'a']) frontier.add(`${site}/${path}`);
    expect(frontier.deeper).toBe(2);
    for (let i = 0; i < 60; i++) frontier.add(`${site}/${i}`);
    expect(frontier.deeper).toBe(50);
  });

  it('is not too deep where a sitemap names it after all', () => {
    const frontier = frontierOf({ max_depth: 1 });
    frontier.deepen();
    frontier.add(`${site}/a`);
    expect(frontier.deeper).toBe(1);
    frontier.add(`${site}/a`, { isSameLevel: true });
    expect([frontier.deeper, frontier.next()?.url]).toEqual([0, `${site}/a`]);
  });

  it('and is of the kind that sites make without end is not asked for, and not gone', () => {
    const frontier = frontierOf();
    frontier.add(`${site}/a/a/a/a/a`);
    frontier.add(`${site}/x?q=${'a'.repeat(3_000)}`);
    frontier.add(`${site}/x?q=${'a'.repeat(3_000)}`);
    frontier.deepen();
    expect([frontier.next(), frontier.traps]).toEqual([undefined, 2]);
    expect(frontier.isProtected(`${site}/a/a/a/a/a`)).toBe(true);
  });

  it('and is left out by its name is not gone', () => {
    const frontier = frontierOf();
    expect([frontier.isProtected(`${site}/photo.png`), frontier.isProtected(`${site}/photo`)]).toEqual([true, false]);
  });

  it('is kept apart up to a bound, and nothing is gone beyond it', () => {
    const frontier = frontierOf({ limit: 100, max_known: 50 });
    for (let i = 0; i < 50; i++) frontier.add(`${site}/${i}`);
    expect([frontier.isOverflowing, frontier.isProtected(`${site}/x`)]).toEqual([false, false]);
    frontier.add(`${site}/50`);
    expect([frontier.isOverflowing, frontier.queued, frontier.isProtected(`${site}/x`)]).toEqual([true, 50, true]);
  });
});
