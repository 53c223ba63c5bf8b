import { expect, test } from 'vitest';
import { askedIn } from '../../../../src/base/asked.ts';
import { unansweredOf } from '../../../../src/drivers/llms/extractive/parts.ts';

test('what is not answered is said in the language of the question', () => {
  const said = (question: string) => unansweredOf(question, askedIn({ query: question, question }).slice(1));
  expect(said('How do I pay, and who is Ida?')).toBe('The sources do not answer “who is Ida?”.');
  expect(said('Wie bezahle ich und wer ist Ida?')).toBe('„wer ist Ida?“ beantworten die Quellen nicht.');
  expect(said('Comment payer et combien coûte la pompe ?')).toBe('Les sources ne répondent pas à « combien coûte la pompe ? ».');
});
