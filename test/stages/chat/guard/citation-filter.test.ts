import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CitationFilter } from '../../../../src/stages/chat/guard/citation-filter.ts';

function filtered(pieces: readonly string[], count = 3) {
  const filter = new CitationFilter(count);
  const shown = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
  return {
    shown,
    cited: [...filter.cited].toSorted(),
    unknown: [...filter.unknown].toSorted(),
    declined: filter.beganDeclining || filter.declines === 'all',
  };
}

test('keeps and records citations of known sources', () => {
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
])('removes citations of unknown sources: %s', (given, ...[shown, cited, unknown]) => {
  expect(filtered([given])).toEqual({ shown, cited, unknown, declined: false });
});

test.each([
  ['So it is 【1】 and【2】.', 'So it is [1] and[2].', [1, 2], []],
  ['So it is 【1†source】.', 'So it is [1].', [1], []],
  ['So it is 【9†lines 1-2】.', 'So it is.', [], [9]],
  ['So it is [^1][^9].', 'So it is [1].', [1], [9]],
  ['So it is ［2］.', 'So it is [2].', [2], []],
  ['So it is [1-3] [2–3].', 'So it is [1-3] [2–3].', [1, 2, 3], []],
])('reads other notations of a citation: %s', (given, shown, cited, unknown) => {
  expect(filtered([...given])).toEqual({ shown, cited, unknown, declined: false });
});

test('keeps text that only looks like a citation', () => {
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

test.each([
  'Use `argv[9]` here [1].\n\n```\nlist[7]\n```\nDone [2].',
  'Use ``a`[9]`` and ```b[9]``` here [1][2].',
  '~~~ts\nlist[7]\n\n``` [8]\n~~~\nDone [1, 2].',
  '```\nx = ```\nlist[7]\n```\nDone [1, 2].',
  '- ```js\n  list[7]\n  ```\nDone [1, 2].',
  'So [1] and [2]:\n```\nlist[7] never ends\n\n[9]',
])('does not read brackets in code as citations: %j', (given) => {
  for (const pieces of [[given], [...given]])
    expect(filtered(pieces)).toEqual({ shown: given, cited: [1, 2], unknown: [], declined: false });
});

test.each([
  ['A stray ` sign.\n\nThen [2] and [9].', 'A stray ` sign.\n\nThen [2] and.'],
  ['Press the ` key. It is five years [2] and cheese [9].', 'Press the ` key. It is five years [2] and cheese.'],
  ["The ``golden rule'' says so [2][9].", "The ``golden rule'' says so [2]."],
  ['Press \\` [2] or ` [9].', 'Press \\` [2] or `.'],
  ['Not a fence: ``` [2] and [9].', 'Not a fence: ``` [2] and.'],
  [
    `A stray \` sign ${'very '.repeat(120)} far [2] and [9] from the next \`.`,
    `A stray \` sign ${'very '.repeat(120)} far [2] and from the next \`.`,
  ],
])('reads citations in code that never ends: %j', (given, shown) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toEqual({ shown, cited: [2], unknown: [9], declined: false });
});

test('shows inline code once it is complete', () => {
  const filter = new CitationFilter(2);
  expect(filter.push('Use `argv[9')).toBe('Use');
  expect(filter.push(']` now')).toBe(' `argv[9]` now');
});

test.each([
  ['[0] The sources do not say.', 'The sources do not say.'],
  ['\n [0] No.', 'No.'],
  ['**[0]** No price is told.', 'No price is told.'],
  ['_**[0]**_ No price is told.', 'No price is told.'],
  ['**[0] No price is told.**', '**No price is told.**'],
  ['`[0]` No price is told.', 'No price is told.'],
  ['The price is not given. [0]', 'The price is not given.'],
  ['Answer: [0] There is no price.', 'Answer: There is no price.'],
  ['Nothing is told about a price **[0]**.', 'Nothing is told about a price.'],
  ['来源没有提到价格[0]。', '来源没有提到价格。'],
])('declines an answer that cites only the no-answer marker: %j', (given, shown) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toEqual({ shown, cited: [], unknown: [], declined: true });
});

test.each([
  '`[0]` gives the first element of the vector [1].',
  '`[0]`, not `[1]`, is the first [1].',
  'The first is `x` or dict["x"][0], rows()[0] and row[i][0] [1].',
])('does not read an index as a citation: %j', (given) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toEqual({ shown: given, cited: [1], unknown: [], declined: false });
});

test('declines an answer that consists of the marker in code', () => {
  for (const given of ['`[0]`', '`[0]`\n', '`[0]`\n\nThe sources do not say.'])
    for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toMatchObject({ cited: [], declined: true });
});

test('the no-answer marker beside citations declines a part', () => {
  const filter = new CitationFilter(3);
  expect(filter.push('It is heavy [1]. The price is not told [0].')).toBe('It is heavy [1]. The price is not told.');
  expect([filter.declines, filter.beganDeclining, [...filter.unknown]]).toEqual(['part', false, []]);
});

test.each([
  'Values lie in the range [0, 1] or [0-5].',
  'Rows [1-50] are listed, and it grew in [2024] and [1900-1950].',
  'The first is x[0].',
  'The interval \\[0, 1\\] and the key \\` are meant.',
])('keeps numbers in brackets that cannot be sources: %s', (given) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toEqual({ shown: given, cited: [], unknown: [], declined: false });
});

test.each([
  ['The index a[42] says so.', 'The index a says so.', [42]],
  ['Pages [2-9] tell.', 'Pages [2, 3] tell.', [4, 5, 6, 7, 8, 9]],
  ['So **[9]** it is, *[8] truly*.', 'So it is, *truly*.', [9, 8]],
])('removes numbers that may be meant as sources but are unknown: %s', (given, shown, unknown) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces)).toMatchObject({ shown, unknown: unknown.toSorted() });
});

test('trims the answer', () => {
  expect(filtered(['\n  Yes [1]. \n']).shown).toBe('Yes [1].');
});

test('shows a piece as soon as it is certain to stay', () => {
  const filter = new CitationFilter(2);
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
  '*',
  '_',
  '\\',
  '~~~',
  '``',
  '[0]',
  '\n\n',
);

test('gives the same output however the answer is split', () => {
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

test('never shows the number of an unknown source outside of code', () => {
  const harmless = fc.constantFrom('[1]', '[9]', '[4, 2]', 'word ', ' ', '\n', ', ', '[12]');
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 30 }), (scraps) => {
      const numbers = [...filtered(scraps).shown.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, list]) => list!.split(',').map(Number));
      expect(numbers.filter((number) => number > 3)).toEqual([]);
    }),
  );
});
