import { describe, expect, it } from 'vitest';
import type { ChatResult } from '../../../src/schema/answers.ts';
import type { GoldenQuestion } from '../../../src/schema/evaluation.ts';
import { findGoldRank, judgeAnswer } from '../../../src/stages/evaluate/judge.ts';

const item = (source: string, text: string, headings: string[] = []) => ({
  id: source,
  chunk_id: source,
  text,
  metadata: { source, location: { headings } },
  score: 0.5,
});
const items = [item('docs/a.md', 'The zebra crosses.', ['Animals', 'Zebra']), item('docs/b.md', 'A he-\nron eats `fish`.', ['Birds'])];

describe('the rank of a gold passage', () => {
  it.each<[string, GoldenQuestion['gold'], number | undefined]>([
    ['is that of the source', [{ source: 'docs/b.md' }], 2],
    ['matches the end of a source', [{ source: 'a.md' }], 1],
    ['does not match a part of a file name', [{ source: '.md' }], 0],
    ['matches words across line breaks, hyphens and marks', [{ source: 'b.md', needle: 'heron eats fish' }], 2],
    ['is 0 if the words are missing', [{ source: 'b.md', needle: 'eats a frog' }], 0],
    ['matches any heading above', [{ source: 'a.md', heading: 'animals' }], 1],
    ['is 0 if the heading is missing', [{ source: 'b.md', heading: 'Fish' }], 0],
    ['is that of the first of several passages', [{ file: 'c.md' }, { file: 'b.md' }], 2],
    ['is undefined without gold passages', undefined, undefined],
  ])('%s', (_, gold, rank) => {
    expect(findGoldRank({ question: 'q', gold }, items)).toBe(rank);
  });
});

const answered = (answer: string, level: 'high' | 'low' | 'none' = 'high', cited = true) =>
  ({ answer, sources: [{ cited }], answer_confidence: { level } }) as unknown as ChatResult;

describe('the verdict on an answer', () => {
  const question: GoldenQuestion = { question: 'q', must: [['27 months', 'two years', 630], ['/deliver(y|ed)/']], must_not: ['recall'] };

  it.each<[string, string, string]>([
    ['right', 'It runs **27 months** from `delivery` [1].', 'right'],
    ['right with another alternative', 'Two  years, once delivered. [2]', 'right'],
    ['partly', 'It runs 27 months. [1]', 'partly'],
    ['partly for an answer that is too long', `${'word '.repeat(160)} 27 months after delivery [1]`, 'partly'],
    ['wrong', 'It is blue. [1]', 'wrong'],
    ['right with a number', 'The price on delivery is 630 euros [1]', 'right'],
    ['wrong with a forbidden phrase', '27 months from delivery, see the recall [1]', 'wrong'],
  ])('is %s', (_, answer, verdict) => {
    expect(judgeAnswer(question, answered(answer))).toBe(verdict);
  });

  it('is declined without citations and without confidence', () => {
    expect(judgeAnswer(question, answered('The sources do not say.', 'none', false))).toBe('declined');
    expect(judgeAnswer(question, answered('', 'none', false))).toBe('declined');
    expect(judgeAnswer(question, answered('27 months from delivery', 'high', false))).toBe('right');
  });

  it('is wrong for an answer to an unanswerable question', () => {
    expect(judgeAnswer({ question: 'q', answerable: false }, answered('It was Germany [1].'))).toBe('wrong');
    expect(judgeAnswer({ question: 'q', answerable: false }, answered('No.', 'none', false))).toBe('declined');
  });

  it('is undefined if nothing is expected', () => {
    expect(judgeAnswer({ question: 'q' }, answered('Anything [1].'))).toBeUndefined();
  });
});

describe('a phrase of must', () => {
  const verdict = (answer: string, phrase: string) => judgeAnswer({ question: 'q', must: [[phrase]] }, answered(answer));

  it.each([
    ['The crew has 12 weeks.', '12 weeks', '2 weeks'],
    ['It listens on port 8080.', '8080', 'port 80'],
    ['It is taxed in category four.', 'category four', 'cat'],
    ['It costs 1,450 francs.', '1,450', '450'],
    ['It costs 4.50 francs.', '4.50', '50'],
    ['It weighs 4.5 kg.', '4.5 kg', '4'],
    ['The year is 2024, not 2025.', '2024', '202'],
    ['Use (A/B) or C++.', 'c++', 'd++'],
    ['过滤器每九十天更换一次。', '九十天', '一百天'],
  ])('keeps to the ends of words and numbers: %s', (answer, right, wrong) => {
    expect([verdict(answer, right), verdict(answer, wrong)]).toEqual(['right', 'wrong']);
  });
});
