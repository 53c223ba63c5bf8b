import { describe, expect, it } from 'vitest';
import { cutLine, cutText, cutWord } from '../../../src/stages/chunk/split.ts';

const before = (text: string, to: number, from = 1): string => text.slice(0, cutText(text, from, to));

describe('splitting prose', () => {
  it('cuts after the last sentence that fits, including closing quotes', () => {
    expect(before('He said “stop.” Then he left. Nobody came.', 40)).toBe('He said “stop.” Then he left.');
    expect(before('He said “stop.” Then he left. Nobody came.', 20)).toBe('He said “stop.”');
  });

  it('does not cut after abbreviations, initials, list numbers, or a full stop before lower case', () => {
    expect(before('Stop. Ask Dr. Smith of the ward', 30)).toBe('Stop.');
    expect(before('Stop. Use a tool, e.g. Tongs or the like', 35)).toBe('Stop.');
    expect(before('Stop. It was J. Miller who saw it', 30)).toBe('Stop.');
    expect(before('Stop. See kb.md. for the rest of it', 30)).toBe('Stop.');
    expect(before('Stop now.\n2. Start it again with the key', 35)).toBe('Stop now.');
  });

  it('does not cut after German ordinals and abbreviations, but after a number that ends a sentence', () => {
    expect(before('Halt. Sie endet am 30. September des Jahres', 30)).toBe('Halt.');
    expect(before('Halt. Er singt im 2. Stock des Hauses', 25)).toBe('Halt.');
    expect(before('Halt. Sie spielt z. B. Kieler Lieder', 26)).toBe('Halt.');
    expect(before('Halt. Nach § 5 Abs. 2 der Satzung', 24)).toBe('Halt.');
    expect(before('Stop. There were 12. The others left', 25)).toBe('Stop. There were 12.');
  });

  it('cuts after a sentence of Chinese, Japanese, Arabic or Hindi', () => {
    expect(before('请关闭水泵。然后等待三十分钟再打开盖子', 15)).toBe('请关闭水泵。');
    expect(before('「止めてください。」次に蓋を開けます', 14)).toBe('「止めてください。」');
    expect(before('هل توقفت المضخة؟ افتح الغطاء ببطء', 28)).toBe('هل توقفت المضخة؟');
    expect(before('पंप बंद करें। फिर ढक्कन खोलें', 22)).toBe('पंप बंद करें।');
  });

  it('cuts after a line, else a word, if no sentence ends', () => {
    expect(before('one two\nthree four five', 16)).toBe('one two');
    expect(before('one two three', 10)).toBe('one two');
    expect(before('one two three', 7)).toBe('one two');
  });

  it('cuts between words of a script without spaces, but not before closing punctuation', () => {
    const text = '過濾器必須每三個月更換一次以免堵塞';
    const words = new Set<number>([...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)].map(({ index }) => index));
    for (let to = 3; to < text.length; to++) expect(words.has(cutText(text, 1, to))).toBe(true);
    expect(cutText('水泵停止，等待', 1, 4)).not.toBe(4);
  });

  it('does not cut inside a grapheme that fits', () => {
    const family = '👩‍👩‍👧‍👦';
    const text = family.repeat(5);
    for (let to = family.length; to < text.length; to++) expect(cutWord(text, 1, to) % family.length).toBe(0);
    expect(cutWord('ae\u0301e\u0301', 1, 4)).toBe(3);
    expect(cutWord(`x${'\u0301'.repeat(300)}😀y`, 1, 302)).toBe(301);
  });

  it('cuts after a surrogate pair that fills the room', () => {
    expect(cutWord('👍👍', 1, 1)).toBe(2);
  });

  it('cuts anywhere in a word that does not fit', () => {
    expect(cutWord('x'.repeat(100), 1, 40)).toBe(40);
  });
});

it('cuts code after lines, not after sentences', () => {
  expect(cutLine('say("Stop. Now.");\nrun();', 1, 24)).toBe(18);
});
