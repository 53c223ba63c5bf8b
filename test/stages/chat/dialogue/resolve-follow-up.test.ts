import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayStandAlone, resolveFollowUp, withoutConjunction } from '../../../../src/stages/chat/dialogue/resolve-follow-up.ts';

const words =
  'and und what why how is the The a to in plan Plus Gold Leeds Hamburg, E05 HP-40? 2019 2.3.1 it that on für die Lieferung? pump pump?'.split(
    ' ',
  );
const anyQuestion = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), { maxLength: 7 })
  .map((list) => list.join(' '));

test('whatever is asked, a query carries what it asks, from at most three of the questions', () => {
  fc.assert(
    fc.property(anyQuestion, fc.array(anyQuestion, { maxLength: 6 }), (query, before) => {
      const { text, hasSubject } = resolveFollowUp(query, before);
      if (before.length === 0) expect(text).toBe(query);
      expect(typeof hasSubject).toBe('boolean');
      // a word that takes another's place may be longer than it: what is put in counts twice
      const longest = before.toSorted((a, b) => b.length - a.length).slice(0, 3);
      expect(text.length).toBeLessThanOrEqual([...longest, ...longest, query, query].join(' ').length);
    }),
    { numRuns: 500 },
  );
});

test('a subject that is not found is told', () => {
  expect(resolveFollowUp('And to Norway?', [])).toEqual({ text: 'And to Norway?', hasSubject: false });
  expect(resolveFollowUp('And then?', ['Does it leak?']).hasSubject).toBe(false);
  expect(resolveFollowUp('And then?', ['Does the pump leak?']).hasSubject).toBe(true);
});

test('a long chain carries its subject, and nothing of what was asked in between', () => {
  const chain = ['How long is the warranty on the pump?', ...Array.from({ length: 12 }, (_, i) => `and what is part ${i} of it?`)];
  expect(resolveFollowUp('and how heavy is it?', chain).text).toBe('How long is the warranty on the pump? and how heavy is it?');
});

test('an adverb of place or time leaves a question that names its subject alone', () => {
  expect(['How do I get there by bus?', 'What if I am late then?', 'Wann ist dort geöffnet?'].map(mayStandAlone)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['What then?', 'How do I use it there?', 'And there?'].map(mayStandAlone)).toEqual([false, false, false]);
  const before = ['Are you open on Sunday?', 'How do I get there by bus?'];
  expect(resolveFollowUp('Is it free?', before).text).toBe('How do I get there by bus? Is it free?');
});

test('a question is searched for without what joins it to the last one', () => {
  expect(withoutConjunction('And how do I route a track?')).toBe('how do I route a track?');
  expect(withoutConjunction('Android is how old?')).toBe('Android is how old?');
});

test.each([
  ['When should I use one?', 'What is a WITHOUT ROWID table?'],
  ['anything else?', 'What is not caught by setErrorHandler?'],
  ['how is the latter worked out?', 'What does utilization say?'],
  ['Sonst noch etwas?', 'Was deckt die Garantie nicht ab?'],
])('follows the question before it: %s', (query, before) => {
  expect(resolveFollowUp(query, [before]).text).toBe(`${before} ${query}`);
});

test('stands alone if it only uses words of follow-ups: refunds for former customers', () => {
  const query = 'How do I get refunds for former customers?';
  expect(resolveFollowUp(query, ['How do I descale the machine?']).text).toBe(query);
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
