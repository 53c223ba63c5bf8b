import { expect, test } from 'vitest';
import { visible } from '../../src/text/clean-text.ts';

test('what a person cannot see is taken out, and what they can stays', () => {
  const smuggled = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('');
  expect(visible(`a\u200bb\u2060c\ufeffd\u202ee\u2066f\ufff9g\0h\x1bi${smuggled}`)).toBe('abcdefghi');
  expect(visible('Tab\tand\nnewline, ü, 漢字, مرحبا')).toBe('Tab\tand\nnewline, ü, 漢字, مرحبا');
});

test('a joiner between two letters is part of the spelling; elsewhere it hides something', () => {
  expect(visible('می\u200cخواهم')).toBe('می\u200cخواهم');
  expect(visible('a \u200d b\u200c')).toBe('a  b');
  expect(visible('a\u200c\u200d\u200cb')).toBe('ab');
});

test('line ends of every kind become newlines', () => {
  expect(visible('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd');
});

test('leaves nothing of the letters of orders to a terminal', () => {
  const orders = [
    '\u001b[31m',
    '\u001b]0;owned\u0007',
    '\u001b]8;;http://evil.example\u001b\\',
    '\u009b2J',
    '\u001bP1;2q\u001b\\',
    '\u009dx\u009c',
  ];
  expect(visible(`hold ${orders.join('')}it`)).toBe('hold it');
  expect(visible('a \u001b] that never ends')).toBe('a ] that never ends');
});
