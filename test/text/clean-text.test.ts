import { describe, expect, it, test } from 'vitest';
import { cleanChunk, cleanDocument, cleanText, removeInvisible } from '../../src/text/clean-text.ts';

describe('a clean text', () => {
  const cases: [string, string, string][] = [
    ['bells, backspaces and DEL', 'a\u0007\u0008\u007fb', 'ab'],
    ['C1 controls, but what follows them is text', 'D\u009bti \u009d and \u009c', 'Dti  and '],
    ['overrides and isolates of direction', 'file\u202egnp.exe\u202c \u2066x\u2069', 'filegnp.exe x'],
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['links and titles of a terminal', '\u001b]8;;https://a.example\u001b\\here\u001b]8;;\u001b\\ \u001b]0;owned\u0007after', 'here after'],
    ['an escape alone', 'a\u001bc', 'ac'],
  ];
  it.each(cases)('does not contain %s', (_what, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('keeps separated words apart, and its lines', () => {
    expect(cleanText('one\u0085two\u000cthree\r\nfour\rfive\tsix\u0000')).toBe('one two three\nfour\nfive\tsix');
  });

  it('keeps everything else', () => {
    const text = 'Täßchen 中文 עברית \u200f👍🏽\u200d \u00a0\t\n[31m';
    expect(cleanText(text)).toBe(text);
  });

  it('is cleaned in linear time', () => {
    const hostile = '\u001b]'.repeat(200_000) + '\u001b[' + '0'.repeat(200_000);
    expect(cleanText(hostile).length).toBeLessThan(hostile.length);
  });
});

describe('a clean document', () => {
  it('has a clean title, metadata and marks at their positions', () => {
    const text = 'one\u0007\u0007\n\u202etwo\nthree';
    const document = cleanDocument({
      id: '1',
      source: 'a',
      text,
      title: 'Fog\u009b',
      metadata: { 'na\u0000me': ['x\u202e', { deep: 'y\u0007' }], year: 2026, none: null },
      marks: [
        { at: 0, line: 1 },
        { at: text.indexOf('\u202e'), line: 2, anchor: 'a\u009b' },
        { at: text.indexOf('three'), line: 3 },
      ],
    });
    expect(document).toEqual({
      id: '1',
      source: 'a',
      text: 'one\ntwo\nthree',
      title: 'Fog',
      metadata: { name: ['x', { deep: 'y' }], year: 2026, none: null },
      marks: [
        { at: 0, line: 1 },
        { at: 4, line: 2, anchor: 'a' },
        { at: 8, line: 3 },
      ],
    });
  });
});

it('cleaning a chunk keeps its vector, and adds no field', () => {
  expect(cleanChunk({ id: 'a', text: 'x\u0007', metadata: { title: '\u202eT' }, embedding: [1, 2] })).toEqual({
    id: 'a',
    text: 'x',
    metadata: { title: 'T' },
    embedding: [1, 2],
  });
});

test('removeInvisible removes invisible characters and keeps visible ones', () => {
  const smuggled = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('');
  expect(removeInvisible(`a\u200bb\u2060c\ufeffd\u202ee\u2066f\ufff9g\0h\x1bi${smuggled}`)).toBe('abcdefghi');
  expect(removeInvisible('Tab\tand\nnewline, ü, 漢字, مرحبا')).toBe('Tab\tand\nnewline, ü, 漢字, مرحبا');
});

test('removeInvisible keeps a joiner between two letters only', () => {
  expect(removeInvisible('می\u200cخواهم')).toBe('می\u200cخواهم');
  expect(removeInvisible('a \u200d b\u200c')).toBe('a  b');
  expect(removeInvisible('a\u200c\u200d\u200cb')).toBe('ab');
});

test('removeInvisible converts all line ends to newlines', () => {
  expect(removeInvisible('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd');
});

test('removeTerminalSequences removes sequences with their letters', () => {
  const orders = [
    '\u001b[31m',
    '\u001b]0;owned\u0007',
    '\u001b]8;;http://evil.example\u001b\\',
    '\u009b2J',
    '\u001bP1;2q\u001b\\',
    '\u009dx\u009c',
  ];
  expect(removeInvisible(`hold ${orders.join('')}it`)).toBe('hold it');
  expect(removeInvisible('a \u001b] that never ends')).toBe('a ] that never ends');
});
