import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGrades, gradingPrompt, fitPassages } from '../../../src/drivers/rerankers/llm-reranker.ts';

describe('parseGrades', () => {
  it('reads lines with a number and a grade in many forms', () => {
    for (const answer of [
      '1: 10\n2: 0\n3: 7.5',
      '[1] 10\n[2] 0\n[3] 7.5',
      'Passage 1: 10/10\n- 2: 0\n* 3: **7.5**',
      '1. 10\n2. 0\n3. 7.5',
      '1:10\r\n2=0\r\n3 - 7.5.',
      '**1:** 10\n**2**: 0\n**Passage 3**: 7.5',
      '1) 10\n(2) 0\n3：7.5',
      'Hm. So perhaps:\n1: 2\n2: 2\n3: 2\n</think>\n1: 10\n2: 0\n3: 7.5',
      '<think>\n1: 2\n</think>\n1: 10\n2: 0\n3: 7.5\n</think>\n',
    ])
      expect([answer, parseGrades(answer, 3)]).toEqual([answer, [1, 0, 0.75]]);
  });

  it('ignores grades that are missing, off the scale or within other words', () => {
    expect(parseGrades('1: 8\n2: 11\n3: -4\n4: 9 because it says so\nI give 5: 9', 5)).toEqual([
      0.8,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes the first grade of each existing passage', () => {
    expect(parseGrades('1: 3\n1: 9\n0: 9\n7: 9', 2)).toEqual([0.3, undefined]);
  });

  it('finds no grade in a text without any', () => {
    for (const answer of ['', 'I will not grade these.', '9: 9', '1: eleven', '<think>\n1: 9\n</think>\n'])
      expect(parseGrades(answer, 3)).toEqual([undefined, undefined, undefined]);
  });

  it('returns a score from 0 to 1 or undefined for each passage, for any answer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789:. -/[]*\npassage') }),
        fc.integer({ min: 1, max: 20 }),
        (answer, count) => {
          const grades = parseGrades(answer, count);
          expect(grades).toHaveLength(count);
          expect(grades.every((grade) => grade === undefined || (grade >= 0 && grade <= 1))).toBe(true);
        },
      ),
    );
  });
});

describe('gradingPrompt', () => {
  it('does not cut within a letter', () => {
    const [, { content }] = gradingPrompt('Why?', [`a${'😀'.repeat(1500)}`]) as [unknown, { content: string }];
    expect(content).toContain('a😀😀');
    expect(content.isWellFormed()).toBe(true);
  });

  it('encloses each passage in a marker that no passage can know', () => {
    const [first, second] = [gradingPrompt('Why?', ['one', 'two']), gradingPrompt('Why?', ['one', 'two'])];
    const marker = /--- passage 1 ([0-9a-f]{24}) ---/.exec(first[1]!.content)![1]!;
    expect(first[1]!.content).toBe(
      `--- passage 1 ${marker} ---\none\n--- end of passage 1 ${marker} ---\n\n--- passage 2 ${marker} ---\ntwo\n--- end of passage 2 ${marker} ---\n\nQuery: Why?`,
    );
    expect(first[0]!.content).toContain(marker);
    expect(second[1]!.content).not.toContain(marker);
  });

  it('removes invisible characters, and cuts long texts', () => {
    const [, { content } = { content: '' }] = gradingPrompt(`W\u200bhy${'?'.repeat(9000)}`, [`a\u202eb${'c'.repeat(9000)}`]);
    expect(content).toContain('ab' + 'c'.repeat(1998) + '\n---');
    expect(content).toContain(`Why${'?'.repeat(1997)}`);
    expect(content.length).toBeLessThan(5000);
  });
});

const estimate = (text: string) => Math.ceil(text.length / 3.5);
const sizeOf = (texts: readonly string[]) => gradingPrompt('Why?', texts).reduce((sum, { content }) => sum + estimate(content), 0);

describe('fitPassages', () => {
  it('puts passages into one batch if the window holds them', () => {
    const { batches: portions, answer } = fitPassages('Why?', ['one', 'two'], { window: { tokens: 8000, estimate }, max_tokens: 1024 });
    expect([portions, answer]).toEqual([[['one', 'two']], 1024]);
  });

  it('returns no batch without passages', () => {
    expect(fitPassages('Why?', [], { window: { tokens: 8000, estimate }, max_tokens: 5 }).batches).toEqual([]);
  });

  it('reserves a quarter of the window for the answer, up to half if the grades need it', () => {
    const answerOf = (count: number, tokens: number, max_tokens: number) =>
      fitPassages('Why?', Array<string>(count).fill('one'), { window: { tokens, estimate }, max_tokens }).answer;
    expect([answerOf(1, 4000, 9000), answerOf(50, 4000, 5), answerOf(50, 1200, 5)]).toEqual([1000, 700, 600]);
  });

  it('keeps the order of passages, and fits each batch with its answer into the window', () => {
    const text = fc.nat(3000).map((length) => 'word '.repeat(length / 5).trim());
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), fc.integer({ min: 2500, max: 40_000 }), (texts, tokens) => {
        const { batches: portions, answer } = fitPassages('Why?', texts, { window: { tokens, estimate }, max_tokens: 1024 });
        expect(portions.flat()).toEqual(texts.map((whole) => whole.slice(0, 2000)));
        for (const portion of portions) expect(sizeOf(portion) + answer).toBeLessThanOrEqual(tokens);
      }),
    );
  });

  it('cuts passages between letters', () => {
    for (const tokens of [900, 901, 902, 903]) {
      const { batches: portions } = fitPassages('Why?', [`a${'😀'.repeat(1500)}`], { window: { tokens, estimate }, max_tokens: 1024 });
      expect(portions.flat().every((shown) => shown.isWellFormed())).toBe(true);
    }
  });

  it('cuts a passage that does not fit alone', () => {
    const { batches: portions, answer } = fitPassages('Why?', ['word '.repeat(400)], {
      window: { tokens: 1000, estimate },
      max_tokens: 1024,
    });
    expect(sizeOf(portions[0]!) + answer).toBeLessThanOrEqual(1000);
    expect(portions[0]![0]!.length).toBeGreaterThan(200);
  });
});
