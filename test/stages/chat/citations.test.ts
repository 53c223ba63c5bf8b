import fc from 'fast-check';
import { expect, test } from 'vitest';
import { citationFilter } from '../../../src/stages/chat/citations.ts';

function filtered(pieces: readonly string[], count = 3) {
  const filter = citationFilter(count);
  const shown = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
  return { shown, cited: [...filter.cited].toSorted(), unknown: [...filter.unknown].toSorted(), declined: filter.declined };
}

test('citations of sources that are there stay as they are, and are known', () => {
  const text = 'The pump [2] and the boiler [1, 2], see [1-3].';
  expect(filtered([text])).toEqual({ shown: text, cited: [1, 2, 3], unknown: [], declined: false });
});

test.each([
  ['It is two years [1], says the law [9].', 'It is two years [1], says the law.', [1], [9]],
  ['Both [1, 9] say so.', 'Both [1] say so.', [1], [9]],
  ['So it is [1][9].', 'So it is [1].', [1], [9]],
  ['So it is [9][1].', 'So it is [1].', [1], [9]],
  ['The law [9] says so.', 'The law says so.', [], [9]],
  ['[9] The law says so.', 'The law says so.', [], [9]],
  ['First.\n\n[9] Second.', 'First.\n\nSecond.', [], [9]],
  ['Sources [2-5].', 'Sources [2, 3].', [2, 3], [4, 5]],
  ['It is so [0].', 'It is so.', [], [0]],
])('%s', (given, ...[shown, cited, unknown]) => {
  expect(filtered([given])).toEqual({ shown, cited, unknown, declined: false });
});

test.each([
  ['So it is 【1】 and【2】.', 'So it is [1] and[2].', [1, 2], []],
  ['So it is 【1†source】.', 'So it is [1].', [1], []],
  ['So it is 【9†lines 1-2】.', 'So it is.', [], [9]],
  ['So it is [^1][^9].', 'So it is [1].', [1], [9]],
  ['So it is ［2］.', 'So it is [2].', [2], []],
  ['So it is [1-3] [2–3].', 'So it is [1-3] [2–3].', [1, 2, 3], []],
])('other marks of a citation: %s', (given, shown, cited, unknown) => {
  expect(filtered([...given])).toEqual({ shown, cited, unknown, declined: false });
});

test('what only looks like a citation is text', () => {
  for (const text of [
    '- [ ] open',
    'a [link](x) and [see 9]',
    'see [9',
    'empty []',
    '[1.5] bar',
    '[3-1]',
    '【注意】',
    '[^note]',
    '【5 rules】',
  ]) {
    expect(filtered([text])).toEqual({ shown: text, cited: [], unknown: [], declined: false });
  }
});

test('brackets in code cite nothing, and code that never ends hides no later citation', () => {
  expect(filtered(['Use `argv[9]` here [1].\n\n```\nlist[7]\n```\nDone [2].'])).toMatchObject({
    shown: 'Use `argv[9]` here [1].\n\n```\nlist[7]\n```\nDone [2].',
    cited: [1, 2],
    unknown: [],
  });
  expect(filtered(['A stray ` sign.\n\nThen [2] and [9].'])).toMatchObject({
    shown: 'A stray ` sign.\n\nThen [2] and.',
    cited: [2],
    unknown: [9],
  });
});

test('an answer that begins with the number of no source declines', () => {
  expect(filtered(['[0] The sources do not say.'])).toEqual({ shown: 'The sources do not say.', cited: [], unknown: [], declined: true });
  expect(filtered(['\n [', '0', '] No.'])).toMatchObject({ shown: 'No.', declined: true });
});

test('blanks around the answer are dropped', () => {
  expect(filtered(['\n  Yes [1]. \n']).shown).toBe('Yes [1].');
});

test('a piece is shown as soon as it is clear that it stays', () => {
  const filter = citationFilter(2);
  expect(filter.push('The pump')).toBe('The pump');
  expect(filter.push(' is new [')).toBe(' is new');
  expect(filter.push('9')).toBe('');
  expect(filter.push('].')).toBe('.');
});

const scrap = fc.constantFrom(
  '[',
  ']',
  '1',
  '9',
  '0',
  ',',
  ' ',
  '\n',
  '`',
  '```',
  'word',
  '.',
  '-',
  '[1]',
  '[9]',
  '[1, 9]',
  '😀',
  '【',
  '】',
  '†',
  '^',
);

test('however an answer is cut into pieces, the same comes out', () => {
  const cut = fc.array(scrap, { maxLength: 40 }).chain((scraps) => {
    const text = scraps.join('');
    return fc.tuple(fc.constant(text), fc.array(fc.nat(text.length), { maxLength: 10 }));
  });
  fc.assert(
    fc.property(cut, ([text, places]) => {
      const ends = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = ends.slice(1).map((end, i) => text.slice(ends[i], end));
      expect(filtered(pieces)).toEqual(filtered([text]));
    }),
  );
});

test('no number that cites nothing is ever shown outside of code', () => {
  const harmless = fc.constantFrom('[1]', '[9]', '[4, 2]', 'word ', ' ', '\n', ', ', '[12]');
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 30 }), (scraps) => {
      const numbers = [...filtered(scraps).shown.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, list]) => list!.split(',').map(Number));
      expect(numbers.filter((number) => number > 3)).toEqual([]);
    }),
  );
});
