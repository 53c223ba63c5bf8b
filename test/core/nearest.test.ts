import { expect, it } from 'vitest';
import { editDistance, findNearest } from '../../src/core/nearest.ts';

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
