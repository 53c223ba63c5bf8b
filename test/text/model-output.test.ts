import { describe, expect, it, test } from 'vitest';
import { CITATIONS, numbersCited, reasoningFilter } from '../../src/text/model-output.ts';
import { array, assert, constantFrom, integer, property, string } from 'fast-check';

test('matches numbers in brackets as citations, but not escaped ones', () => {
  const lists = Array.from('A [1], B [2, 3]; C [2–4] \\[5\\] [x] [] x[6].'.matchAll(CITATIONS), ([, list]) => list);
  expect(lists).toEqual(['1', '2, 3', '2–4', '6']);
});

test.each([
  ['1', [1]],
  ['1, 3;2', [1, 3, 2]],
  [' 2 - 4 ', [2, 3, 4]],
  ['9', [9]],
  ['0', [0]],
  ['0, 1', undefined],
  ['0-3', undefined],
  ['1-50', undefined],
  ['2024', undefined],
  ['3-1', undefined],
  ['1,', undefined],
])('reads [%s] with three sources as %j', (list, numbers) => {
  expect(numbersCited(list, 3)).toEqual(numbers);
});

test('accepts a range up to twice the number of sources', () => {
  expect(numbersCited('1-40', 20)).toHaveLength(40);
  expect(numbersCited('1-41', 20)).toBeUndefined();
});

function filtered(pieces: readonly string[]): string {
  const filter = reasoningFilter();
  return pieces.map(filter).join('');
}

describe('reasoning', () => {
  it('is removed before the answer', () => {
    expect(filtered(['<think>Hm. 2 < 3?</think>\n\nIt is so.'])).toBe('It is so.');
    expect(filtered(['\n<think>', 'Hm.', '</think>', 'It ', 'is so.'])).toBe('It is so.');
  });

  it('leaves nothing if it never ends', () => {
    expect(filtered(['<think>', 'Hm. '.repeat(1000)])).toBe('');
  });

  it('is removed at the beginning only, since an answer may mention the marks', () => {
    for (const answer of ['It is so.', 'Write <think>a</think>.', '<thinker> is a tag.', '<b>So</b>', ' So.', ''])
      expect(filtered([answer])).toBe(answer);
  });

  it('is removed however the pieces are split', () => {
    const cut = (text: string, cuts: readonly number[]) => {
      const ends = [0, ...cuts.map((at) => at % (text.length + 1)), text.length].toSorted((a, b) => a - b);
      return ends.slice(1).map((end, i) => text.slice(ends[i], end));
    };
    const thought = string().filter((text) => !text.includes('</think>'));
    assert(
      property(constantFrom('', '\n'), thought, string(), array(integer({ min: 0, max: 200 })), (before, inner, answer, cuts) => {
        expect(filtered(cut(`${before}<think>${inner}</think>${answer}`, cuts)).trimStart()).toBe(answer.trimStart());
      }),
    );
  });
});
