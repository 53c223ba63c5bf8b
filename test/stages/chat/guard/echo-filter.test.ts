import { expect, test } from 'vitest';
import { EchoFilter } from '../../../../src/stages/chat/guard/echo-filter.ts';

const marker = 'aB3_kLmN-9xZ';
const question = 'What does a day ticket cost?';

test.each([
  [`Question: ${question}\n\nIt costs 34 francs.`, 'It costs 34 francs.'],
  [`Question: ${question}\nAnswer: It costs 34 francs.`, 'It costs 34 francs.'],
  [`Question: ${question}\nThat is: What does a ticket of the ropeway cost?\nIt costs 34 francs.`, 'It costs 34 francs.'],
  [`${question}\nIt costs 34 francs.`, 'It costs 34 francs.'],
  [question, ''],
  ['**Answer:** It costs 34 francs.', 'It costs 34 francs.'],
  ['Source [1]: It costs 34 francs.', 'It costs 34 francs.'],
  ['Source 1 (Fares):\nIt costs 34 francs.', 'It costs 34 francs.'],
  [`--- ${marker}\nIt costs 34 francs.`, 'It costs 34 francs.'],
  [`It costs 34 francs.\n--- end ${marker}\n`, 'It costs 34 francs.\n'],
  [`--- end ${marker}`, ''],
  ['It says "Question: which day? Answer: today".', 'It says "Question: which day? Answer: today".'],
  ['Source 1 says that it costs 34 francs.', 'Source 1 says that it costs 34 francs.'],
  ['Above\n---\nbelow', 'Above\n---\nbelow'],
  ['Answers are in the book.', 'Answers are in the book.'],
])('shows %j as %j, in whatever pieces it comes', (answer, shown) => {
  for (const length of [1, 2, 5, answer.length]) {
    const filter = new EchoFilter({ marker, questions: [question, 'What does a ticket of the ropeway cost?'] });
    let text = '';
    for (let at = 0; at < answer.length; at += length) text += filter.push(answer.slice(at, at + length));
    expect(text + filter.end()).toBe(shown);
  }
});
