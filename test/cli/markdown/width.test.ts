import { describe, expect, it } from 'vitest';
import { clipped, width } from '../../../src/cli/markdown/flow.ts';

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['plain text', 10],
    ['Täßchen', 7],
    ['é', 1],
    ['中文', 4],
    ['日本語のテキスト', 16],
    ['한국어', 6],
    ['\u1112\u1161\u11ab', 2],
    ['ﾃｷｽﾄ', 4],
    ['ＡＢ', 4],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['🇳🇴', 2],
    ['❤️', 2],
    ['✓', 1],
    ['क्ष', 2],
    ['a\u200bb', 2],
  ])('%s takes %d columns', (text, columns) => {
    expect(width(text)).toBe(columns);
  });
});

describe('a text that is too long', () => {
  it('is cut before a character that does not fit, and says so', () => {
    expect(clipped('short', 5)).toBe('short');
    expect(clipped('too long', 5)).toBe('too…');
    expect(clipped('中文中文', 6)).toBe('中文…');
    expect(clipped('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…');
  });
});
