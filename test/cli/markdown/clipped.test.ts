import { describe, expect, it } from 'vitest';
import { clipped } from '../../../src/cli/markdown/flow.ts';

describe('a text that is too long', () => {
  it('is cut before a character that does not fit, and says so', () => {
    expect(clipped('short', 5)).toBe('short');
    expect(clipped('too long', 5)).toBe('too…');
    expect(clipped('中文中文', 6)).toBe('中文…');
    expect(clipped('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…');
  });
});
