import { describe, expect, it } from 'vitest';
import { withKnownWindow } from '../../src/engine/driver-table.ts';
import { DEFAULTS } from '../../src/schema/config.ts';

describe('the window of a language model', () => {
  const windowOf = (settings: object) => withKnownWindow({ ...DEFAULTS.chat.llm, ...settings }).context_window;

  it("is what is configured, else what the provider's row says", () => {
    expect(windowOf({ provider: 'openai', context_window: 2000 })).toBe(2000);
    expect(windowOf({ provider: 'openai', max_tokens: 1000 })).toBe(128_000);
    expect(windowOf({ provider: 'ollama', max_tokens: 5000 })).toBe(10_000);
  });

  it('is unknown where only the user can know, and without end where no model is asked', () => {
    expect(windowOf({ provider: 'openai_compatible' })).toBeUndefined();
    expect(windowOf({ provider: 'one of my own' })).toBeUndefined();
    expect(windowOf({})).toBe(Infinity);
  });
});
