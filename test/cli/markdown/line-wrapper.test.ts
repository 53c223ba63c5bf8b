import width from 'string-width';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineWrapper, wrapSpans, wrapRow, wrapText, clip } from '../../../src/cli/markdown/line-wrapper.ts';

const fold = (text: string, columns: number, rest = {}) => wrapSpans([{ text, paint: (part) => part }], { columns, ...rest });

describe('wrapped text', () => {
  it('breaks between words, and continues below its beginning', () => {
    expect(fold('The filter is replaced every 90 days.', 16)).toBe('The filter is\nreplaced every\n90 days.');
    expect(fold('one two three', 7, { first: '• ', hang: '  ' })).toBe('• one\n  two\n  three');
    expect(fold('one two', 7, { first: '\u001b[2m│ \u001b[22m', hang: '| ' })).toBe('\u001b[2m│ \u001b[22mone\n| two');
  });

  it('breaks between Chinese characters, but not before closing or after opening marks', () => {
    expect(fold('这是一个句子。在此', 12)).toBe('这是一个句\n子。在此');
    expect(fold('他说「你好」吧', 6)).toBe('他说\n「你\n好」吧');
    expect(fold('使用kb命令', 6)).toBe('使用kb\n命令');
  });

  it('keeps a word whole that is longer than a line, and non-breaking spaces', () => {
    const address = 'https://example.com/a/very/long/path';
    expect(fold(`see ${address} there`, 16)).toBe(`see\n${address} there`); // the terminal broke the address twice: its last row has room
    expect(fold('at 10\u00a0o’clock', 8)).toBe('at\n10\u00a0o’clock');
    expect(fold('👩‍👩‍👧👩‍👩‍👧 x', 4)).toBe('👩‍👩‍👧👩‍👩‍👧\nx');
  });

  it('is drawn word by word', () => {
    const drawn: string[] = [];
    const flow = new LineWrapper(20, (text) => drawn.push(text));
    flow.open('', '');
    flow.write('one tw');
    expect(drawn.join('')).toBe('one');
    flow.write('o ');
    expect(drawn.join('')).toBe('one two');
    flow.close();
    expect(drawn.join('')).toBe('one two\n');
  });

  it('keeps every word in order and fits, for random text', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map((word) => word.replace(/\s/gu, 'x')),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 16, max: 40 }), (list, columns) => {
        const text = fold(list.join(' '), columns);
        expect(text.replace(/\s/gu, '')).toBe(list.join(''));
        for (const line of text.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('a sentence', () => {
  it('keeps its own newlines, and is unchanged without a terminal', () => {
    expect(wrapText('\none two\nthree', 5)).toBe('\none\ntwo\nthree');
    expect(wrapText('one two three four', undefined)).toBe('one two three four');
    expect(wrapText('one  two', 8)).toBe('one  two');
    expect(wrapRow('a  ', 'one two', undefined)).toBe('a  one two');
    expect(wrapRow('a  ', 'one two', 8)).toBe('a  one\n   two');
    expect(wrapRow('a label  ', 'one two', 12)).toBe('a label  one\n    two');
  });

  it('keeps its indentation', () => {
    expect(wrapText('  one two three', 10)).toBe('  one two\n  three');
  });
});

describe('a text that is too long', () => {
  it('is cut before the first character that does not fit, with an ellipsis', () => {
    expect(clip('short', 5)).toBe('short');
    expect(clip('too long', 5)).toBe('too…');
    expect(clip('中文中文', 6)).toBe('中文…');
    expect(clip('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…');
  });
});
