import { expect, test } from 'vitest';
import { mayStandAlone } from '../../../../src/stages/chat/dialogue/resolve-follow-up.ts';
import { resolvePronoun } from '../../../../src/stages/chat/dialogue/resolve-pronoun.ts';

test.each([
  ['What is a WITHOUT ROWID table?', 'When should I use one?', 'When should I use a WITHOUT ROWID table?'],
  ['What does VACUUM do in SQLite?', 'How much free space does it need?', 'How much free space does VACUUM in SQLite need?'],
  ['What does error E14 mean?', 'It appears although I descaled.', 'error E14 appears although I descaled.'],
  ['What are worker threads?', 'How many of them should I start?', 'How many of worker threads should I start?'],
  ['How do I create an index?', 'And can I do that inside a transaction?', 'And can I create an index inside a transaction?'],
  ['How do I create a directory with fs?', 'And how do I delete it again?', 'And how do I delete a directory with fs again?'],
])('after «%s», «%s» asks «%s»', (before, question, whole) => {
  expect(resolvePronoun(question, before)).toBe(whole);
});

test.each([
  ['a pronoun that stands for nothing that was named', 'How do I descale the machine?', 'And how long does it take?'],
  ['a pronoun of a question that is about more', 'Do you deliver machines by post?', 'How long does it take?'],
  ['no pronoun', 'What is eco mode?', 'How long does the first steam take?'],
  ['one of several things, after a single one', 'What is the grinder?', 'When do I need one?'],
  ['two questions in one', 'What is RMA?', 'Where can I follow it, and how long does it take?'],
  ['a deed that nobody named', 'What is RMA?', 'Can I do that myself?'],
])('does not guess: %s', (_, before, question) => {
  expect(resolvePronoun(question, before)).toBeUndefined();
});

test.each(['What is chokidar?', 'And how many tables can be in one join?', 'How high is the deposit?'])(
  'may stand alone: %s',
  (question) => {
    expect(mayStandAlone(question)).toBe(true);
  },
);

test.each([
  'How much would I get?',
  'And of maintenance_work_mem?',
  'And how long does it take?',
  'And for a café?',
  'Is it?',
  'And when is that?',
])('can not: %s', (question) => {
  expect(mayStandAlone(question)).toBe(false);
});
