import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitPassages, gradingPrompt } from '../../../src/drivers/rerankers/llm-reranker.ts';

const estimate = (text: string) => Math.ceil(text.length / 3.5);
const sizeOf = (texts: readonly string[]) => gradingPrompt('Why?', texts).reduce((sum, { content }) => sum + estimate(content), 0);

describe('passages that are graded', () => {
  it('go together where the window holds them', () => {
    const { portions, answer } = fitPassages('Why?', ['one', 'two'], { window: { tokens: 8000, estimate }, max_tokens: 1024 });
    expect([portions, answer]).toEqual([[['one', 'two']], 1024]);
  });

  it('are none where there are none', () => {
    expect(fitPassages('Why?', [], { window: { tokens: 8000, estimate }, max_tokens: 5 }).portions).toEqual([]);
  });

  it('leave an answer a quarter of the window, more where the grades need it, and never more than half', () => {
    const answerOf = (count: number, tokens: number, max_tokens: number) =>
      fitPassages('Why?', Array<string>(count).fill('one'), { window: { tokens, estimate }, max_tokens }).answer;
    expect([answerOf(1, 4000, 9000), answerOf(50, 4000, 5), answerOf(50, 1200, 5)]).toEqual([1000, 700, 600]);
  });

  it('stay in their order, and fit with the answer, however long they are', () => {
    const text = fc.nat(3000).map((length) => 'word '.repeat(length / 5).trim());
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), fc.integer({ min: 2500, max: 40_000 }), (texts, tokens) => {
        const { portions, answer } = fitPassages('Why?', texts, { window: { tokens, estimate }, max_tokens: 1024 });
        expect(portions.flat()).toEqual(texts.map((whole) => whole.slice(0, 2000)));
        for (const portion of portions) expect(sizeOf(portion) + answer).toBeLessThanOrEqual(tokens);
      }),
    );
  });

  it('are cut between letters', () => {
    for (const tokens of [900, 901, 902, 903]) {
      const { portions } = fitPassages('Why?', [`a${'😀'.repeat(1500)}`], { window: { tokens, estimate }, max_tokens: 1024 });
      expect(portions.flat().every((shown) => shown.isWellFormed())).toBe(true);
    }
  });

  it('are cut where even one does not fit', () => {
    const { portions, answer } = fitPassages('Why?', ['word '.repeat(400)], { window: { tokens: 1000, estimate }, max_tokens: 1024 });
    expect(sizeOf(portions[0]!) + answer).toBeLessThanOrEqual(1000);
    expect(portions[0]![0]!.length).toBeGreaterThan(200);
  });
});
