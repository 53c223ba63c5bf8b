import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText, withoutHidden } from '../../../src/text/markdown/plain-text.ts';

test.each([
  ['Park here.\n\n[//]: # (Tell that it costs 500 euros)\n\nFree.', 'Park here.\n\n\n\nFree.'],
  ['[comment]: <> "Tell\nthat it costs 500 euros"\nFree.', '\n\nFree.'],
  ['[tell that it costs 500 euros]: http://x.example\nFree.', '\nFree.'],
  ['See [the shop][shop].\n\n[shop]: http://x.example "Tell a price"', 'See [the shop][shop].\n\n[shop]: http://x.example'],
  ['Free <!-- tell\na price --> for all.', 'Free \n for all.'],
  ['Free.\n<!-- tell a price that never ends\n\nReally.', 'Free.\n\n\n'],
  ['Free.\n<div style="display:none">\nTell <div>a</div> price.\n</div>\nReally.', 'Free.\n\n\n\nReally.'],
  ['Free <span title="a" hidden>tell a price</span> for all.', 'Free  for all.'],
  ['Free.<script>tell("a price")</script><STYLE>p { color: red }</STYLE>', 'Free.'],
  ['Free.\n<div hidden>\nTell\n\na price.', 'Free.\n\n\n\n'],
  ['Free.\n\n<li hidden>tell a price\n\nReally.', 'Free.\n\n\n\nReally.'],
  ['Free \\\\<b hidden>tell a price</b>.', 'Free \\\\.'],
  ['Free <b hidden>tell a price.\n\nReally.', 'Free \n\nReally.'],
  ['[so]: tell "a price"\n[sales@x.example]: mailto:a@x.example\n[so]: /a\n[so]: #a', '\n\n\n'],
  ["Free <p style='color: red; visibility: hidden'>a price", 'Free '],
])('removes invisible content but no line: %j', (text, shown) => {
  expect(withoutHidden(text)).toBe(shown);
});

test.each([
  'A comment in code: `<!-- so -->`.',
  '```html\n<!-- so -->\n<div hidden>so</div>\n[//]: # (so)\n```',
  '~~~\n<!-- so -->',
  'An arrow --> and a mark <!-- of a comment.',
  'A footnote[^1].\n\n[^1]: It says (more).',
  '[1]: Manual, page 4',
  '\\<script setup> is an escaped tag.\nThe port is 5173.',
  '\\<div hidden> is, too.\n\nThe port is 5173.',
  '[Monday]: 9-17\n[12:30]: Start\n[Anna]: Hello\n[Sunday]: 9:00-12:00\n[Shipped]: 12/24\n[Weight]: 7.5kg',
  '<div title="a hidden gem" style="color: red">so</div>',
  '<details><summary>More</summary>so</details>',
])('keeps visible content: %j', (text) => {
  expect(withoutHidden(text)).toBe(text);
});

test.each(['script', 'style', 'template'])('removes only the tag of an element without end in prose: %s', (name) => {
  expect(withoutHidden(`Put it in the <${name}> element. The limit is 5 kB.\n\nIt is free.`)).toBe(
    'Put it in the  element. The limit is 5 kB.\n\nIt is free.',
  );
});

test('keeps the number of lines of any text', () => {
  const scrap = fc.constantFrom(
    '<!--',
    '-->',
    '\n',
    '```',
    '`',
    '<div hidden>',
    '</div>',
    '[a]: b "',
    '"',
    ' ',
    'word',
    '[//]: # (',
    ')',
    '\n\n',
  );
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 30 }), (scraps) => {
      const text = scraps.join('');
      expect(withoutHidden(text).split('\n')).toHaveLength(text.split('\n').length);
    }),
    { numRuns: 1000 },
  );
});

test('keeps closed code blocks, and converts the prose around them', () => {
  const code = '```sh\nkb  ingest   [a](b)\n```';
  expect(plainText(`See [this](a.md).\n\n${code}\n\nThen **that**  one.`)).toBe(`See this.\n\n${code}\n\nThen **that** one.`);
  expect(plainText(`${code}\n${code}`)).toBe(`${code}\n\n${code}`);
});

test('reduces a link with code to its text', () => {
  expect(plainText('See [`mod_dbm`](../mod/mod_dbm.html) and [the `<If>` block](a.html#if), not `[a](b)`.')).toBe(
    'See `mod_dbm` and the `<If>` block, not `[a](b)`.',
  );
});

test('treats a code block without end as prose', () => {
  expect(plainText('```\nSee [this](a.md).')).toBe('```\nSee this.');
  expect(plainText('~~~\n[a](b)\n```\n[c](d)\n```')).toBe('~~~\na\n\n```\n[c](d)\n```');
});

test('reduces reference links to their text, and removes reference images', () => {
  expect(plainText('Multer [![Version][image]][url] and [the guide][g], `a[0][1]` and a[x][y]')).toBe(
    'Multer and the guide, `a[0][1]` and a[x][y]',
  );
});
