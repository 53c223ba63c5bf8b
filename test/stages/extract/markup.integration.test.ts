import { afterAll, describe, expect, test } from 'vitest';
import { createDocumentReader } from '../../../src/drivers/parsers/reader.ts';
import { isMarkup, withoutMarkup } from '../../../src/stages/extract/markup.ts';
import { plainReader } from './plain-reader.ts';

const reader = createDocumentReader({ threads: 1, seconds: 60, megabytes: 512 });
afterAll(() => reader.close());
const readable = (value: unknown) => withoutMarkup(value, { reader, source: 'https://api.example/posts#record=1' });

describe('a text', () => {
  test.each(['<p>Hi</p>', 'one<br>two', 'see <a href="/x">this</a>', 'Caf&eacute;', 'R&amp;D', 'it&#8217;s'])('%j is HTML', (text) => {
    expect(isMarkup(text)).toBe(true);
  });

  test.each([
    'List<String> of Map<String, Integer>',
    'a < b and c > d',
    'https://x.example/?a=1&copy=2',
    'AT&T; or so',
    '# Title\n\n<p align="center"><img src="x"></p>',
    'Use **this**: <b>x</b>',
    '<valve>open</valve>',
  ])('%j is none', (text) => {
    expect(isMarkup(text)).toBe(false);
  });
});

test('a text that is made to look like HTML without an end is judged at once', () => {
  for (const hostile of ['<p>'.repeat(100_000), '<'.repeat(300_000), `<b>x</b>${'<'.repeat(300_000)}`, `<b>x</b>${']('.repeat(150_000)}`])
    expect(typeof isMarkup(hostile)).toBe('boolean'); // with a look back from each tag it takes minutes
});

test('HTML in the fields of a record becomes Markdown, its links absolute and its scripts gone, and everything else stays', async () => {
  const record = {
    id: 7,
    title: { rendered: 'Caf&eacute; &amp; Bar &#8211; open_now' },
    body: '<h2>Leaks</h2><p>Close the <b>valve</b>, see <a href="/help">help</a>.</p><ul><li>one</li><li>two</li></ul><script>alert(1)</script>',
    tags: ['a<br>b', 'List<String>'],
    none: null,
  };
  expect(await readable(record)).toEqual({
    id: 7,
    title: { rendered: 'Café & Bar – open_now' },
    body: '## Leaks\n\nClose the **valve**, see [help](https://api.example/help).\n\n- one\n- two',
    tags: [expect.stringMatching(/^a\s+b$/), 'List<String>'],
    none: null,
  });
});

test('HTML that can not be read stays as it came, and a run that is stopped stops', async () => {
  const broken = { ...plainReader(), read: async () => Promise.reject(new Error('no')) };
  expect(await withoutMarkup({ a: '<p>x</p>' }, { reader: broken, source: 's' })).toEqual({ a: '<p>x</p>' });
  const stopped = AbortSignal.abort();
  await expect(withoutMarkup('<p>x</p>', { reader, source: 's', signal: stopped })).rejects.toThrow();
});
