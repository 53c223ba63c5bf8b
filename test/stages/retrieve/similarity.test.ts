import { describe, expect, it, test } from 'vitest';
import {
  analyseChunk,
  identifierBonus,
  identifiersIn,
  indexedText,
  likenessOf,
  MIN_SCORE_BY_WORDS,
  similarity,
} from '../../../src/stages/retrieve/similarity.ts';
import { hashTerm, ownTerms, terms } from '../../../src/text/terms.ts';
import { createTermShare } from '../../../src/text/comparison.ts';
import fc from 'fast-check';

const chunkOf = (text: string, title?: string) => ({ id: text, text, source: 'a', metadata: title === undefined ? {} : { title } });

describe('the analysis of a chunk', () => {
  it('contains the terms of its title and text only', () => {
    for (const text of [
      'The pumps of ERR-4042 are in Turin.',
      '保修多长时间？整机保修两年',
      '',
      'Wie wird die Pumpe gewartet? Die Dichtung ist nicht da.',
    ]) {
      const chunk = chunkOf(text, 'Manual of readOnlyFile');
      const indexed = `Manual of readOnlyFile\n\n${text}`;
      for (const term of terms(indexed)) expect(analyseChunk(chunk).holds(term), term).toBe(true);
      for (const term of ['valve', 'err-4043', '保养', '']) expect(analyseChunk(chunk).holds(term), term).toBe(false);
      expect([...analyseChunk(chunk).own]).toEqual(ownTerms(indexed).map(hashTerm));
    }
  });

  it('gives the same word share as the text', () => {
    for (const text of ['Pumps are made in Turin.', 'Nothing of it.', '整机保修两年'])
      for (const question of ['Which pumps are made in Turin?', '保修多长时间？'])
        expect(createTermShare(question, { capital: 2 })(analyseChunk(chunkOf(text)))).toBe(
          createTermShare(question, { capital: 2 })(text),
        );
  });

  it('is computed once for a chunk, with its language', () => {
    const chunk = chunkOf('Wie wird die Pumpe gewartet? Die Dichtung ist nicht da.');
    expect(analyseChunk(chunk)).toBe(analyseChunk(chunk));
    expect(analyseChunk(chunk).language).toBe('de');
    expect(analyseChunk(chunkOf('4711')).language).toBeUndefined();
  });
});

test('recognises codes, names with underscores and versions as identifiers', () => {
  expect(identifiersIn('what does ERR-4042 mean?')).toEqual(['err-4042']);
  expect(identifiersIn('call foo_bar() since v2.3.1, see HX100')).toEqual(['foo_bar', 'v2.3.1', 'hx100']);
});

test('does not take words, plain numbers, ordinals and decades for identifiers', () => {
  expect(identifiersIn('the high-speed trains of the 1990s, the 16th in 2019, e.g. node.js at 3.5')).toEqual([]);
  expect(identifierBonus('how often is the filter replaced')).toBeUndefined();
});

test('gives a bonus only for the exact identifier, in any case and with any hyphen', () => {
  const bonus = identifierBonus('ERR-4042')!;
  expect(bonus(chunkOf('The display shows err-4042.'))).toBeGreaterThan(0);
  expect(bonus(chunkOf('The display shows ERR\u20114042.'))).toBeGreaterThan(0);
  for (const other of ['ERR-404', 'ERR-40421', 'ERR 4042', 'WARN-4042', '4042'])
    expect(bonus(chunkOf(`The display shows ${other}.`)), other).toBe(0);
});

test('recognises an identifier among words without spaces', () => {
  expect(identifiersIn('F-117是什么意思？')).toEqual(['f-117']);
  const bonus = identifierBonus('F-117是什么意思？')!;
  expect(bonus(chunkOf('错误F-117表示水压过低。'))).toBeGreaterThan(0);
  expect(bonus(chunkOf('エラーF-117の意味'))).toBeGreaterThan(0);
  for (const other of ['错误F-1170表示', '错误F-118表示']) expect(bonus(chunkOf(other)), other).toBe(0);
  expect(identifierBonus('what is F-117?')!(chunkOf('错误F-117表示水压过低。'))).toBeGreaterThan(0);
});

test('gives half of the bonus to a chunk with one of two identifiers', () => {
  const bonus = identifierBonus('ERR-1 or ERR-2')!;
  expect(bonus(chunkOf('ERR-1'))).toBeCloseTo(bonus(chunkOf('ERR-1, ERR-2')) / 2);
});

test('reads a query of a hundred thousand joined letters in little time', () => {
  expect(identifiersIn('a.'.repeat(50_000))).toEqual([]);
});

const share = (question: string, text: string): number => createTermShare(question)(text);

test('counts shared words regardless of endings', () => {
  expect(share('replacing the filter cartridges', 'The filter cartridge is replaced every 90 days.')).toBeCloseTo(3 / 5);
  expect(share('replacing the filter cartridges', 'The canteen closes at two.')).toBe(0);
});

test('rates one shared word of one lower than six of six', () => {
  expect(share('pump', 'The pump stops.')).toBeLessThan(
    share('pump stops red light panel five', 'The pump stops; the red light of panel five is on.'),
  );
});

test('by words alone, one of one and two of four words pass, one of two and none do not', () => {
  expect(share('pump', 'The pump stops.')).toBeGreaterThanOrEqual(MIN_SCORE_BY_WORDS);
  expect(share('pump stops red light', 'The pump stops.')).toBeGreaterThanOrEqual(MIN_SCORE_BY_WORDS);
  expect(share('pump pressure', 'The pump stops.')).toBeLessThan(MIN_SCORE_BY_WORDS);
  expect(share('canteen', 'The pump stops.')).toBe(0);
});

test('does not count Chinese question words as missing', () => {
  const text = '过滤器每九十天更换一次。';
  expect(share('过滤器是什么', text)).toBeGreaterThan(share('过滤器水泵电机', text));
});

test('gives a query without words no share', () => {
  expect(share('???', 'The pump stops.')).toBe(0);
});

test('indexes a chunk with its title and headings', () => {
  const chunk = { id: '1', text: 'Every 90 days.', source: 's', metadata: { title: 'Filters' } };
  expect(indexedText(chunk)).toContain('Filters');
  expect(indexedText({ ...chunk, embed_text: 'Manual > Filters\n\nEvery 90 days.' })).toContain('Manual > Filters');
});

test('scales a cosine between that of unrelated texts and that of texts with the same meaning', () => {
  expect([0.7, 0.75, 0.81, 0.9, 0.95].map((cosine) => Number(likenessOf(cosine, [0.75, 0.9]).toFixed(3)))).toEqual([0, 0, 0.4, 1, 1]);
  expect([-0.2, 0.4, 1].map((cosine) => likenessOf(cosine))).toEqual([0, 0.4, 1]);
});

test('similarity is the word share without vectors', () => {
  expect(similarity({ likeness: undefined, words: 0.4, coverage: 1 })).toBe(0.4);
});

test('similarity is the mean of the likenesses across languages', () => {
  expect(similarity({ likeness: [0.6, 0.4], words: undefined, coverage: 1 })).toBeCloseTo(0.5);
});

test('similarity weights the likenesses by the coverage of the embedder, and the words by 1.5', () => {
  const evidence = { likeness: [0.9, 0.9], words: 0.3 } as const;
  expect(similarity({ ...evidence, coverage: 1 })).toBeCloseTo((0.9 + 0.9 + 1.5 * 0.3) / 3.5);
  expect(similarity({ ...evidence, coverage: 0.5 })).toBeCloseTo((0.9 + 1.5 * 0.3) / 2.5);
  expect(similarity({ ...evidence, coverage: 0 })).toBeCloseTo(0.3);
});

test('similarity lies between its smallest and largest part, and grows with each', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(unit, unit, unit, unit, unit, (greatest, best, words, coverage, more) => {
      const value = similarity({ likeness: [greatest, best], words, coverage });
      expect(value).toBeGreaterThanOrEqual(Math.min(greatest, best, words) - 1e-9);
      expect(value).toBeLessThanOrEqual(Math.max(greatest, best, words) + 1e-9);
      expect(similarity({ likeness: [greatest, best], words: Math.min(1, words + more), coverage })).toBeGreaterThanOrEqual(value - 1e-9);
      expect(similarity({ likeness: [Math.min(1, greatest + more), best], words, coverage })).toBeGreaterThanOrEqual(value - 1e-9);
    }),
  );
});
