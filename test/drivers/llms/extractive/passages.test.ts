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

test('a row is quoted as one wherever it stands: cut off, in a quotation, without lines at its ends; and cells that are sentences stay such', () => {
  expect(texts('| Code | Meaning |\n|---|---|\n| E1 | Too hot. |\n| E2 | it goes on and')).toEqual([
    'Code: E1; Meaning: Too hot.',
    'Code: E2; Meaning: it goes on and',
  ]);
  expect(texts('> | Code | Meaning |\n> |---|---|\n> | E1 | hot |')).toEqual(['Code: E1; Meaning: hot']);
  expect(texts('Code | Meaning\n--- | ---\nE1 | hot\nE2 | cold\n\nDone, a | b.')).toEqual([
    'Code: E1; Meaning: hot',
    'Code: E2; Meaning: cold',
    'Done, a | b.',
  ]);
  expect(texts('| Code | Meaning | Do |\n|---|---|---|\n| E1 | Too hot. | Wait. |')).toEqual(['Code: E1; Meaning: Too hot. Do: Wait.']);
});

test('a title in plain text, and a line of capitals, head what follows and are not glued to it', () => {
  expect(of('PUMP RELEASE NOTES\nFor the Duo only.\n\nHOW TO UPDATE\nPress the key.').map(({ text, heading }) => [heading, text])).toEqual([
    ['PUMP RELEASE NOTES', 'For the Duo only.'],
    ['HOW TO UPDATE', 'Press the key.'],
  ]);
  expect(of('Leave policy\nEveryone has 28 days.', 'Leave policy').map(({ text }) => text)).toEqual(['Everyone has 28 days.']);
  expect(texts('STOP THE PUMP\nCLOSE THE VALVE\nCALL THE SERVICE'), 'everything is in capitals').toEqual([
    'STOP THE PUMP CLOSE THE VALVE CALL THE SERVICE',
  ]);
});

test('a line of capitals that warns, orders or names a value is quoted by itself, and is no heading of what follows', () => {
  const after = 'The jug may be washed by hand.\nIt is made of glass.';
  for (const line of ['DO NOT IMMERSE THE BASE IN WATER', 'DEFAULT USER: ADMIN', 'HOT SURFACE', 'NICHT IN WASSER TAUCHEN', 'RISK OF FIRE'])
    for (const gap of ['\n', '\n\n'])
      expect(
        of(`CLEANING\n${line}${gap}${after}`).map(({ text, heading }) => [heading, text]),
        line,
      ).toEqual([
        ['CLEANING', line],
        ['CLEANING', 'The jug may be washed by hand.'],
        ['CLEANING', 'It is made of glass.'],
      ]);
  expect(texts(`DO NOT IMMERSE THE JUG\nOR THE BASE IN WATER\n${after}`)[0]).toBe('DO NOT IMMERSE THE JUG OR THE BASE IN WATER');
  expect(
    of(`CLEAN THE FILTER EVERY WEEK\n${after}`).map(({ text, heading }) => [heading, text]),
    'both',
  ).toEqual([
    ['CLEAN THE FILTER EVERY WEEK', 'CLEAN THE FILTER EVERY WEEK'],
    ['CLEAN THE FILTER EVERY WEEK', 'The jug may be washed by hand.'],
    ['CLEAN THE FILTER EVERY WEEK', 'It is made of glass.'],
  ]);
});

test('a passage knows its lines, and what its code is', () => {
  const passages = of(
    'Intro.\n\nThe first one runs\nover two lines. The second\ndoes, too.\n\n| Code | Do |\n|---|---|\n| E5 | wait |\n\n- E6: call\n  us\n- rest',
  );
  expect(passages.map(({ text, lines, code }) => [text, lines, code])).toEqual([
    ['Intro.', [0, 0], undefined],
    ['The first one runs over two lines.', [2, 3], undefined],
    ['The second does, too.', [3, 4], undefined],
    ['Code: E5; Do: wait', [8, 8], 'e5'],
    ['E6: call us', [10, 11], 'e6'],
    ['rest', [12, 12], undefined],
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

test('markup, images and tags are not quoted, numbers in brackets are escaped; code between backticks is quoted as it is', () => {
  expect(
    plainText('The **pump**, *new* and [here](http://x.org/a_(b)), is ![x](http://y) <img src="z"> good[12] \\*so\\* `a **b** [3]`.'),
  ).toBe('The pump, new and here, is good\\[12\\] *so* `a **b** [3]`.');
  expect(plainText('2 * 3 * 4 and snake_case_name and a < b > c')).toBe('2 * 3 * 4 and snake_case_name and a < b > c');
});

test('a text that is made to be read slowly is read as fast as any other', () => {
  // A time that grows with the square of these would be minutes.
  const many = 200_000;
  const hostile = ['[', '![', '[a](', '![x](', '`', '.', '| ', '<!--', 'A. '].map((part) => `x ${part.repeat(many / part.length)}`);
  for (const text of [...hostile, `|${' '.repeat(many)}x`, `a ${'|'.repeat(many)}x`, `# a${' '.repeat(many)}b`]) {
    const passages = of(`${text}\n\nThe pump is new.`);
    expect(passages.at(-1)?.text.endsWith('The pump is new.'), text.slice(0, 20)).toBe(true);
  }
});

test('a table is one however its rule is spaced, and a line with one upright stroke is none', () => {
  for (const rule of ['|---|---|', '| :-: | --- |', '|  ---|---  |', '--- | ---'])
    expect(texts(`| Code | Meaning |\n${rule}\n| E1 | hot |`), rule).toEqual(['Code: E1; Meaning: hot']);
  expect(texts('Either a | or b.')).toEqual(['Either a | or b.']);
});
