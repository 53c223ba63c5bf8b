import { expect, test } from 'vitest';
import { assertIsContent, hasMoreLetters, countLetters, browserNeed } from '../../../../src/stages/extract/pages/error-page.ts';

const page = (html: string, text: string, title?: string) => () =>
  assertIsContent('https://x.example/a', { html: Buffer.from(html), text, title });
const form = '<form action="/login" method="post"><input name="user"><input type="password" name="pw"><button>Sign in</button></form>';
const some = 'Valves are looked at every spring, by someone who knows them. '.repeat(4);

test.each([
  ['only a form', form, '# Members'],
  ['a form under its headline, with some words', `${form}<p>${some}</p>`, `# Sign in\n\n${some}`, 'Sign in | Zephyr'],
  ['a form in another language', `${form}<p>${some}</p>`, some, 'Anmeldung'],
])('rejects a login page: %s', (_name, html, text, title = undefined) => {
  expect(page(html, text, title)).toThrow(
    expect.objectContaining({ code: 'unauthorized', message: 'https://x.example/a is a login page, not the requested page.' }),
  );
});

test.each([
  ['# 404 – Page not found\n\nSorry, we could not find it.', undefined, '404 – Page not found'],
  ['Nothing here.', '404', '404'],
  ['Nothing here.', 'Page not found | Zephyr Docs', 'Page not found | Zephyr Docs'],
  ['# Seite nicht gefunden', undefined, 'Seite nicht gefunden'],
  ['Oh.', 'Error 404: the requested page could not be found', 'Error 404: the requested page could not be found'],
])('rejects a page that says "not found": %j, %j', (text, title, line) => {
  expect(page('<p>', text, title)).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: `https://x.example/a says "${line}", although it returned a success status.`,
    }),
  );
});

test.each([
  ['Access Denied', 'You have no permission. Reference #18.7c1f2d3a'],
  ['Just a moment...', 'Verifying you are human. This may take a few seconds.'],
  ['Attention Required! | Cloudflare', 'Please complete the security check.'],
  ['Pardon Our Interruption', 'Something about your browser made us think you were a bot.'],
  ['503 Service Temporarily Unavailable', 'nginx'],
  ['', 'Error establishing a database connection'],
  ['', '**Fatal error**: Uncaught PDOException: SQLSTATE[HY000] in /srv/www/db.php:31'],
  ['Wartung', 'Wir sind gleich wieder für Sie da.'],
  ['Site en maintenance', 'Merci de revenir plus tard.'],
  ['Servicio no disponible', 'Inténtelo de nuevo más tarde.'],
  ['メンテナンス中', 'しばらくしてから再度アクセスしてください。'],
  ['Технические работы', 'Пожалуйста, зайдите позже.'],
])('a page that says "%s" in the place of content is a retryable error', (title, text) => {
  expect(page('<p>', `${title === '' ? '' : `# ${title}\n\n`}${text}`, title)).toThrow(
    expect.objectContaining({ code: 'unavailable', isRetryable: true }),
  );
});

const why = 'You see this because the administrator of this website has set up Anubis to protect the server against scraping. ';
const blocked = 'This website is using a security service to protect itself from online attacks. ';

test.each([
  ['Anubis', "Making sure you're not a bot!", `# Making sure you're not a bot!\n\nLoading...\n\n${why.repeat(9)}`],
  [
    'Cloudflare',
    'Attention Required! | Cloudflare',
    `# Sorry, you have been blocked\n\n## You are unable to access x.example\n\n## Why have I been blocked?\n\n${blocked.repeat(6)}\n\n## What can I do?\n\nCloudflare Ray ID: 8a1`,
  ],
  [
    'Google',
    'https://x.example/',
    '---\n\n**About this page**  \n  \nOur systems have detected unusual traffic from your computer network. This page checks to see if it is really you. ' +
      'This page appears when Google automatically detects requests coming from your computer network. '.repeat(5),
  ],
  ['a host', 'Account Suspended', '# This Account has been suspended.\n\nContact your hosting provider for more information.'],
])('a page of %s in front of the site is a retryable error, however long it is', (_name, title, text) => {
  expect(page('<p>', text, title)).toThrow(expect.objectContaining({ code: 'unavailable', isRetryable: true }));
  expect(page('<p>', `# Walls of the web\n\nThey begin like this.\n\n${text}`, 'Walls of the web')).not.toThrow();
});

test.each([
  ['a block of code', '# 404 Not Found\n\nThe id is unknown.\n\n```\n{"error":"not_found"}\n```'],
  ['a table', '# Scheduled maintenance\n\nGrease the bearing. It takes a moment.\n\n| Part | Number |\n| --- | --- |\n| Seal | S-20 |'],
  ['headings', '# 503 Service Unavailable\n\nNo worker is free.\n\n## Cause\n\nThe queue is long.\n\n## Remedy\n\nWait.'],
  ['a heading and code', '# 404 Not Found\n\nThe route is unknown.\n\n## Fix\n\nLook at `acme routes`.'],
  ['code in its text', '# Are you human?\n\nSet `captcha.site_key` and `captcha.secret`.'],
])('a short page that is named like an error is content if it has %s', (_what, text) => {
  expect(page('<p>', text, text.slice(2, text.indexOf('\n')))).not.toThrow();
});

test('a page that shows a login form as an example is content', () => {
  expect(
    page(form, '# Login page\n\nThe attribute `remember` keeps the session. The event `login` comes after success.', 'Login page'),
  ).not.toThrow();
});

test.each([
  ['a script of a challenge', '<script>window._cf_chl_opt = {}</script>', 'Example'],
  ['a question about cookies', '<div role="dialog">', 'We use cookies. Choose which cookies you allow.'],
])('%s is a retryable error', (_name, html, text) => {
  expect(page(html, text)).toThrow(expect.objectContaining({ code: 'unavailable', isRetryable: true }));
});

test('a short page with a question about cookies beside it is content, and one with nothing else is not', () => {
  const banner = '<div class="cookie-banner"><p>We use cookies.</p><button>Accept all</button></div>';
  expect(page(`<h1>Hours</h1><p>From seven to nine.</p>${banner}`, '# Hours\n\nFrom seven to nine.')).not.toThrow();
  expect(page(banner, '')).toThrow(expect.objectContaining({ isRetryable: true, message: expect.stringContaining('cookies') }));
});

test('a header of a challenge is enough, whatever the page says', () => {
  const sent = { html: new Uint8Array(), text: some.repeat(9), headers: { 'cf-mitigated': 'challenge' } };
  expect(() => assertIsContent('https://x.example/a', sent)).toThrow(expect.objectContaining({ isRetryable: true }));
});

test.each([
  ['Access denied: what to do when the gate stays shut', 'The card has no stamp.'],
  ['Scheduled maintenance of the ropeway in May', 'It takes nine days.'],
  ['Error 503 on the panel of the winch', 'The winch is too warm.'],
  ['Maintenance', 'Grease the sheaves every month.'],
  ['Cookie policy', 'We use cookies. Choose which cookies you allow.'],
  ['Opening hours', 'Open from seven to nine.'],
])('a short page with the title "%s" is content', (title, text) => {
  expect(page('<p>', `# ${title}\n\n${text}`, title)).not.toThrow();
});

test.each([
  ['an article about signing in', '<p>', `# Sign in\n\n${some}`, 'Sign in'],
  ['a page with a form to sign in beside its text', form, `# Valves\n\n${some}`, 'Valves'],
  ['a long page with such a form under such a headline', form, `# Log in to the controller\n\n${some.repeat(3)}`],
  ['a reference of the status', '<p>', `# 404 Not Found\n\n${some.repeat(3)}`, '404 Not Found'],
  ['a page that begins with the number', '<p>', '# 404 valves', '404 valves'],
  ['a page about what was found', '<p>', '# Page', 'Found not far from here'],
])('accepts a page of content: %s', (_name, html, text, title = undefined) => {
  expect(page(html, text, title)).not.toThrow();
});

const need = (html: string, text: string, title?: string) => browserNeed(Buffer.from(html), { text, title });
const script = '<script src="/app.js"></script>';
const words = 'We open at nine in the morning and close at six. '.repeat(2);

test.each([
  ['an empty page', `<body><div id="root"></div>${script}</body>`, '', 'surely'],
  ['one that says that it loads', `<body><div id=app>Loading…</div>${script}</body>`, 'Loading…', 'surely'],
  ['one whose words ask for scripts', `<noscript><strong>You need to enable JavaScript.</strong></noscript>${script}`, words, 'perhaps'],
  ['one with an empty place for an application', `<p>${words}</p><div class="x" id="__next"> </div>${script}`, words, 'perhaps'],
  [
    'one that asks for scripts in words among others',
    `<p>${words}</p>${script}`,
    `${words}Please wait … enable JavaScript in your browser.`,
    'surely',
  ],
  ['one that says so the other way round', `<p>${words}</p>${script}`, `${words}JavaScript is required.`, 'surely'],
  ['one that asks for scripts under the words that stand on every page', script, `${words.repeat(4)}Please enable JavaScript.`, 'perhaps'],
  ['a text about what asks for scripts', script, `${words.repeat(16)}Please enable JavaScript.`, 'none'],
  ['a page without scripts that asks for them', '<p>', `${words}Please enable JavaScript.`, 'none'],
  ['a few words with a script', `<p>${words}</p>${script}`, words, 'perhaps'],
  ['a few words with data alone', `<p>${words}</p><script type="application/ld+json">{}</script>`, words, 'none'],
  ['a few words without a script', `<p>${words}</p>`, words, 'none'],
  ['a text', `<p>${words.repeat(4)}</p>${script}`, words.repeat(4), 'none'],
  ['a text in letters that are not Latin', `<p>x</p>${script}`, 'Фильтр кофеварки служит шестьдесят литров. '.repeat(6), 'none'],
])('decides whether a page needs a browser: %s', (_name, html, text, expected) => {
  expect(need(html, text)).toBe(expected);
});

test('does not count the title as text', () => {
  const title = 'The very long title of an application that is written by its scripts';
  expect(need(`<p></p>${script}`, `# ${title}\n\nLoading`, title)).toBe('surely');
});

test('counts letters and digits of every script, up to the maximum', () => {
  expect([countLetters('ab 1, ßж世 –'), countLetters(''), countLetters('abcdef', 4), countLetters('ab', 4)]).toEqual([6, 0, 4, 2]);
  expect([hasMoreLetters('a b c', 'ab!'), hasMoreLetters('a b', 'ab'), hasMoreLetters('', '')]).toEqual([true, false, false]);
});

test('examines a page that is built to be slow in little time', () => {
  for (const piece of ['<noscript>enable ', '<div id=app', '<script type=', '<noscript><a>enable<a>'])
    expect(need(`${script}${piece.repeat(20_000)}`, words)).not.toBe('none');
});
