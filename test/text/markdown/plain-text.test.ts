import { expect, test } from 'vitest';
import { plainText } from '../../../src/text/markdown/plain-text.ts';

test('closed blocks of code stay as they are, and what stands around them is prose', () => {
  const code = '```sh\nkb  ingest   [a](b)\n```';
  expect(plainText(`See [this](a.md).\n\n${code}\n\nThen **that**  one.`)).toBe(`See this.\n\n${code}\n\nThen **that** one.`);
  expect(plainText(`${code}\n${code}`)).toBe(`${code}\n\n${code}`);
});

test('a link whose text is code is what it says', () => {
  expect(plainText('See [`mod_dbm`](../mod/mod_dbm.html) and [the `<If>` block](a.html#if), not `[a](b)`.')).toBe(
    'See `mod_dbm` and the `<If>` block, not `[a](b)`.',
  );
});

test('a block of code that is never closed is prose', () => {
  expect(plainText('```\nSee [this](a.md).')).toBe('```\nSee this.');
  expect(plainText('~~~\n[a](b)\n```\n[c](d)\n```')).toBe('~~~\na\n\n```\n[c](d)\n```');
});

test('links and images that name their address elsewhere are what they say, too', () => {
  expect(plainText('Multer [![Version][image]][url] and [the guide][g], `a[0][1]` and a[x][y]')).toBe(
    'Multer and the guide, `a[0][1]` and a[x][y]',
  );
});
