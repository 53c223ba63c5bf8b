import { expect, it } from 'vitest';
import { editDistance, findNearest, isWithinDistance } from '../../src/core/nearest.ts';

it('counts letters that are inserted, removed, changed or swapped', () => {
  expect([
    editDistance('abc', 'abc'),
    editDistance('abc', 'abcd'),
    editDistance('abc', 'ac'),
    editDistance('abc', 'axc'),
    editDistance('abc', 'acb'),
  ]).toEqual([0, 1, 1, 1, 1]);
});

it('finds the word that was probably meant, and none if nothing is near', () => {
  expect(findNearest('retreive', ['ingest', 'retrieve', 'chat'])).toBe('retrieve');
  expect(findNearest('chunk_overlapp', ['chunk_size', 'chunk_overlap'])).toBe('chunk_overlap');
  expect(findNearest('xyz', ['ingest', 'retrieve'])).toBeUndefined();
  expect([findNearest('nope', ['pipe']), findNearest('lsit', ['list']), findNearest('pip', ['pipe'])]).toEqual([undefined, 'list', 'pipe']);
  expect(findNearest('manuals/nope.md', ['manuals/员工手册.md'])).toBeUndefined();
  expect(findNearest('manuals/maintenace-of-pumps.md', ['manuals/maintenance-of-the-pumps.md'])).toBe(
    'manuals/maintenance-of-the-pumps.md',
  );
});

it('compares only names of similar and bounded length', () => {
  const long = 'k'.repeat(1_000_000);
  expect(findNearest(long, [`${long}s`, 'k'])).toBeUndefined();
  expect(findNearest('k'.repeat(256), [`${'k'.repeat(256)}s`])).toBe(`${'k'.repeat(256)}s`);
  expect(findNearest('retreive', [long, 'retrieve'])).toBe('retrieve');
  expect([isWithinDistance(long, `${long}s`, 1), isWithinDistance('abc', 'abcd', 1), isWithinDistance('abc', 'abcde', 1)]).toEqual([
    false,
    true,
    false,
  ]);
});

it('stops comparing when there are too many words', () => {
  const words = Array.from({ length: 200_000 }, (_, i) => `w${String(i).padStart(199, 'x')}`);
  expect(findNearest('y'.repeat(200), [...words, 'y'.repeat(199)])).toBeUndefined();
});
