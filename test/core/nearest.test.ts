import { expect, it } from 'vitest';
import { distance, nearest } from '../../src/core/nearest.ts';

it('counts letters that are inserted, removed, changed or swapped', () => {
  expect([distance('abc', 'abc'), distance('abc', 'abcd'), distance('abc', 'ac'), distance('abc', 'axc'), distance('abc', 'acb')]).toEqual([
    0, 1, 1, 1, 1,
  ]);
});

it('finds the word that was meant, and none where nothing is near', () => {
  expect(nearest('retreive', ['ingest', 'retrieve', 'chat'])).toBe('retrieve');
  expect(nearest('chunk_overlapp', ['chunk_size', 'chunk_overlap'])).toBe('chunk_overlap');
  expect(nearest('xyz', ['ingest', 'retrieve'])).toBeUndefined();
  expect([nearest('nope', ['pipe']), nearest('lsit', ['list']), nearest('pip', ['pipe'])]).toEqual([undefined, 'list', 'pipe']);
  expect(nearest('manuals/nope.md', ['manuals/员工手册.md'])).toBeUndefined();
  expect(nearest('manuals/maintenace-of-pumps.md', ['manuals/maintenance-of-the-pumps.md'])).toBe('manuals/maintenance-of-the-pumps.md');
});
