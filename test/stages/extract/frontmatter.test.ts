import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Document } from '../../../src/schema/items.ts';
import { frontmatterBlock, withFrontmatter } from '../../../src/stages/extract/document.ts';

const document: Document = {
  id: 'd',
  text: '# Reset\n\nHold the pin.',
  source: 'docs/reset.md',
  title: 'Reset: "how" to',
  metadata: {
    title: 'x',
    source_kind: 'path',
    file_type: 'markdown',
    content_hash: 'h',
    author: 'Ann',
    tags: ['a', 'b'],
    description: 'Line\n---\nline',
    none: undefined,
  },
  marks: [
    { at: 0, line: 1 },
    { at: 9, line: 3 },
  ],
};

test('the block holds title, source, description and what the format knows, in that order, and nothing of ours', () => {
  const block = frontmatterBlock(document);
  const [, yaml] = /^---\n([\s\S]*?)\n---\n\n$/.exec(block)!;
  expect(Object.entries(parse(yaml!))).toEqual([
    ['title', 'Reset: "how" to'],
    ['source', 'docs/reset.md'],
    ['description', 'Line\n---\nline'],
    ['author', 'Ann'],
    ['tags', ['a', 'b']],
  ]);
});

test('the marks of a document move with its text', () => {
  const { text, marks } = withFrontmatter(document);
  expect(text.endsWith(document.text)).toBe(true);
  expect(marks!.map(({ at, line }) => [text.slice(at).split('\n')[0], line])).toEqual([
    ['# Reset', 1],
    ['Hold the pin.', 3],
  ]);
});

test('a document without marks gets none', () => {
  expect(withFrontmatter({ ...document, marks: undefined })).not.toHaveProperty('marks.0');
});
