import { expect, test } from 'vitest';
import { placeWords } from '../../../src/stages/chunk/embed-text.ts';

test('the folder and the name of a file give their words, without the extension', () => {
  expect(placeWords('/srv/docs/postgresql/sql-create_index.html')).toBe('postgresql sql create index');
  expect(placeWords('C:\\Manuals\\helios\\readOnlyFile.md')).toBe('helios read Only File');
  expect(placeWords('manual.md')).toBe('manual');
});

test('an address gives the words of its path, without host, query and fragment', () => {
  expect(placeWords('https://docs.example.org/en/node/child_process.html?v=2#exec')).toBe('node child process');
  expect(placeWords('https://example.org/guide/install/')).toBe('guide install');
  expect(placeWords('https://example.org/f%C3%BCr/K%C3%BCche')).toBe('für Küche');
  expect(placeWords('https://example.org/a/100%')).toBe('a 100%');
  expect(placeWords('https://example.org/')).toBe('');
});

test('hashes and long numbers are no words', () => {
  expect(placeWords('https://example.org/pages/3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toBe('pages');
  expect(placeWords('/data/202611221936001/notes.txt')).toBe('notes');
});

test('a source that is no path has none', () => {
  expect(placeWords('MED-1042')).toBe('');
  expect(placeWords('')).toBe('');
});
