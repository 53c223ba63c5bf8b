import { expect, test } from 'vitest';
import type { GroundingSource } from '../../../src/ports/models.ts';
import { quoteBlocks } from '../../../src/stages/quote/quote-blocks.ts';
import { definedTerms, introduces } from '../../../src/stages/quote/definition.ts';
import { rankPassages } from '../../../src/stages/quote/rank.ts';

const source = (title: string, text: string, more: Partial<GroundingSource> = {}): GroundingSource => ({
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
])('tells what is asked the meaning of: %s', (question, wanted) => {
  expect([...definedTerms(question)!]).toEqual(wanted);
});

test.each([
  'What is the difference between a and b?',
  'What is the default of work_mem?',
  'How do I install it?',
  'What is the maximum size?',
  'Was ist der Unterschied zwischen a und b?',
  '¿Cuál es el valor máximo?',
])('asks no meaning: %s', (question) => {
  expect(definedTerms(question)).toBeUndefined();
});

test('what stands first under its own title introduces it, what stands further on does not', () => {
  const [first, second] = quoteBlocks(source('Watcher', 'A small library.\n\nIts name is an old word for a keeper.'), 0);
  const wanted = definedTerms('What is Watcher?')!;
  expect([introduces(first!, wanted), introduces(second!, wanted)]).toEqual([true, false]);
});

test('so does the beginning of a section that is called an introduction, and of no other', () => {
  const wanted = definedTerms('What is a partial index?')!;
  const firstOf = (title: string, more: Partial<GroundingSource> = {}) =>
    quoteBlocks(source(title, 'It covers some of the rows.', more), 0).at(-1)!;
  expect(introduces(firstOf('Partial Indexes › 1. Introduction'), wanted)).toBe(true);
  expect(introduces(firstOf('Partial Indexes › 2. Queries'), wanted)).toBe(false);
  expect(introduces(firstOf('Indexes on expressions and partial values of tables and columns'), wanted)).toBe(false);
  expect(introduces(firstOf('Partial Indexes', { before: 'Another passage.\n\n' }), wanted)).toBe(false);
});

test('«What is X» is answered by the introduction of X, not by what only says the word', async () => {
  const sources = [
    source('Watcher › Also', 'Why was Watcher named this way? Watcher is an old word for a keeper.'),
    source('Watcher', 'Tells of changes in folders, on every system.', { citation: 2 }),
  ];
  const best = async (question: string) =>
    (await rankPassages(question, sources.flatMap(quoteBlocks), { sources, words: 120 }))[0]?.seed.source;
  expect(await best('What is Watcher?')).toBe(1);
  expect(await best('Why was Watcher named so?')).toBe(0);
});
