import { describe, expect, it } from 'vitest';
import { readBlocks } from '../../src/markdown/blocks.ts';

const shape = (text: string) => readBlocks(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const headings = (text: string) => readBlocks(text).flatMap(({ kind, level, title }) => (kind === 'heading' ? [[level, title]] : []));

describe('headings', () => {
  it('are lines of one to six # and a space, at most three columns indented', () => {
    expect(headings('# One\n\n  ###### Six  \n\n####### seven\n\n#none\n\n    # code\n')).toEqual([
      [1, 'One'],
      [6, 'Six'],
    ]);
  });

  it('have titles without closing marks, links, emphasis, code marks and anchors', () => {
    expect(headings('## Reset [the *pump*](http://a.test/b) `now` ##\n\n# C#\n\n# **Bold** {#bold}\n\n# 2 \\* 3\n\n#\n')).toEqual([
      [2, 'Reset the *pump* now'],
      [1, 'C#'],
      [1, 'Bold'],
      [1, '2 * 3'],
      [1, ''],
    ]);
  });

  it('may be underlined, but not after a blank line, a list or a blockquote', () => {
    expect(headings('Title\n=====\n\nSub title\n--\n\nText\n\n---\n\n- item\n---\n> quote\n---\n')).toEqual([
      [1, 'Title'],
      [2, 'Sub title'],
    ]);
  });

  it('are not found inside fences, comments and preformatted text', () => {
    const text =
      '```sh\n# a\n```\n\n~~~\n```\n# b\n~~~\n\n<!-- \n# c\n-->\n\n<pre>\n# d\n</pre>\n\n- item\n\n      ```\n      # e\n      ```\n\n# real\n';
    expect(headings(text)).toEqual([[1, 'real']]);
  });

  it('have truncated titles if they are long', () => {
    expect(readBlocks(`# ${'word '.repeat(100)}`)[0]!.title.length).toBe(200);
  });
});

describe('blocks', () => {
  it('are paragraphs, lists, tables, fences, rules and comments', () => {
    const text = 'One\ntwo\n\n- a\n  b\n\n- c\n\n| x |\n|---|\n| y |\n\n```js\ncode\n\nmore\n```\n***\n<!-- note -->\nend';
    expect(shape(text)).toEqual([
      ['paragraph', 'One\ntwo'],
      ['list', '- a\n  b\n\n- c'],
      ['table', '| x |\n|---|\n| y |'],
      ['fence', '```js\ncode\n\nmore\n```'],
      ['rule', '***'],
      ['comment', '<!-- note -->'],
      ['paragraph', 'end'],
    ]);
  });

  it('contain every character except white space, with CRLF and tabs as well', () => {
    const text = '# A\r\n\r\n\tcode\r\n\r\ntext\r\n- x\r\n\r\n| a |\r\n|---|\r\n| b |\r\n';
    const blocks = readBlocks(text);
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'paragraph', 'list', 'table']);
    expect(blocks.map(({ start, end }) => text.slice(start, end)).join('')).toBe('# Acodetext- x| a |\r\n|---|\r\n| b |');
  });

  it('begin a table with the line above the separator', () => {
    expect(shape('Prices:\nA | B\n---|:-:\n1 | 2\n\nA | B\n---\n')).toEqual([
      ['paragraph', 'Prices:'],
      ['table', 'A | B\n---|:-:\n1 | 2'],
      ['heading', 'A | B\n---'],
    ]);
  });

  it('continue a list after blank lines while lines are indented', () => {
    expect(shape('1. one\n\n   more\n\n2. two\n\nafter')).toEqual([
      ['list', '1. one\n\n   more\n\n2. two'],
      ['paragraph', 'after'],
    ]);
  });

  it('keep a number at the beginning of a line within its paragraph', () => {
    expect(shape('It was made in\n1984. It still runs.')).toEqual([['paragraph', 'It was made in\n1984. It still runs.']]);
  });

  it('begin at the next item after one with code', () => {
    const first = ['list', '1. Run:'];
    const code = ['fence', '```\n   a\n   ```'];
    expect(shape('1. Run:\n   ```\n   a\n   ```\n   It ends in\n   1984. Wait.\n2. Stop.')).toEqual([
      first,
      code,
      ['paragraph', 'It ends in\n   1984. Wait.'],
      ['list', '2. Stop.'],
    ]);
  });

  it('end with the text if a fence or comment is never closed', () => {
    expect(shape('```\n# a\n\nb')).toEqual([['fence', '```\n# a\n\nb']]);
    expect(shape('<!-- a\n\nb')).toEqual([
      ['paragraph', '<!-- a'],
      ['paragraph', 'b'],
    ]);
  });
});
