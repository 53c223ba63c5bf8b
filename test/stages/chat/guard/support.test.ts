import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Embedder, GroundingSource } from '../../../../src/ports/models.ts';
import { DEFAULTS } from '../../../../src/schema/config.ts';
import { chunkDocument } from '../../../../src/stages/chunk/chunk.ts';
import { CitedSentences } from '../../../../src/stages/chat/guard/cited-sentences.ts';
import { createSupport } from '../../../../src/stages/chat/guard/support.ts';

/** An embedder for which texts about the boiler mean the same. */
const meaningEmbedder: Embedder = {
  provider: 'test',
  model: 'meaning',
  dimensions: 2,
  concurrency: 1,
  min_retrieval_score: 0.5,
  embed: async (texts) => texts.map((text) => new Float32Array(/boiler/i.test(text) ? [1, 0] : [0, 1])),
  close: async () => {},
};

async function findUnsupported(answer: string, sources: readonly GroundingSource[]) {
  const sentences = new CitedSentences({ cited: new Set(), count: sources.length, support: createSupport(sources) });
  await sentences.push(answer, true);
  return sentences.unsupported;
}

const sources: GroundingSource[] = [
  {
    citation: 1,
    title: 'Warranty',
    text: 'Every Juniper One has a warranty of 24 months from the date of purchase. The warranty covers the pump, the boiler and the electronics.',
  },
  {
    citation: 2,
    title: 'Shipping',
    text: 'Delivery to Norway takes 6 to 9 working days. Shipping is free from 1,000 euros. A subscription can be paused for three months.',
  },
];

test.each([
  'The warranty lasts 24 months from the purchase [1].',
  'The warranty covers the pump, the boiler, and the electronics. [1]',
  'Deliveries to Norway take 6–9 working days [2].',
  'Shipping is free from 1000 euros [2].',
  'A subscription can be paused for 3 months [2].',
  'The Juniper One is warranted for 24 months [1], and shipping to Norway takes 6 to 9 days [2].',
  'The pump is covered, and shipping takes 9 days [1, 2].',
  '1. The pump is covered [1].\n2. The boiler is covered [1].',
  'Shipping is free from 1,000 euros.',
  'Yes [1].',
])('accepts a supported statement: %s', async (answer) => {
  expect(await findUnsupported(answer, sources)).toEqual([]);
});

test.each([
  ['The warranty lasts 36 months [1].', [1]],
  ['Limescale damage of elephants is reimbursed generously [1].', [1]],
  ['The warranty lasts 24 months [2].', [2]],
  ['Delivery to Norway takes 6 to 9 working days. [1]', [1]],
  ['Bananas ripen quickly [1-2].', [1, 2]],
  ['Bananas ripen quickly [1][2].', [1, 2]],
  ['Bananas ripen quickly.', []],
  ['```\nvoid unknown words 77\n```', []],
  ['It is covered with `pump --free` for 24 months.', []],
])('reports an unsupported statement: %s', async (sentence, citations) => {
  expect(await findUnsupported(`The pump is covered [1]. ${sentence}`, sources)).toEqual([{ sentence, citations }]);
});

const figures = async (source: string, answer: string) =>
  (await findUnsupported(answer, [{ citation: 1, title: 'Warranty of the pump', text: source }])).length === 0;

test.each([
  ['25 years, since 1950', 'The warranty of the pump lasts 5 years [1].'],
  ['25 years, since 1950', 'The warranty of the pump is from 195 [1].'],
  ['35 bar', 'The pump has 3.5 bar [1].'],
  ['3.5 bar', 'The pump has 35 bar [1].'],
  ['3.5 bar', 'The pump has 5 bar [1].'],
  ['1.5 bar', 'The pump has 1.05 bar [1].'],
  ['Version 3.5.1', 'The pump has version 5 [1].'],
  ['Version 3.5.1', 'The pump has version 351 [1].'],
  ['10 000 euros', 'The pump costs 1000 euros [1].'],
  ['1,000 euros', 'The pump costs 1 euro [1].'],
  ['0.125 bar', 'The pump has 125 bar [1].'],
  ['24 months', 'The warranty of the pump lasts twenty five months [1].'],
  ['2-year terms', 'The pump has a three-year term [1].'],
  ['five years', 'The warranty of the pump lasts seven years [1].'],
  ['15 years', 'The warranty of the pump lasts fourteen years [1].'],
  ['twenty-one bar', 'The pump has twenty bar [1].'],
  ['a two-year term', 'The pump has a three-year term [1].'],
  ['from 0 to 1', 'The warranty of the pump is [0, 2] [1].'],
])('compares whole figures: «%s» does not support «%s»', async (source, answer) => {
  expect(await figures(`The warranty of the pump: ${source}.`, answer)).toBe(false);
});

test.each([
  ['3,5 bar', 'The pump has 3.5 bar [1].'],
  ['3.50 bar', 'The pump has 3.5 bar [1].'],
  ['24.0 bar', 'The pump has 24 bar [1].'],
  ['100 bar', 'The pump has 100.0 bar [1].'],
  ['10.000 euros', 'The pump costs 10,000 euros [1].'],
  ['10 000 euros', 'The pump costs 10,000 euros [1].'],
  ['10,000 euros', 'The pump costs 10 000 euros [1].'],
  ["1'000'000.50 euros", 'The pump costs 1,000,000.5 euros [1].'],
  ['5 100 ml bottles', 'The pump fills 5 bottles of 100 ml [1].'],
  ['12.05.2024', 'The pump was sold in 2024 [1].'],
  ['ports 1,2,3', 'The pump has port 2 [1].'],
  ['08:00', 'The pump starts at 8 [1].'],
  ['Model X200', 'The pump is the X200 [1].'],
  ['Version 3.5.1', 'The pump has version 3.5.1 [1].'],
  ['fifteen years', 'The pump lasts 15 years [1].'],
  ['21 years', 'The pump lasts twenty-one years [1].'],
  ['a two-year term', 'The pump has a term of 2 years [1].'],
  ['no number', 'The pump is one of them [1].'],
  ['card, cash or transfer', 'The pump can be paid in three ways: card, cash and transfer [1].'],
  ['a pair of valves', 'The pump has two valves [1].'],
  ['200 euros', 'The pump costs two hundred euros [1].'],
  ['3,000,000 euros', 'The pump costs three million euros [1].'],
  ['24 months', 'The warranty of the pump lasts twenty four months [1].'],
  ['a stop at 5:50', 'The pump has a stop at ten to six [1].'],
  ['from 0 to 1', 'The warranty of the pump is [0, 1] [1].'],
])('accepts a figure in another notation: «%s» supports «%s»', async (source, answer) => {
  expect(await figures(`The warranty of the pump: ${source}.`, answer)).toBe(true);
});

test('reads a German sentence with an ordinal as one', async () => {
  const german = [{ citation: 1, title: 'Satzung', text: 'Die Kündigung muss bis zum 30. September eingehen.' }];
  expect(await findUnsupported('Die Kündigung muss bis zum 30. September eingehen [1].', german)).toEqual([]);
  const sentence = 'Die Kündigung muss bis zum 15. September eingehen [1].';
  expect(await findUnsupported(sentence, german)).toEqual([{ sentence, citations: [1] }]);
});

test('compares written numbers in German as well', async () => {
  const german = [{ citation: 1, title: 'Garantie', text: 'Die Garantie auf die Pumpe gilt für zwei Jahre und für den Akku 21 Monate.' }];
  expect(
    await findUnsupported('Die Garantie auf die Pumpe gilt für 2 Jahre [1]. Für den Akku gilt sie einundzwanzig Monate [1].', german),
  ).toEqual([]);
  expect(await findUnsupported('Die Garantie auf die Pumpe gilt für drei Jahre [1].', german)).toHaveLength(1);
});

test('checks each sentence by itself, in order', async () => {
  const answer = 'The warranty lasts 30 months [1]. It covers the pump [1]. Delivery takes 77 days [2].';
  expect((await findUnsupported(answer, sources)).map(({ citations }) => citations)).toEqual([[1], [2]]);
});

test('supports sentences of the example manuals by their own passage, and hardly any by another one', async () => {
  const chunks = ['troubleshooting.md', 'firmware-release-notes.txt'].flatMap((name) => {
    const text = readFileSync(new URL(`../../../../examples/manuals/${name}`, import.meta.url), 'utf8');
    return chunkDocument({ id: name, source: name, title: name, text, metadata: {} }, DEFAULTS.chunking);
  });
  const statements = chunks.flatMap(({ text }, i) =>
    (text.match(/\b[A-Z][a-z][^.|\n#]{40,}(?=\.)/g) ?? []).map((sentence) => ({ sentence, i })),
  );
  expect(statements.length).toBeGreaterThan(40);
  const flagged = async (shift: number) => {
    let count = 0;
    for (const { sentence, i } of statements) {
      const { text } = chunks[(i + shift) % chunks.length]!;
      count += (await findUnsupported(`${sentence} [1].`, [{ citation: 1, title: '', text }])).length > 0 ? 1 : 0;
    }
    return count;
  };
  expect(await flagged(0)).toBe(0);
  expect((await flagged(Math.floor(chunks.length / 2))) / statements.length).toBeGreaterThan(0.9);
});

test('names the source that supports a sentence best, by the words of one of its sentences', async () => {
  const support = createSupport(sources);
  expect(await support('Shipping is free from 1,000 euros.', [])).toEqual({ isSupported: true, best: 2 });
  expect(await support('Yes.', [])).toEqual({ isSupported: undefined });
  const [alike, spread] = [
    { citation: 2, title: 'Pump', text: 'It rests at night. It is blue. It is loud. It is old. Oil the valve.' },
    { citation: 1, title: 'Valve', text: 'Oil the valve of the pump at night.' },
  ];
  expect(await createSupport([alike!, spread!])('The valve of the pump is oiled at night.', [])).toEqual({ isSupported: true, best: 1 });
});

test('accepts other words for the same by the embedder, never another number', async () => {
  const embedder = { ...meaningEmbedder, coverage: () => 1 };
  const meant = createSupport(sources, { embedder });
  expect(await meant('Boiler faults are mended gratis.', [])).toEqual({ isSupported: true, best: 1 });
  expect(await meant('Boiler faults are mended gratis for 36 months.', [])).toEqual({ isSupported: false });
  expect(await createSupport(sources)('Boiler faults are mended gratis.', [])).toEqual({ isSupported: false });
  const broken = { ...embedder, embed: async () => Promise.reject(new Error('It is away.')) };
  expect(await createSupport(sources, { embedder: broken })('Boiler faults are mended gratis.', [])).toEqual({ isSupported: false });
});
