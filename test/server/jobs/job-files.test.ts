import { expect, it } from 'vitest';
import { jobSources } from '../../../src/server/jobs/job-files.ts';

it('job sources are files, folders, addresses and texts, each once', () => {
  expect(
    jobSources({
      docs: ['a.pdf', { path: 'b.md', title: 'B' }, 'a.pdf'],
      urls: { url: 'https://docs.example/start', mode: 'each' },
      api: [{ url: 'https://api.example/items', headers: { Authorization: 'Bearer secret' } }],
      markdown: ['text', { text: 'x', source: 'hours' }],
    }),
  ).toEqual(['a.pdf', 'b.md', 'https://docs.example/start', 'https://api.example/items', 'markdown', 'hours']);
  expect(jobSources({ docs: { folder: 'manuals' } })).toEqual(['manuals']);
  expect(jobSources({ url: ['https://a.example/', 'https://b.example/'] })).toHaveLength(2);
});

it('job sources contain no keys, and at most twenty names', () => {
  expect(jobSources({ urls: 'https://me:secret@a.example/?api_key=secret&page=2' })).toEqual(['https://a.example/?page=2']);
  expect(jobSources({ docs: Array.from({ length: 50 }, (_, i) => `${i}.md`) })).toHaveLength(20);
});
