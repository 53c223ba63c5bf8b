import { afterAll, describe, expect, test } from 'vitest';
import { createReaders } from '../../../../src/drivers/documents.ts';
import { isMarkup, convertMarkup } from '../../../../src/stages/extract/api/api-documents.ts';
import { plainReader } from '../plain-reader.ts';

const reader = createReaders({ processes: 1, seconds: 60, megabytes: 512 }).open({ ocr: 'report', passwords: [] });
afterAll(() => reader.close());
const readable = (value: unknown) => convertMarkup(value, { reader, source: 'https://api.example/posts#record=1' });

describe('isMarkup', () => {
  test.each([
    '<p>Hi</p>',
    'one<br>two',
    'see <a href="/x">this</a>',
    'Caf&eacute;',
    'R&amp;D',
    'it&#8217;s',
    '<p>Run:</p><pre># make\n- all</pre>',
  ])('recognises HTML: %j', (text) => {
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
    '```\n<pre>x</pre>',
  ])('takes for text: %j', (text) => {
    expect(isMarkup(text)).toBe(false);
  });
});

test('judges a text of endless tags in little time', () => {
  for (const hostile of [
    '<p>'.repeat(100_000),
    '<'.repeat(300_000),
    `<b>x</b>${'<'.repeat(300_000)}`,
    `<b>x</b>${']('.repeat(150_000)}`,
    `<b>x</b>${'<pre>'.repeat(100_000)}`,
  ])
    expect(typeof isMarkup(hostile)).toBe('boolean'); // with a look back from each tag it takes minutes
});

test('converts HTML in fields to Markdown with absolute links and without scripts, and keeps everything else', async () => {
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

test('keeps lines, indentation and backslashes of a text with entities but no tags', async () => {
  const code = 'def f(x):\n    if x &gt; 1:\n\treturn "\\&quot;"\n';
  const markdown = '# Title\n\n```py\nif a &lt; b:\n    return\n```\n\nRegex: \\. and \\( &amp; \\d\n\n| a | b |\n|---|---|';
  expect(await readable([code, markdown])).toEqual([
    'def f(x):\n    if x > 1:\n\treturn "\\""\n',
    '# Title\n\n```py\nif a < b:\n    return\n```\n\nRegex: \\. and \\( & \\d\n\n| a | b |\n|---|---|',
  ]);
  expect(await readable('&iquest;Qu&eacute; es? &sect; 5 &ndash; x &le; 3: 5 &plusmn; 1 &amp; &frac12; m&sup2;')).toBe(
    '¿Qué es? § 5 – x ≤ 3: 5 ± 1 & ½ m²',
  );
  expect(await readable('&alpha;&rightarrow;&Aogonek; &alpha &CounterClockwiseContourIntegral;')).toBe('α→&Aogonek; &alpha ∳');
  expect(await readable('Don&#146;t &#x80; &#129; &rArr; &Dagger;')).toBe('Don’t € \u0081 ⇒ ‡');
  expect(await readable('&Auml;&ouml;&szlig;&aring;&Ccedil;&AElig;&nbsp;&#x27;&#39;&#160;&#0;&#xd800;&#9999999;&amp;lt;&none;')).toBe(
    "ÄößåÇÆ '' &#0;&#xd800;&#9999999;&lt;&none;",
  );
});

test("keeps code of Confluence's storage format with its language", async () => {
  const macro = (code: string, language = 'py') =>
    `<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">${language}</ac:parameter><ac:parameter ac:name="theme">Midnight</ac:parameter>` +
    `<ac:plain-text-body><![CDATA[${code}]]></ac:plain-text-body></ac:structured-macro>`;
  const link =
    '<ac:link><ri:page ri:content-title="Next"></ri:page><ac:plain-text-link-body><![CDATA[the <next> one]]></ac:plain-text-link-body></ac:link>';
  expect(await readable(`<p>First</p>${macro('# a < b\n  print(1)')}<p>After, see ${link}.</p>${macro('ls', 'bash')}`)).toBe(
    'First\n\n```py\n# a < b\n  print(1)\n```\n\nAfter, see the \\<next> one.\n\n```bash\nls\n```',
  );
  expect(await readable(macro('only()'))).toBe('```py\nonly()\n```');
});

test('keeps all elements of a field as content, also those that a page would drop', async () => {
  const html =
    '<header>Head</header><aside>Mind the gap</aside><p>One</p><footer>Foot</footer><div class="comments">Said</div><h1>Top</h1><p>x</p><nav>Elsewhere</nav><script>1</script>';
  expect(await readable(html)).toBe('Head\n\nMind the gap\n\nOne\n\nFoot\n\nSaid\n\n# Top\n\nx\n\nElsewhere');
});

test('sends all fields of a record to the reader at once, and drops fields without visible text', async () => {
  let most = 0;
  let open = 0;
  const counting = {
    ...plainReader(),
    async read(bytes: Uint8Array) {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return { text: String(bytes.length), metadata: {} };
    },
  };
  await convertMarkup({ a: '<p>x</p>', b: ['<p>y</p>', { c: '<p>z</p>' }] }, { reader: counting, source: 's' });
  expect(most).toBe(3);
  expect(await readable({ a: '<p></p>', b: '<img src="x.png">' })).toEqual({ a: '', b: '' });
});

test('keeps HTML that cannot be read, and throws if the run is stopped', async () => {
  const broken = { ...plainReader(), read: async () => Promise.reject(new Error('no')) };
  expect(await convertMarkup({ a: '<p>x</p>' }, { reader: broken, source: 's' })).toEqual({ a: '<p>x</p>' });
  const stopped = AbortSignal.abort();
  await expect(convertMarkup('<p>x</p>', { reader, source: 's', signal: stopped })).rejects.toThrow();
});
