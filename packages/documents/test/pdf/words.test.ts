import { describe, expect, it } from 'vitest';
import { createWordMender } from '../../src/pdf/words.ts';

const page = (...texts: string[]) => texts.map((text) => ({ text, x: 0, right: 100, y: 0, size: 10, cells: [], runs: [] }));

describe('a word broken over two lines', () => {
  const mend = createWordMender([page('The two-way valve of the user is de-', 'scribed here: high pressure, a password, a level.')]);

  it('is joined', () => {
    expect(mend('It needs mainte-', 'nance soon')).toBe('It needs maintenance soon');
    expect(mend('her pass-', 'word')).toBe('her password');
    expect(mend('soft\u00ad', 'ware')).toBe('software');
  });

  it('keeps a hyphen that belongs to it', () => {
    expect(mend('a two-', 'way valve')).toBe('a two-way valve');
    expect(mend('the high-', 'level')).toBe('the high-level');
    expect(mend('under COVID-', '19')).toBe('under COVID-19');
  });

  it('keeps each hyphen if the document does not hyphenate', () => {
    const plain = createWordMender([
      page(...Array<string>(99).fill('The pump is checked.'), 'The writer takes care of self-', 'publishing.'),
    ]);
    expect(plain('by self-', 'reliance')).toBe('by self-reliance');
  });

  it('is not assumed after a dash or before a symbol', () => {
    expect(mend('the tank -', 'which leaks')).toBeUndefined();
    expect(mend('the tank-', '(which leaks)')).toBeUndefined();
  });
});
