import { expect, it, test } from 'vitest';
import { embedPath, embedText, placeWords } from '../../../src/stages/chunk/chunk.ts';
import { withoutMarks } from '../../../src/text/markdown/plain-text.ts';

it('the path is the title and the headings, a first heading that the title holds being left out', () => {
  expect(embedPath({ title: 'Helios 300 Operator Manual', headings: ['Helios 300', 'Maintenance', 'Filter'] })).toBe(
    'Helios 300 Operator Manual > Maintenance > Filter',
  );
  expect(embedPath({ title: 'Handbook', headings: ['handbook'] })).toBe('Handbook');
  expect(embedPath({ title: 'Category', headings: ['Cat', 'Category'] })).toBe('Category > Cat > Category');
  expect(embedPath({ title: '', headings: ['', 'A'] })).toBe('A');
});

it('the words of the place stand before the title, unless that says them', () => {
  const headings = ['Parameters'];
  expect(embedPath({ place: 'postgresql sql copy', title: 'COPY', headings })).toBe('postgresql sql copy > COPY > Parameters');
  expect(embedPath({ place: 'helios manual', title: 'Helios Manual', headings })).toBe('Helios Manual > Parameters');
  expect(embedPath({ place: 'notes', title: '', headings: [] })).toBe('notes');
});

it('the path stands before the passage, and either alone where there is nothing else', () => {
  expect(embedText('A > B', 'Text.')).toBe('A > B\n\nText.');
  expect(embedText('', 'Text.')).toBe('Text.');
  expect(embedText('A', '')).toBe('A');
  expect(embedText('', '---')).toBe('---');
});

it('marks that mean nothing to an embedder are left out', () => {
  expect(withoutMarks('| Code | Meaning |  |\n|:---|---:|---|\n| E-1 | a \\| b |  |\n\nEnd')).toBe('Code, Meaning\nE-1, a | b\n\nEnd');
  expect(withoutMarks('```js\nconst a = b - c;\n```')).toBe('const a = b - c;');
  expect(withoutMarks('## Title\n\n- one\n* two\n> said **he**\n1. three')).toBe('Title\n\none\ntwo\nsaid he\n1. three');
  expect(withoutMarks('See [the parts desk](https://a.test/x?y=1 "Desk") and ![a pump](p.png).')).toBe('See the parts desk and a pump.');
  expect(withoutMarks('Chapter ........ 12\n\n\n\n----------\n\ttab   wide')).toBe('Chapter 12\n\ntab wide');
});

it('identifiers and plain prose stay as they are', () => {
  for (const text of ['foo_bar and __init__ of v2.3.1 give ERR-4042.', 'a - b, 2 * 3, x = y', 'C++ and C#'])
    expect(withoutMarks(text)).toBe(text);
});

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
