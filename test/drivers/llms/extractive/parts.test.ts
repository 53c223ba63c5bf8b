import { expect, test } from 'vitest';
import { askedIn, unansweredOf } from '../../../../src/drivers/llms/extractive/parts.ts';

const asked = (query: string, question = query) => askedIn({ query, question }).map((part) => [part.query, part.question]);

test('two questions in one are looked for one by one, the second with what it points at', () => {
  expect(asked('How do I pay, and how long does delivery take?')).toEqual([
    ['How do I pay?', 'How do I pay?'],
    ['how long does delivery take?', 'how long does delivery take?'],
  ]);
  expect(asked('How do I pair the gateway, and how long does it take?')[1]).toEqual([
    'How do I pair the gateway? how long does it take?',
    'how long does it take?',
  ]);
  expect(asked('Was kostet die Pumpe und wie lange dauert die Lieferung?').map(([query]) => query)).toEqual([
    'Was kostet die Pumpe?',
    'wie lange dauert die Lieferung?',
  ]);
});

test('a question is left whole where a part says nothing by itself, and where no other question begins', () => {
  for (const question of [
    'What does E12 mean and what should I do?',
    'Which refrigerant is in it and how much?',
    'What do filters and seals cost?',
    'Was bedeutet E12 und was soll ich tun?',
  ])
    expect(asked(question)).toEqual([[question, question]]);
});

test('a follow-up brings its subject along into each part', () => {
  const question = 'What does it cost and who sells pumps?';
  expect(asked(`Which pump is it? ${question}`, question).map(([query]) => query)).toEqual([
    'Which pump is it? What does it cost?',
    'Which pump is it? who sells pumps?',
  ]);
});

test('what is not answered is said in the language of the question', () => {
  const said = (question: string) => unansweredOf(question, askedIn({ query: question, question }).slice(1));
  expect(said('How do I pay, and who is Ida?')).toBe('The sources do not answer “who is Ida?”.');
  expect(said('Wie bezahle ich und wer ist Ida?')).toBe('„wer ist Ida?“ beantworten die Quellen nicht.');
  expect(said('Comment payer et qui est Ida ?')).toBe('Les sources ne répondent pas à « qui est Ida ? ».');
});
