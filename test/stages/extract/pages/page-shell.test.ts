import { expect, test } from 'vitest';
import { hasMoreLetters, countLetters, needOfBrowser } from '../../../../src/stages/extract/pages/error-page.ts';

const need = (html: string, text: string, title?: string) => needOfBrowser(Buffer.from(html), { text, title });
const script = '<script src="/app.js"></script>';
const some = 'We open at nine in the morning and close at six. '.repeat(2);

test.each([
  ['an empty page', `<body><div id="root"></div>${script}</body>`, '', 'surely'],
  ['one that says that it loads', `<body><div id=app>Loading…</div>${script}</body>`, 'Loading…', 'surely'],
  ['one whose words ask for scripts', `<noscript><strong>You need to enable JavaScript.</strong></noscript>${script}`, some, 'surely'],
  ['one with an empty place for an application', `<p>${some}</p><div class="x" id="__next"> </div>${script}`, some, 'surely'],
  [
    'one that asks for scripts in words among others',
    `<p>${some}</p>${script}`,
    `${some}Please wait … enable JavaScript in your browser.`,
    'surely',
  ],
  ['one that says so the other way round', `<p>${some}</p>${script}`, `${some}JavaScript is required.`, 'surely'],
  ['one that asks for scripts under the words that stand on every page', script, `${some.repeat(4)}Please enable JavaScript.`, 'perhaps'],
  ['a text about what asks for scripts', script, `${some.repeat(16)}Please enable JavaScript.`, 'none'],
  ['a page without scripts that asks for them', '<p>', `${some}Please enable JavaScript.`, 'none'],
  ['a few words with a script', `<p>${some}</p>${script}`, some, 'perhaps'],
  ['a few words with data alone', `<p>${some}</p><script type="application/ld+json">{}</script>`, some, 'none'],
  ['a few words without a script', `<p>${some}</p>`, some, 'none'],
  ['a text', `<p>${some.repeat(4)}</p>${script}`, some.repeat(4), 'none'],
  ['a text in letters that are not Latin', `<p>x</p>${script}`, 'Фильтр кофеварки служит шестьдесят литров. '.repeat(6), 'none'],
])('%s', (_name, html, text, expected) => {
  expect(need(html, text)).toBe(expected);
});

test('the title that stands above a text is none of it', () => {
  const title = 'The very long title of an application that is written by its scripts';
  expect(need(`<p></p>${script}`, `# ${title}\n\nLoading`, title)).toBe('surely');
});

test('letters and digits of every script are counted, and no further than it is asked', () => {
  expect([countLetters('ab 1, ßж世 –'), countLetters(''), countLetters('abcdef', 4), countLetters('ab', 4)]).toEqual([6, 0, 4, 2]);
  expect([hasMoreLetters('a b c', 'ab!'), hasMoreLetters('a b', 'ab'), hasMoreLetters('', '')]).toEqual([true, false, false]);
});

test('a page that is made to be slow to look at is not', () => {
  for (const piece of ['<noscript>enable ', '<div id=app', '<script type=', '<noscript><a>enable<a>'])
    expect(need(`${script}${piece.repeat(20_000)}`, some)).not.toBe('none');
});
