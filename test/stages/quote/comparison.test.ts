import { expect, test } from 'vitest';
import type { GroundingSource } from '../../../src/ports/models.ts';
import { chooseQuotations, comparedIn } from '../../../src/stages/quote/choose.ts';

test.each([
  ['What is the difference between VACUUM and VACUUM FULL in Postgres?', [], ['full']],
  ['How do path.join and path.resolve differ?', ['path.join', 'join'], ['path.resolve', 'resolv']],
  ['BEGIN DEFERRED versus BEGIN IMMEDIATE', ['defer'], ['immedi']],
  ['INSERT OR IGNORE or INSERT OR REPLACE: what is the difference?', ['ignor'], ['replac']],
  ['How is a pump different from a valve?', ['pump'], ['valv']],
  ['Was ist der Unterschied zwischen json und jsonb?', ['json'], ['jsonb']],
  ['Quelle est la différence entre json et jsonb dans Postgres ?', ['json'], ['jsonb']],
  ['¿Qué diferencia hay entre json y jsonb?', ['json'], ['jsonb']],
])('tells what tells two things apart: %s', (question, one, other) => {
  expect(comparedIn(question)?.map((terms) => [...terms])).toEqual([one, other]);
});

test.each(['Do I need a pump or a valve?', 'What is a pump?', 'How do I install it?'])('compares nothing: %s', (question) => {
  expect(comparedIn(question)).toBeUndefined();
});

const sources: GroundingSource[] = [
  ['Paths › resolve()', 'Added in: v0.3.4\n\nresolve() makes one absolute path of paths. How paths differ does not matter to it.'],
  ['Paths › relative()', 'Added in: v0.5.0\n\nrelative() tells how two paths differ.'],
  ['Paths › join()', 'Added in: v0.3.4\n\njoin() puts segments together with the separator of the platform.'],
].map(([title, text], i) => ({ citation: i + 1, title: title!, text: text!, score: 0.8 - i / 10 }));

test('of two things that are compared, one passage about each is quoted, though lines of theirs are the same', async () => {
  const { quotations } = await chooseQuotations('How do resolve and join differ?', { sources });
  expect(quotations.map(({ source }) => source)).toEqual([0, 2]);
});

test('a passage about both stands alone', async () => {
  const both = {
    citation: 1,
    title: 'Paths',
    text: 'resolve and join differ: the one makes an absolute path, the other does not.',
    score: 0.9,
  };
  const { quotations } = await chooseQuotations('How do resolve and join differ?', { sources: [both, ...sources] });
  expect(quotations.map(({ source }) => source)).toEqual([0]);
});
