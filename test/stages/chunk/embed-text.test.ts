import { expect, it, test } from 'vitest';
import { embedPath, embedText, placeWords } from '../../../src/stages/chunk/chunk.ts';
import { withoutMarks } from '../../../src/text/markdown/plain-text.ts';

it('joins title and headings to the path, without a first heading that repeats the title', () => {
  expect(embedPath({ title: 'Helios 300 Operator Manual', headings: ['Helios 300', 'Maintenance', 'Filter'] })).toBe(
    'Helios 300 Operator Manual > Maintenance > Filter',
  );
  expect(embedPath({ title: 'Handbook', headings: ['handbook'] })).toBe('Handbook');
  expect(embedPath({ title: 'Category', headings: ['Cat', 'Category'] })).toBe('Category > Cat > Category');
  expect(embedPath({ title: '', headings: ['', 'A'] })).toBe('A');
});

it('puts the words of the place before the title, unless the title contains them', () => {
  const headings = ['Parameters'];
  expect(embedPath({ place: 'postgresql sql copy', title: 'COPY', headings })).toBe('postgresql sql copy > COPY > Parameters');
  expect(embedPath({ place: 'helios manual', title: 'Helios Manual', headings })).toBe('Helios Manual > Parameters');
  expect(embedPath({ place: 'notes', title: '', headings: [] })).toBe('notes');
});

it('puts the path before the passage, or uses either alone', () => {
  expect(embedText('A > B', 'Text.')).toBe('A > B\n\nText.');
  expect(embedText('', 'Text.')).toBe('Text.');
  expect(embedText('A', '')).toBe('A');
  expect(embedText('', '---')).toBe('---');
});

it('removes markup that means nothing to an embedder', () => {
  expect(withoutMarks('| Code | Meaning |  |\n|:---|---:|---|\n| E-1 | a \\| b |  |\n\nEnd')).toBe('Code, Meaning\nE-1, a | b\n\nEnd');
  expect(withoutMarks('```js\nconst a = b - c;\n```')).toBe('const a = b - c;');
  expect(withoutMarks('## Title\n\n- one\n* two\n> said **he**\n1. three')).toBe('Title\n\none\ntwo\nsaid he\n1. three');
  expect(withoutMarks('See [the parts desk](https://a.test/x?y=1 "Desk") and ![a pump](p.png).')).toBe('See the parts desk and a pump.');
  expect(withoutMarks('Chapter ........ 12\n\n\n\n----------\n\ttab   wide')).toBe('Chapter 12\n\ntab wide');
});

it('keeps identifiers and plain prose', () => {
  for (const text of ['foo_bar and __init__ of v2.3.1 give ERR-4042.', 'a - b, 2 * 3, x = y', 'C++ and C#'])
    expect(withoutMarks(text)).toBe(text);
});

test('takes words from the folder and the name of a file, without the extension', () => {
  expect(placeWords('/srv/docs/postgresql/sql-create_index.html')).toBe('postgresql sql create index');
  expect(placeWords('C:\\Manuals\\helios\\readOnlyFile.md')).toBe('helios read Only File');
  expect(placeWords('manual.md')).toBe('manual');
});

test('takes words from the path of an address, without host, query and fragment', () => {
  expect(placeWords('https://docs.example.org/en/node/child_process.html?v=2#exec')).toBe('node child process');
  expect(placeWords('https://example.org/guide/install/')).toBe('guide install');
  expect(placeWords('https://example.org/f%C3%BCr/K%C3%BCche')).toBe('für Küche');
  expect(placeWords('https://example.org/a/100%')).toBe('a 100%');
  expect(placeWords('https://example.org/')).toBe('');
});

test('takes no words from hashes and long numbers', () => {
  expect(placeWords('https://example.org/pages/3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toBe('pages');
  expect(placeWords('/data/202611221936001/notes.txt')).toBe('notes');
});

test('takes no words from a source that is not a path', () => {
  expect(placeWords('MED-1042')).toBe('');
  expect(placeWords('')).toBe('');
});
