import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangedPaths, ChangeDebouncer } from '../../src/engine/pending-changes.ts';

it('changed paths cover all paths below them, and only the outermost are listed', () => {
  const changed = new ChangedPaths();
  for (const path of ['/docs/a', '/docs/a/b.md', '/docs/c.md']) changed.add(path);
  expect(['/docs/a/x/y.md', '/docs/c.md', '/docs/d.md', '/docs'].map((path) => changed.has(path))).toEqual([true, true, false, false]);
  expect(changed.outermost()).toEqual(['/docs/a', '/docs/c.md']);
});

it('many changes take bounded memory, and none is lost', () => {
  const changed = new ChangedPaths();
  const path = (i: number) => `/docs/${i % 300}/${i % 7}/draft-${i}.md`;
  let most = 0;
  for (let i = 0; i < 100_000; i++) {
    changed.add(path(i));
    most = Math.max(most, changed.size);
  }
  expect(most).toBeLessThanOrEqual(10_000);
  for (let i = 0; i < 100_000; i += 777) expect(changed.has(path(i))).toBe(true);
  expect(changed.has('/other/a.md')).toBe(false);
  const apart = new ChangedPaths();
  for (let i = 0; i < 50_000; i++) apart.add(`/docs/${i}/page.md`);
  expect([apart.size <= 10_000, apart.has('/docs/7/page.md'), apart.has('/docs/49999/page.md')]).toEqual([true, true, true]);
});

describe('the debouncer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reports changes after a second without one', () => {
    const settled = vi.fn<() => void>();
    const settling = new ChangeDebouncer(settled);
    settling.note();
    vi.advanceTimersByTime(900);
    settling.note();
    vi.advanceTimersByTime(999);
    expect([settled.mock.calls.length, settling.isWaiting]).toEqual([0, true]);
    vi.advanceTimersByTime(1);
    expect([settled.mock.calls.length, settling.isWaiting]).toEqual([1, false]);
  });

  it('reports continual changes every 30 seconds', () => {
    const times: number[] = [];
    const begin = Date.now();
    const settling = new ChangeDebouncer(() => {
      times.push(Date.now() - begin);
      settling.reset();
    });
    for (let passed = 0; passed < 75_000; passed += 500) {
      settling.note();
      vi.advanceTimersByTime(500);
    }
    expect(times).toEqual([30_000, 60_000]);
  });

  it('reports nothing after a reset', () => {
    const settled = vi.fn<() => void>();
    const settling = new ChangeDebouncer(settled);
    settling.note();
    settling.reset();
    vi.advanceTimersByTime(60_000);
    expect(settled).not.toHaveBeenCalled();
  });
});
