import { describe, expect, it } from 'vitest';
import { analyseChunk } from '../../../src/stages/retrieve/analysed-chunk.ts';
import { hashTerm, ownTerms, terms } from '../../../src/text/terms.ts';
import { sharesOf } from '../../../src/text/word-share.ts';

const chunkOf = (text: string, title?: string) => ({ id: text, text, source: 'a', metadata: title === undefined ? {} : { title } });

describe('the analysis of a chunk', () => {
  it('holds the terms of its title and text, and no others', () => {
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
        expect(sharesOf(question, { capital: 2 })(analyseChunk(chunkOf(text)))).toBe(sharesOf(question, { capital: 2 })(text));
  });

  it('is made once for a chunk, with its language', () => {
    const chunk = chunkOf('Wie wird die Pumpe gewartet? Die Dichtung ist nicht da.');
    expect(analyseChunk(chunk)).toBe(analyseChunk(chunk));
    expect(analyseChunk(chunk).language).toBe('de');
    expect(analyseChunk(chunkOf('4711')).language).toBeUndefined();
  });
});
