import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileTypes } from '../src/file-types.ts';
import { compareWords, countMissing } from '../src/visible-words.ts';
import { sampleFiles } from './support/sample-files.ts';
import { shownTextOf } from '../bench/shown-text.ts';
import { expectEveryWord } from './support/every-word.ts';

const { fileType } = fileTypes();
const examples = ['examples/manuals', 'packages/documents/test/pages'].flatMap((folder) =>
  readdirSync(folder).map((name): [string, Buffer] => [`${folder}/${name}`, readFileSync(`${folder}/${name}`)]),
);
const files = [...Object.entries(sampleFiles), ...examples].filter(([name]) => shownTextOf(fileType(name) ?? ''));

it.each(files)('keeps every word of %s', async (name, content) => {
  await expectEveryWord(fileType(name)!, Buffer.from(content), name);
});

describe('compareWords', () => {
  it('lists the words that Markdown lacks, and those that it holds too few times', () => {
    expect(compareWords('one two two three', 'Two, one.')).toEqual({ words: 4, missing: ['two', 'three'] });
  });
  it('ignores order, case, ligatures, emphasis, escapes and addresses', () => {
    expect(compareWords('Of\ufb01ce hours: 9 to 5', '**O**ffice [to 5](http://hours.example "Hours") 9 hours').missing).toEqual([]);
    expect(compareWords('hours', '[to 5](http://hours.example)').missing).toEqual(['hours']);
  });
  it('joins words that one side splits', () => {
    expect(compareWords('main- tenance of a valve', 'maintenance of a valve').missing).toEqual([]);
    expect(compareWords('maintenance x2', 'main tenance x<sup>2</sup>').missing).toEqual([]);
  });
  it('counts the characters of scripts without spaces', () => {
    expect(compareWords('水泵 维护', '水 维护').missing).toEqual(['泵']);
  });
  it('takes tags in code for text', () => {
    expect(compareWords('Write <main> first', 'Write `<main>` first').missing).toEqual([]);
  });
});

it('counts missing words only if they are more than two percent', () => {
  const words = Array.from({ length: 100 }, (_, i) => `word${i}`);
  expect(countMissing(words.join(' '), words.slice(2).join(' '))).toBeUndefined();
  expect(countMissing(words.join(' '), words.slice(3).join(' '))).toBe(3);
});
