import { expect, test } from 'vitest';
import { answering, sourcesOf } from './answering.ts';

const peaks: [string, number, number][] = [
  ['Arnfjell', 1200, 1888],
  ['Brattind', 1540, 1901],
  ['Cairnhorn', 990, 1870],
  ['Dovretop', 1710, 1923],
  ['Eldkam', 1105, 1899],
  ['Fossnut', 1330, 1912],
];
const tableOf = (rows: readonly (readonly (string | number)[])[]) =>
  ['| Mountain | Height in m | First climbed |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
const mountains = sourcesOf(['Mountains of Varland', tableOf(peaks)]);
const sold = 'Anna sold 40,Bo sold 55,Carl sold 12,Dina sold 71,Emil sold 33'.split(',');
const team = sourcesOf(['Sales team of Varland', sold.map((line) => `- ${line} boats in 2024.`).join('\n')]);

test('where one of many rows is asked for by what it is beside the others, all of them are quoted', async () => {
  for (const question of [
    'Which mountain is the highest?',
    'What is the highest mountain of Varland?',
    'Which mountain was climbed first?',
  ]) {
    const { answer, unsure } = await answering(question, mountains);
    for (const [name] of peaks) expect(answer, question).toContain(name);
    expect(unsure).toBe(false);
  }
});

test('the fastest of all may be in a row that has fewer words of the question than others', async () => {
  const boats =
    '| Name | Kind | Knots |\n|---|---|---|\n| Skua | wharf boat | 24 |\n| Fulmar | wharf boat | 29 |\n| Tern | ketch | 31 |\n| Gannet | ketch | 22 |';
  const fleet = sourcesOf(['Fleet', boats]);
  expect((await answering('Which boat is the fastest?', fleet)).answer).toContain('Tern');
  expect((await answering('Which is a wharf boat?', fleet)).answer).not.toContain('Tern');
});

test('who asks which there are is told all rows and items, not the first three', async () => {
  const rows = await answering('Which mountains of Varland are there?', mountains);
  for (const [name] of peaks) expect(rows.answer).toContain(name);
  for (const question of ['Who sold boats in 2024?', 'Who sold the most boats in 2024?'])
    expect((await answering(question, team)).answer, question).toBe(`${sold.map((line) => `- ${line} boats in 2024.`).join('\n')} [1]`);
});

test('a row or an item that the question names stands alone', async () => {
  expect((await answering('How many boats did Dina sell in 2024?', team)).answer).toBe('Dina sold 71 boats in 2024. [1]');
  const one = await answering('When was the mountain Brattind climbed first?', mountains);
  expect(one.answer).toContain('Brattind');
});

test('of a table that is too long to be quoted whole a part is, and doubted', async () => {
  const many = Array.from({ length: 30 }, (_, i) => [`Peak ${'ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜÅ'[i]}`, 900 + i, 1850 + i]);
  const { answer, unsure } = await answering('Which mountains of Varland are there?', sourcesOf(['Mountains of Varland', tableOf(many)]));
  expect(answer.match(/^- /gm)).toHaveLength(10);
  expect(unsure).toBe(true);
});

test('a price in a column that names no currency is a price', async () => {
  const boats = sourcesOf([
    'Boats',
    '| model | engine | price_eur |\n|---|---|---|\n| Skua 27 | D4 | 91500 |\n| Fulmar 38 | 6LF | 249000 |',
  ]);
  const { answer, unsure } = await answering('How much does the Skua 27 cost?', boats);
  expect(answer).toBe('model: Skua 27; engine: D4; price_eur: 91500 [1]');
  expect(unsure).toBe(false);
});

test('nothing but the name of a thing in a row is doubted, and so is a quotation without a name or a figure that is asked for', async () => {
  const table = sourcesOf(['Brewmaster 300', '| Plan | Price per month |\n|---|---|\n| Basic | $9 |\n| Gold | $49 |']);
  expect(await answering('who makes the Brewmaster 300?', table)).toMatchObject({ answer: expect.stringContaining('Basic'), unsure: true });
  const pump = sourcesOf(['Pump', 'The pump Boxer is loud when it is cold.']);
  expect(await answering('How loud is the pump Boxer?', pump)).toMatchObject({ answer: expect.stringContaining('loud'), unsure: true });
  expect((await answering('When is the pump Boxer loud?', pump)).unsure).toBe(false);
  const plans = sourcesOf([
    'Brewmaster 300',
    '| Plan | Price per month |\n|---|---|\n| Basic | $9 |\n| Gold | $49 |\n\nThe Gold plan includes a free grinder for the kitchen.',
  ]);
  const near = await answering('What does the Basic plan include besides a free grinder for the kitchen?', plans);
  expect(near.answer).toContain('The Gold plan includes');
  expect(near.unsure).toBe(true);
  expect((await answering('What does the Gold plan include besides a free grinder?', plans)).unsure).toBe(false);
});
