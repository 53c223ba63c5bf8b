import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharesOf } from '../../../src/text/word-share.ts';
import { indexedText, likenessOf, MIN_SCORE_BY_WORDS, similarity } from '../../../src/stages/retrieve/similarity.ts';

const share = (question: string, text: string): number => sharesOf(question)(text);

test('a text shares the words of a query whatever their endings', () => {
  expect(share('replacing the filter cartridges', 'The filter cartridge is replaced every 90 days.')).toBeCloseTo(3 / 5);
  expect(share('replacing the filter cartridges', 'The canteen closes at two.')).toBe(0);
});

test('one word of one says less than six of six', () => {
  expect(share('pump', 'The pump stops.')).toBeLessThan(
    share('pump stops red light panel five', 'The pump stops; the red light of panel five is on.'),
  );
});

test('by words alone, all of one word and half of four pass, half of two and none do not', () => {
  expect(share('pump', 'The pump stops.')).toBeGreaterThanOrEqual(MIN_SCORE_BY_WORDS);
  expect(share('pump stops red light', 'The pump stops.')).toBeGreaterThanOrEqual(MIN_SCORE_BY_WORDS);
  expect(share('pump pressure', 'The pump stops.')).toBeLessThan(MIN_SCORE_BY_WORDS);
  expect(share('canteen', 'The pump stops.')).toBe(0);
});

test('Chinese letters that only ask do not count as missing', () => {
  const text = '过滤器每九十天更换一次。';
  expect(share('过滤器是什么', text)).toBeGreaterThan(share('过滤器水泵电机', text));
});

test('a query without a word in it shares nothing', () => {
  expect(share('???', 'The pump stops.')).toBe(0);
});

test('a chunk is indexed with its title and headings', () => {
  const chunk = { id: '1', text: 'Every 90 days.', source: 's', metadata: { title: 'Filters' } };
  expect(indexedText(chunk)).toContain('Filters');
  expect(indexedText({ ...chunk, embed_text: 'Manual > Filters\n\nEvery 90 days.' })).toContain('Manual > Filters');
});

test('a cosine counts from that of unrelated texts to that of texts that say the same', () => {
  expect([0.7, 0.75, 0.81, 0.9, 0.95].map((cosine) => Number(likenessOf(cosine, [0.75, 0.9]).toFixed(3)))).toEqual([0, 0, 0.4, 1, 1]);
  expect([-0.2, 0.4, 1].map((cosine) => likenessOf(cosine))).toEqual([0, 0.4, 1]);
});

test('without vectors the similarity is the share of words', () => {
  expect(similarity({ likeness: undefined, words: 0.4, reads: 1 })).toBe(0.4);
});

test('across languages the likenesses alone count', () => {
  expect(similarity({ likeness: [0.6, 0.4], words: undefined, reads: 1 })).toBeCloseTo(0.5);
});

test('the likenesses count as much as the embedder reads of the query, the words one and a half times', () => {
  const evidence = { likeness: [0.9, 0.9], words: 0.3 } as const;
  expect(similarity({ ...evidence, reads: 1 })).toBeCloseTo((0.9 + 0.9 + 1.5 * 0.3) / 3.5);
  expect(similarity({ ...evidence, reads: 0.5 })).toBeCloseTo((0.9 + 1.5 * 0.3) / 2.5);
  expect(similarity({ ...evidence, reads: 0 })).toBeCloseTo(0.3);
});

test('it lies between the least and the greatest of what it is made of, and grows with each', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(unit, unit, unit, unit, unit, (greatest, best, words, reads, more) => {
      const value = similarity({ likeness: [greatest, best], words, reads });
      expect(value).toBeGreaterThanOrEqual(Math.min(greatest, best, words) - 1e-9);
      expect(value).toBeLessThanOrEqual(Math.max(greatest, best, words) + 1e-9);
      expect(similarity({ likeness: [greatest, best], words: Math.min(1, words + more), reads })).toBeGreaterThanOrEqual(value - 1e-9);
      expect(similarity({ likeness: [Math.min(1, greatest + more), best], words, reads })).toBeGreaterThanOrEqual(value - 1e-9);
    }),
  );
});
