import { expect, test } from 'vitest';
import { openLocalLlm } from '../../../../src/drivers/llms/local.ts';
import type { Embedder, GroundingSource } from '../../../../src/ports/models.ts';

/** Finds every text so near to every question. */
const at = (cosine: number): Embedder => ({
  provider: 'test',
  model: 'even',
  dimensions: 2,
  concurrency: 1,
  min_retrieval_score: 0,
  reads: () => 1,
  embed: async (texts, { input_type }) =>
    texts.map(() => (input_type === 'query' ? Float32Array.of(1, 0) : Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2)))),
  close: async () => {},
});

async function answerTo(query: string, sources: GroundingSource[], embedder?: Embedder): Promise<string> {
  let answer = '';
  for await (const piece of openLocalLlm({ embedder }).generate({
    messages: [],
    grounding: { query, sources },
    max_tokens: 1024,
    timeout: 60,
  }))
    answer += piece;
  return answer;
}
const source = (title: string, text: string, citation = 1): GroundingSource => ({ citation, title, text });

const parts = source(
  'Spare parts',
  `| Part | Description | Group | Price (EUR) | Replaces |
|---|---|---|---|---|
| P-11 | Water tank 1.8 l | Water | 34.00 | |
| P-12 | Water tank 2.5 l | Water | 39.50 | |
| P-14 | Tank valve with seal | Water | 7.40 | P-04 |
| P-15 | Drip tray | Base | 9.80 | |`,
);

test('the rows that have the wanted thing in a cell are quoted, not one that has its words apart and another of a column', async () => {
  const answer = await answerTo('What does a replacement water tank cost?', [parts]);
  expect(answer).toContain('P-11');
  expect(answer).toContain('P-12');
  expect(answer).not.toContain('P-14');
});

const data = `| | HP-40 | HP-60 |
|---|---|---|
| Refrigerant charge | 1.2 kg | 1.9 kg |
| Weight | 118 kg | 164 kg |
| Heating output | 8.2 kW | 12.4 kW |`;

test('who asks what a thing weighs is told its weight, and no price and no other mass', async () => {
  const price = 'The yearly inspection costs EUR 145 for the HP-40 and EUR 175 for the HP-60.';
  const answer = await answerTo('How much does the HP-60 weigh?', [source('Heat pumps', `${price}\n\n## Data\n\n${data}`)]);
  expect(answer).toBe('Weight; HP-40: 118 kg; HP-60: 164 kg [1]');
});

test('a pressure of something else is no answer where the right one is told', async () => {
  const settings = source(
    'Duo Plus manual › Settings',
    'Press the dial.\n\nSteam pressure (Duo, Duo Plus) 0.8 to 1.6 bar\n\nBrew temperature 86 to 98 °C',
  );
  const technical = source('Duo Plus manual › Technical data', 'Brew boiler 0.5 litres\n\nBrew pressure 9 bar 9 bar\n\nCord 1.2 m', 2);
  expect(await answerTo('What is the brew pressure of the Duo Plus?', [settings, technical], at(0.6))).toBe(
    'Brew pressure 9 bar 9 bar [2]',
  );
});

const loans = 'During a warranty repair a loan machine is free of charge. For a repair outside the warranty it costs EUR 4 a day.';

test('a price of something that only a pronoun names comes with what it is, and behind what is headed by the question', async () => {
  const question = 'What does a repair outside the warranty cost?';
  expect(await answerTo(question, [source('Terms › Loan machines', loans)])).toBe(`${loans} [1]`);
  const rates = source(
    'Terms › Repairs outside the warranty',
    '| Service | Price |\n|---|---|\n| Diagnosis | EUR 45 |\n| New boiler | EUR 199 |',
    2,
  );
  expect(await answerTo(question, [source('Terms › Loan machines', loans), rates])).toMatch(
    /^- Service: Diagnosis; Price: EUR 45\n- Service: New boiler/,
  );
});

test('what a pronoun says of the thing that is asked about answers', async () => {
  const hours = 'The hotline is open Monday to Friday from 8:00 to 18:00. In the heating season it is open on Saturday from 9:00 to 13:00.';
  expect(await answerTo('When is the hotline open on Saturday?', [source('Terms › Hotline', hours)])).toBe(`${hours} [1]`);
});

test('what holds outside of something is not told of what holds within', async () => {
  const sources = [
    source('Terms › Repairs outside the warranty', 'A paid repair has a warranty of its own of 12 months.'),
    source('Terms › Warranty', 'The machine has a warranty of 36 months.', 2),
  ];
  expect(await answerTo('How long is the warranty?', sources)).toBe('The machine has a warranty of 36 months. [2]');
});

test('a row is not quoted beside the sentence that tells its figure', async () => {
  const table =
    '| What | Private use | Commercial use |\n|---|---|---|\n| Boilers and elements | 60 months | 24 months |\n| Machine | 36 months | 12 months |';
  const told = 'The warranty on the boilers and elements is 60 months for private use.';
  expect(await answerTo('How long is the warranty on the boilers?', [source('Warranty periods', `${table}\n\n${told}`)])).toBe(
    `${told} [1]`,
  );
});

test('what only has the name of the thing does not answer what is asked about it', async () => {
  const sources = [
    source(
      'Heat pumps',
      `The HP-40 is a heat pump for small houses.\n\n${data}\n\n| Code | Meaning |\n|---|---|\n| F-117 | Defrosting failed |`,
    ),
  ];
  for (const question of [
    'Is the HP-40 waterproof?',
    'Does the HP-40 cool in summer?',
    'Is F-117 covered by the warranty?',
    'How many kilowatt hours does the HP-40 use per year?',
  ])
    expect(await answerTo(question, sources), question).toMatch(/^\[0\]/);
  expect(await answerTo('How do I get rid of F-117?', sources)).toContain('Defrosting failed');
  expect(await answerTo('Is the HP-40 a heat pump?', sources)).toContain('The HP-40 is a heat pump');
});

test('both of two questions are answered, and the one that is not is named', async () => {
  const sources = [
    source('Shop › How can I pay?', 'By card or by bank transfer.'),
    source('Shop › Delivery', 'Delivery takes three to five days.', 2),
  ];
  const both = await answerTo('How do I pay, and how long does delivery take?', sources);
  expect(both).toBe('By card or by bank transfer. [1]\n\nDelivery takes three to five days. [2]');
  const half = await answerTo('How long does delivery take, and who invented the telephone?', sources);
  expect(half).toBe('Delivery takes three to five days. [2]\n\nThe sources do not answer “who invented the telephone?”.');
});

test('a heading that is the question is answered by what stands below, though it is not near and shares no word with it', async () => {
  const faq = [source('Shop › How can I pay?', '### How can I pay?\n\nBy card or by bank transfer.')];
  expect(await answerTo('How do I pay?', faq, at(0.3))).toBe('By card or by bank transfer. [1]');
  for (const question of ['How do I pay in Norway?', 'Who pays the tax?'])
    expect(await answerTo(question, faq, at(0.3)), question).toMatch(/^\[0\]/);
});

test('the steps of what is asked are quoted all, with their numbers', async () => {
  const steps = '1. Remove the cartridge.\n2. Pour the solution into the tank.\n3. Choose Descale and press the dial.';
  const manual = source('Manual › Descaling', `Use our solution only.\n\n${steps}\n\nThe tank holds two litres.`);
  expect(await answerTo('How do I descale the machine?', [manual])).toContain(`${steps} [1]`);
  expect(await answerTo('What do I pour into the tank?', [manual])).not.toContain('Choose Descale');
});
