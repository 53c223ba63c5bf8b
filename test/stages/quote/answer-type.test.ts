import { expect, test } from 'vitest';
import { comparedSubjects, createFigureCheck, createTimeCheck, definedTerms, introduces } from '../../../src/stages/quote/answer-type.ts';
import type { GroundingSource } from '../../../src/ports/models.ts';
import { readQuoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';
import { chooseQuotations, rankPassages } from '../../../src/stages/quote/choose-quotations.ts';

test('accepts a period, a clock time, a month or a year for a question about a time, but no other number', () => {
  const answers = createFigureCheck('How long does a login session last?')!;
  expect(['It lasts 31 days.', 'within two weeks', 'until 18:30', 'since May', 'built in 1987'].map(answers)).toEqual(Array(5).fill(true));
  expect(['HTTP/1.0 clients', '1. Ask for a return number.', 'It costs 9 euros.'].map(answers)).toEqual([false, false, false]);
});

test.each(['Wann bekomme ich mein Geld zurück?', 'À quelle heure fermez-vous ?', '¿Cuánto tiempo dura?', 'until when can I phone you?'])(
  '%s asks for a time',
  (question) => {
    expect(createTimeCheck(question)?.('8:00–17:00')).toBe(true);
  },
);

test('accepts any number for other questions about figures, and has no check for other questions', () => {
  expect(createFigureCheck('How many slots are there?')?.('There are 16384.')).toBe(true);
  expect(createTimeCheck('How many slots are there?')).toBeUndefined();
  expect(createFigureCheck('Where is the cache?')).toBeUndefined();
});

const sourceOf = (title: string, text: string, more: Partial<GroundingSource> = {}): GroundingSource => ({
  citation: 1,
  title,
  text,
  score: 0.5,
  ...more,
});

test.each([
  ['What is chokidar?', ['chokidar']],
  ["So what's a STRICT table?", ['strict', 'tabl']],
  ['What are worker threads in Node good for?', ['worker', 'thread', 'node']],
  ['What does EADDRINUSE mean?', ['eaddrinus']],
  ['Was ist ein Index?', ['index']],
  ['Qu’est-ce que chokidar ?', ['chokidar']],
  ["Qu'est-ce qu'un index ?", ['index']],
  ['¿Qué es un índice?', ['indic']],
])('extracts the term to define: %s', (question, wanted) => {
  expect([...definedTerms(question)!]).toEqual(wanted);
});

test.each([
  'What is the difference between a and b?',
  'What is the default of work_mem?',
  'How do I install it?',
  'What is the maximum size?',
  'Was ist der Unterschied zwischen a und b?',
  '¿Cuál es el valor máximo?',
])('finds no term to define: %s', (question) => {
  expect(definedTerms(question)).toBeUndefined();
});

test('recognises the first block under its title as introduction, but not later ones', () => {
  const [first, second] = [...readQuoteBlocks(sourceOf('Watcher', 'A small library.\n\nIts name is an old word for a keeper.'), 0)];
  const wanted = definedTerms('What is Watcher?')!;
  expect([introduces(first!, wanted), introduces(second!, wanted)]).toEqual([true, false]);
});

test('recognises the first block of a section that is called introduction, but of no other', () => {
  const wanted = definedTerms('What is a partial index?')!;
  const firstOf = (title: string, more: Partial<GroundingSource> = {}) =>
    [...readQuoteBlocks(sourceOf(title, 'It covers some of the rows.', more), 0)].at(-1)!;
  expect(introduces(firstOf('Partial Indexes › 1. Introduction'), wanted)).toBe(true);
  expect(introduces(firstOf('Partial Indexes › 2. Queries'), wanted)).toBe(false);
  expect(introduces(firstOf('Indexes on expressions and partial values of tables and columns'), wanted)).toBe(false);
  expect(introduces(firstOf('Partial Indexes', { before: 'Another passage.\n\n' }), wanted)).toBe(false);
});

test('answers "What is X" by the introduction of X, not by a mention of the word', async () => {
  const sources = [
    sourceOf('Watcher › Also', 'Why was Watcher named this way? Watcher is an old word for a keeper.'),
    sourceOf('Watcher', 'Tells of changes in folders, on every system.', { citation: 2 }),
  ];
  const best = async (question: string) =>
    (
      await rankPassages(
        question,
        sources.flatMap((source, i) => [...readQuoteBlocks(source, i)]),
        { sources, words: 120 },
      )
    )[0]?.seed.source;
  expect(await best('What is Watcher?')).toBe(1);
  expect(await best('Why was Watcher named so?')).toBe(0);
});

test.each([
  ['What is the difference between VACUUM and VACUUM FULL in Postgres?', [], ['full']],
  ['How do path.join and path.resolve differ?', ['path.join', 'join'], ['path.resolve', 'resolv']],
  ['BEGIN DEFERRED versus BEGIN IMMEDIATE', ['defer'], ['immedi']],
  ['INSERT OR IGNORE or INSERT OR REPLACE: what is the difference?', ['ignor'], ['replac']],
  ['How is a pump different from a valve?', ['pump'], ['valv']],
  ['Was ist der Unterschied zwischen json und jsonb?', ['json'], ['jsonb']],
  ['Quelle est la différence entre json et jsonb dans Postgres ?', ['json'], ['jsonb']],
  ['¿Qué diferencia hay entre json y jsonb?', ['json'], ['jsonb']],
])('extracts the terms that distinguish two things: %s', (question, one, other) => {
  expect(comparedSubjects(question)?.map((terms) => [...terms])).toEqual([one, other]);
});

test.each(['Do I need a pump or a valve?', 'What is a pump?', 'How do I install it?'])('finds no comparison: %s', (question) => {
  expect(comparedSubjects(question)).toBeUndefined();
});

const sources: GroundingSource[] = [
  ['Paths › resolve()', 'Added in: v0.3.4\n\nresolve() makes one absolute path of paths. How paths differ does not matter to it.'],
  ['Paths › relative()', 'Added in: v0.5.0\n\nrelative() tells how two paths differ.'],
  ['Paths › join()', 'Added in: v0.3.4\n\njoin() puts segments together with the separator of the platform.'],
].map(([title, text], i) => ({ citation: i + 1, title: title!, text: text!, score: 0.8 - i / 10 }));

test('quotes a passage about each of two compared things, even if they share lines', async () => {
  const { quotations } = await chooseQuotations('How do resolve and join differ?', { sources });
  expect(quotations.map(({ source }) => source)).toEqual([0, 2]);
});

test('quotes only one passage if it is about both', async () => {
  const both = {
    citation: 1,
    title: 'Paths',
    text: 'resolve and join differ: the one makes an absolute path, the other does not.',
    score: 0.9,
  };
  const { quotations } = await chooseQuotations('How do resolve and join differ?', { sources: [both, ...sources] });
  expect(quotations.map(({ source }) => source)).toEqual([0]);
});
