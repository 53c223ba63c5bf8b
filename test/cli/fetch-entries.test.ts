import { expect, it } from 'vitest';
import { fetchEntries } from '../../src/cli/source-flags.ts';

it('each API is sent the headers and parameters of the command line, with the values of variables', () => {
  const flags = { header: ['X-Tide: high', 'Authorization: Bearer ${TOKEN}'], param: ['limit=5', 'q=a=b', 'tag=x', 'tag=y'] };
  const sent = { headers: { 'X-Tide': 'high', Authorization: 'Bearer t0ken' }, params: { limit: '5', q: 'a=b', tag: ['x', 'y'] } };
  expect(fetchEntries(['https://a.example/', 'https://b.example/'], flags, { TOKEN: 't0ken' })).toEqual([
    { url: 'https://a.example/', ...sent },
    { url: 'https://b.example/', ...sent },
  ]);
});

it('what is no pair is refused without being repeated', () => {
  expect(() => fetchEntries(['https://a.example/'], { header: ['s3cret'] }, {})).toThrow(/^--header: a name and a value with «:»/);
  expect(() => fetchEntries(['https://a.example/'], { param: ['=s3cret'] }, {})).toThrow(/^--param: a name and a value with «=»/);
});
