import { expect, test } from 'vitest';
import { answering, at, sourcesOf } from './answering.ts';

const notes = sourcesOf([
  'notes.txt',
  `Meeting notes, harbour upgrade project

On 14 May 2024 the board approved the harbour upgrade. The budget is 3.2 million euros. The contractor is Berg & Sons.

Anna Lindqvist leads the project. Her deputy is Tomas Eide. She reports to the board every quarter.

The ferry to Skarvøy leaves at 7:15, 12:40 and 18:05. On Sundays there is no ferry at 7:15. A single ticket costs 8.50 euros.`,
]);
const answer = async (question: string, query = question) => (await answering(query, notes, { question })).answer;

test('a line that heads a text is not quoted for the words that it shares with the question', async () => {
  expect(await answer('What is the budget of the harbour upgrade?')).toContain('The budget is 3.2 million euros.');
  expect(await answer('What is the budget of the harbour upgrade?')).not.toContain('Meeting notes');
});

test('the next sentence comes along where it goes on with all that is left of the question', async () => {
  expect(await answer('Who is the deputy of Anna Lindqvist?')).toBe('Anna Lindqvist leads the project. Her deputy is Tomas Eide. [1]');
  expect(await answer('Who leads the project?')).toBe('Anna Lindqvist leads the project. [1]');
  expect(await answer('When does the ferry to Skarvøy leave on Sundays?')).toContain('On Sundays there is no ferry at 7:15.');
  expect(await answer('When does the ferry to Skarvøy leave?')).not.toContain('Sundays');
});

test('a figure that is asked for is looked for beyond the next sentence', async () => {
  expect(await answer('How much is it?', 'When does the ferry to Skarvøy leave? How much is it?')).toContain(
    'A single ticket costs 8.50 euros.',
  );
});

const coffee = sourcesOf([
  'Manual › Cleaning',
  `Descale the machine every 60 days. Never use vinegar.

To descale:

1. Fill the tank with descaler.
2. Press Clean for five seconds.

To replace the filter of the machine:

1. Turn the cap.
2. Pull the filter out.`,
]);

test('who asks how something is done is told the steps that are led in to by it, and no others', async () => {
  const steps = 'To descale:\n1. Fill the tank with descaler.\n2. Press Clean for five seconds. [1]';
  const descaling = (await answering('How do I descale the machine?', coffee)).answer;
  expect(descaling).toContain(steps);
  expect(descaling).not.toContain('Turn the cap');
  expect((await answering('How often do I descale the machine?', coffee)).answer).not.toContain('Fill the tank');
});

test('steps for something else are not told for what they share with the question', async () => {
  const filter = sourcesOf([
    'Manual',
    'Clean the filter with warm water only.\n\nTo replace the filter:\n\n1. Turn the cap.\n2. Pull it out.',
  ]);
  expect((await answering('How do I clean the filter?', filter)).answer).toBe('Clean the filter with warm water only. [1]');
  expect((await answering('How do I replace the filter?', filter)).answer).toContain('1. Turn the cap.');
});

test('a part of a question that its neighbour answers is answered, one that only points at it is not', async () => {
  const tools = sourcesOf(['Install', 'Install sailor with the package manager. Installing it takes two minutes.']);
  const half = await answering('How do I install sailor and who invented it?', tools);
  expect(half.answer).toContain('Install sailor with the package manager.');
  expect(half.answer).toContain('The sources do not answer “who invented it?”.');
  expect(half.unsure).toBe(true);
  const whole = await answering('How do I install sailor and how long does it take?', tools);
  expect(whole.answer).not.toContain('do not answer');
});

test('a heading that asks needs no question mark and not the same small verb, and no question for what it denies', async () => {
  const far = { embedder: at(0.3) };
  const faq = sourcesOf(['Policy › What is not covered', '## What is not covered\n\n- Elections\n- Moving house']);
  expect((await answering('what is not covered?', faq, far)).answer).toContain('Elections');
  expect((await answering('what is covered?', faq, far)).answer).toMatch(/^\[0\]/);
  const milk = sourcesOf(['Manual › Can I use milk in the tank?', '### Can I use milk in the tank?\n\nNo. Only water.']);
  expect((await answering('Can I put milk in the tank?', milk, far)).answer).toContain('No.');
  expect((await answering('Can I put juice in the tank?', milk, far)).answer).toMatch(/^\[0\]/);
});

test('code within a line is not cut where it has the end of a sentence', async () => {
  const tools = sourcesOf([
    'Tooling',
    'To save your work type `git commit -m "Fix bug. Add test."` in the terminal. The script is called sail.sh.',
  ]);
  expect((await answering('How do I save my work?', tools)).answer).toBe(
    'To save your work type `git commit -m "Fix bug. Add test."` in the terminal. [1]',
  );
});

test('numbers in brackets are quoted as they stand, and pass for no citation', async () => {
  const ranges = sourcesOf(['Values', 'The index arr[10] holds the gull. Values lie in the interval [0, 1].']);
  expect((await answering('In which interval do the values lie?', ranges)).answer).toBe('Values lie in the interval \\[0, 1\\]. [1]');
  expect((await answering('What does the index arr hold?', ranges)).answer).toBe('The index arr\\[10\\] holds the gull. [1]');
});

test('who asks for a price where none is named is told nothing', async () => {
  const pump = sourcesOf(['Pump', 'The pump Boxer weighs 12 kg and runs on 230 V.']);
  expect((await answering('How much does the pump Boxer cost?', pump)).answer).toMatch(/^\[0\]/);
  expect((await answering('How much does the pump Boxer weigh?', pump)).answer).toContain('12 kg');
});
