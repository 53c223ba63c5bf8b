import { expect, test } from 'vitest';
import { passagesOf } from '../../../../src/drivers/llms/extractive/passages.ts';
import { plainText } from '../../../../src/drivers/llms/extractive/plain-text.ts';
import { sentencesOf } from '../../../../src/drivers/llms/extractive/sentences.ts';

const of = (text: string, title = '') => passagesOf({ citation: 1, title, text }, 0);
const texts = (text: string) => of(text).map((passage) => passage.text);

test('sentences are not cut at abbreviations, initials, numbers or before a small letter', () => {
  expect(sentencesOf('Dr. Raman wrote it. J. R. Hart read it, e.g. in 1.5 hours. See Fig. 3 for more! Why? no reason.')).toEqual([
    'Dr. Raman wrote it.',
    'J. R. Hart read it, e.g. in 1.5 hours.',
    'See Fig. 3 for more!',
    'Why? no reason.',
  ]);
  expect(sentencesOf('第一句。第二句！')).toEqual(['第一句。', '第二句！']);
});

test('a row of a table says what its cells are', () => {
  expect(texts('| Code | Meaning | Note |\n|---|:-:|---|\n| ERR-1 | Too hot | |\n| ERR-2 | A \\| B | **wait** |')).toEqual([
    'Code: ERR-1; Meaning: Too hot',
    'Code: ERR-2; Meaning: A | B; Note: wait',
  ]);
});

test('a row without a header is its cells', () => {
  expect(texts('| a | b |\n| c | d |')).toEqual(['a; b', 'c; d']);
});

test('an item of a list knows the words that lead in to it, and keeps its continued lines', () => {
  const passages = of('# Tools\n\nYou need these:\n\n- a spanner\n  of size 8\n- a cloth\n\n1. Then begin.', 'Manual');
  expect(passages).toMatchObject([
    { kind: 'sentence', text: 'You need these:', context: 'Manual Tools' },
    { kind: 'item', text: 'a spanner of size 8', lead: 0, context: 'Manual Tools You need these:' },
    { kind: 'item', text: 'a cloth', lead: 0 },
    { kind: 'item', text: 'Then begin.', lead: 0 },
  ]);
});

test('lines of a paragraph are joined, headings are context, and blocks are told apart', () => {
  const passages = of('## First\nOne\nsentence. Another one.\n\nA new paragraph.\n## Second\n> Quoted words.');
  expect(passages.map(({ text, context, block }) => [text, context, block])).toEqual([
    ['One sentence.', 'First', 1],
    ['Another one.', 'First', 1],
    ['A new paragraph.', 'First', 2],
    ['Quoted words.', 'Second', 4],
  ]);
});

test('code is quoted whole and as it is', () => {
  expect(of('Run this:\n\n```sh\nkb **x** [1]\n\n# no heading\n```\nDone.')).toMatchObject([
    { kind: 'sentence' },
    { kind: 'code', text: '```sh\nkb **x** [1]\n\n# no heading\n```', lead: 0 },
    { kind: 'sentence', text: 'Done.' },
  ]);
});

test('boilerplate is not quoted', () => {
  expect(texts('Table of contents\n\nPumps ............ 12\n\n* * *\n\n© 2023 Northlight Ltd.\n\nThe pump is new.')).toEqual([
    'The pump is new.',
  ]);
});

test('markup, images, tags and numbers in brackets are not quoted; code between backticks is', () => {
  expect(
    plainText('The **pump**, *new* and [here](http://x.org/a_(b)), is ![x](http://y) <img src="z"> good[12] \\*so\\* `a **b** [3]`.'),
  ).toBe('The pump, new and here, is good *so* `a **b** [3]`.');
  expect(plainText('2 * 3 * 4 and snake_case_name and a < b > c')).toBe('2 * 3 * 4 and snake_case_name and a < b > c');
});
