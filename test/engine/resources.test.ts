import { describe, expect, it } from 'vitest';
import { withKnownWindow, createResourceCache } from '../../src/engine/resources.ts';
import { DEFAULTS } from '../../src/schema/config.ts';

describe('the context window of a language model', () => {
  const windowOf = (settings: object) => withKnownWindow({ ...DEFAULTS.chat.llm, ...settings }).context_window;

  it('is the configured one, else that of the provider', () => {
    expect(windowOf({ provider: 'openai', context_window: 2000 })).toBe(2000);
    expect(windowOf({ provider: 'openai', max_tokens: 1000 })).toBe(128_000);
    expect(windowOf({ provider: 'ollama', max_tokens: 5000 })).toBe(10_000);
  });

  it('is unknown for a model that only the user knows, and unlimited without a model', () => {
    expect(windowOf({ provider: 'openai_compatible' })).toBeUndefined();
    expect(windowOf({ provider: 'one of my own' })).toBeUndefined();
    expect(windowOf({})).toBe(Infinity);
  });
});

/** A thing that can be opened, and tells how often it was and whether it was closed. */
function opener() {
  const said = { opened: 0, closed: 0 };
  return { said, open: async () => ({ number: ++said.opened, close: async () => void said.closed++ }) };
}

it('a resource is opened once for all callers, also concurrent ones', async () => {
  const shelf = createResourceCache();
  const { said, open } = opener();
  const [one, two] = await Promise.all([shelf.get(['a'], open), shelf.get(['a'], open)]);
  expect([one === two, said.opened]).toEqual([true, 1]);
});

it('the least recently used resource is evicted, and closed at the end', async () => {
  const shelf = createResourceCache(2);
  const [a, b, c] = [opener(), opener(), opener()];
  const held = await shelf.get(['a'], a.open);
  await shelf.get(['b'], b.open);
  await shelf.get(['a'], a.open);
  await shelf.get(['c'], c.open); // b goes
  await shelf.get(['a'], a.open);
  expect([a.said.opened, b.said.closed]).toEqual([1, 0]);
  await shelf.get(['b'], b.open); // it is opened anew, and c goes
  expect(b.said.opened).toBe(2);
  await shelf.clear();
  expect([held.number, a.said.closed, b.said.closed, c.said.closed]).toEqual([1, 1, 2, 1]);
});

it('a resource is opened again after a failure', async () => {
  const shelf = createResourceCache();
  await expect(shelf.get(['a'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await shelf.get(['a'], async () => ({ ok: true }))).toEqual({ ok: true });
});
