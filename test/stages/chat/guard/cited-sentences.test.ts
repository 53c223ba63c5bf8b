import { expect, test } from 'vitest';
import { CitedSentences, hasWords } from '../../../../src/stages/chat/guard/cited-sentences.ts';
import { createSupport } from '../../../../src/stages/chat/guard/support.ts';

const sources = [
  { citation: 1, title: 'Fares', text: 'A day ticket costs 34 francs. It is valid until the last cabin. Which day? Today.' },
  { citation: 2, title: 'Dogs', text: 'Dogs cost 5 francs, e.g. on the ropeway. They wear a muzzle. Use `kb run. all` for cats.' },
];

/** What is shown of an answer that comes in pieces of this length. */
async function shown(answer: string, length = answer.length) {
  const cited = new Set<number>();
  const sentences = new CitedSentences({ cited, count: 2, support: createSupport(sources) });
  const pieces: string[] = [];
  for (let at = 0; at < answer.length; at += length) pieces.push(await sentences.push(answer.slice(at, at + length)));
  pieces.push(await sentences.push('', true));
  return { text: pieces.join(''), pieces, cited: [...cited].toSorted(), ...sentences };
}

test.each([
  ['A day ticket costs 34 francs. Dogs cost 5 francs.', 'A day ticket costs 34 francs [1]. Dogs cost 5 francs [2].'],
  ['A day ticket costs 34 francs [1]. Dogs cost 5 francs!', 'A day ticket costs 34 francs [1]. Dogs cost 5 francs [2]!'],
  ['A day ticket costs 34 francs. [1] Dogs cost 5 francs. [2]', 'A day ticket costs 34 francs. [1] Dogs cost 5 francs. [2]'],
  ['- A day ticket costs 34 francs\n- Dogs cost 5 francs\n', '- A day ticket costs 34 francs [1]\n- Dogs cost 5 francs [2]'],
  ['1. Dogs cost 5 francs\n2. A day ticket costs 34 francs.', '1. Dogs cost 5 francs [2]\n2. A day ticket costs 34 francs [1].'],
  ['**Dogs cost 5 francs.** They wear a muzzle.', '**Dogs cost 5 francs.** [2] They wear a muzzle [2].'],
  ['Dogs cost 5 francs, e.g. on the ropeway.', 'Dogs cost 5 francs, e.g. on the ropeway [2].'],
  ['For cats use `kb run. all`.', 'For cats use `kb run. all` [2].'],
  [
    'Which day ticket costs 34 francs? A day ticket costs 34 francs.',
    'Which day ticket costs 34 francs? A day ticket costs 34 francs [1].',
  ],
  ['# Fares of a day ticket\n\nThe fares of a day ticket:', '# Fares of a day ticket\n\nThe fares of a day ticket:'],
  ['| Dogs cost | 5 francs |\n|---|---|', '| Dogs cost | 5 francs |\n|---|---|'],
  ['```\nDogs cost 5 francs.\n```\nDogs wear a muzzle.', '```\nDogs cost 5 francs.\n```\nDogs wear a muzzle [2].'],
  ['The sources do not say what a day ticket costs.', 'The sources do not say what a day ticket costs.'],
  ['Yes. Dogs cost 5 francs.', 'Yes. Dogs cost 5 francs [2].'],
  ['Season cards cost 777 francs.', 'Season cards cost 777 francs.'],
  ['**[1]**.', ''],
  ['…', ''],
])('reads %j as %j, in whatever pieces it comes', async (answer, text) => {
  for (const length of [1, 2, 3, 7, answer.length]) expect((await shown(answer, length)).text).toBe(text);
});

test('shows words as they come, and holds back only the end of a sentence', async () => {
  const { pieces } = await shown('Dogs cost 5 francs. They wear', 5);
  expect(pieces.slice(0, 3)).toEqual(['Dogs', ' cost', ' 5 fra']);
});

test('lists what no source supports, and counts what they do', async () => {
  const told = await shown('A day ticket costs 34 francs. Season cards cost 777 francs. Dogs cost 5 francs [1].');
  expect(told).toMatchObject({
    supported: 1,
    unsupported: [
      { sentence: 'Season cards cost 777 francs.', citations: [] },
      { sentence: 'Dogs cost 5 francs [1].', citations: [1] },
    ],
    cited: [1],
  });
});

test('stops at the third time that a sentence is said, and not for lines of code or with other figures', async () => {
  for (const length of [1, 9, 999]) {
    const { text, isRepeating } = await shown(`Dogs cost 5 francs. ${'They wear a muzzle. '.repeat(9)}`, length);
    expect([text, isRepeating]).toEqual(['Dogs cost 5 francs [2]. They wear a muzzle [2]. They wear a muzzle [2].', true]);
  }
  const list = Array.from({ length: 9 }, (_, i) => `- Cabin ${i} leaves the valley`).join('\n');
  const code = `\`\`\`\n${'return undefined;\n'.repeat(5)}\`\`\``;
  for (const text of [list, code]) expect(await shown(text)).toMatchObject({ text, isRepeating: false });
});

test.each([
  ['[1] [2, 3].', false],
  ['**[1', false],
  ['34', true],
  ['ja [1]', true],
])('whether %j has words: %j', (text, has) => expect(hasWords(text)).toBe(has));
