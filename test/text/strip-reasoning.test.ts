import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasoningFilter } from '../../src/text/strip-reasoning.ts';

function filtered(pieces: readonly string[]): string {
  const filter = reasoningFilter();
  return pieces.map(filter).join('');
}

describe('thoughts', () => {
  it('before the answer are taken out', () => {
    expect(filtered(['<think>Hm. 2 < 3?</think>\n\nIt is so.'])).toBe('It is so.');
    expect(filtered(['\n<think>', 'Hm.', '</think>', 'It ', 'is so.'])).toBe('It is so.');
  });

  it('that never end leave nothing', () => {
    expect(filtered(['<think>', 'Hm. '.repeat(1000)])).toBe('');
  });

  it('are what stands at the begin alone: an answer may speak of the mark', () => {
    for (const answer of ['It is so.', 'Write <think>a</think>.', '<thinker> is a tag.', '<b>So</b>', ' So.', ''])
      expect(filtered([answer])).toBe(answer);
  });

  it('are taken out wherever the pieces are cut', () => {
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
