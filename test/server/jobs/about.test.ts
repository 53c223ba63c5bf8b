import { expect, it } from 'vitest';
import { sourcesOf } from '../../../src/server/jobs/about.ts';

it('names files, folders, addresses and texts, each once', () => {
  expect(
    sourcesOf({
      docs: ['a.pdf', { path: 'b.md', title: 'B' }, 'a.pdf'],
      urls: { url: 'https://docs.example/start', mode: 'each' },
      api: [{ url: 'https://api.example/items', headers: { Authorization: 'Bearer secret' } }],
      markdown: ['text', { text: 'x', source: 'hours' }],
    }),
  ).toEqual(['a.pdf', 'b.md', 'https://docs.example/start', 'https://api.example/items', 'markdown', 'hours']);
  expect(sourcesOf({ docs: { folder: 'manuals' } })).toEqual(['manuals']);
  expect(sourcesOf({ url: ['https://a.example/', 'https://b.example/'] })).toHaveLength(2);
});

it('names no keys, and no more than twenty', () => {
  expect(sourcesOf({ urls: 'https://me:secret@a.example/?api_key=secret&page=2' })).toEqual(['https://a.example/?page=2']);
  expect(sourcesOf({ docs: Array.from({ length: 50 }, (_, i) => `${i}.md`) })).toHaveLength(20);
});
