import { describe, expect, it, test } from 'vitest';
import { placeOf, read } from '../support/read.ts';
import { readDialects, removeTablePadding } from '../../src/markup/markdown.ts';

describe('the Markdown parser', () => {
  it('keeps Markdown unchanged', async () => {
    const body =
      '# Pumps\n\nSome *emphasis*, `a | b` and a [link](https://pump.example/?a=1).\n\n```js\n# no heading\n```\n\n- [ ] open\n  1. nested\n';
    const { text, title, marks } = await read('markdown', body);
    expect(text).toBe(body);
    expect(title).toBe('Pumps');
    expect(marks).toEqual([{ at: 0, line: 1 }]);
  });

  it('decodes character references, and writes characters that would be markup as text', async () => {
    const shown = [
      ['# Caf&eacute; &amp; zones&#x20;', '# Café & zones '],
      ['Open &ndash; always&nbsp;&#8203;to 9&#8239;o&rsquo;clock', 'Open – always \u200bto 9\u202fo’clock'],
      ['5 &lt;10 but &lt;b>, &ast;x&ast;, c&#124;d', '5 <10 but \\<b>, \\*x\\*, c\\|d'],
      ['&nbsp;&nbsp;&nbsp;&nbsp;Indented', 'Indented'],
      ['&#35; no heading', '\\# no heading'],
      ['- &#45; one item', '- \\- one item'],
      ['1&#46; no list', '1\\. no list'],
      ['&amp;lt; and &unknown; and \\&amp;', '\\&lt; and &unknown; and \\&amp;'],
      ['[prices](http://x.example?a&amp;b)', '[prices](http://x.example?a&b)'],
      ['| a &amp; b |\n| --- |\n| 5&nbsp;&euro; |', '| a & b |\n| --- |\n| 5 € |'],
    ] as const;
    for (const [written, text] of shown) expect((await read('markdown', written)).text).toBe(text);
    expect(await read('markdown', '# &Auml;rger&#x20;\n\nText.')).toMatchObject({ title: 'Ärger' });
  });

  it.each([
    '`&amp;`',
    '``a ` &lt;``',
    '```html\n&nbsp;\n```',
    'Run:\n\n    a &amp;&amp; b',
    '<pre>\n5 &lt; 6\n</pre>',
    '<img alt="&quot;">',
    '<!-- &amp; -->',
  ])('keeps character references in code and tags: %s', async (source) => {
    expect((await read('markdown', source)).text).toBe(source);
  });

  it('keeps the lines of text with character references', async () => {
    const parsed = await read('markdown', '&quot;One&quot;\n\n!!! note\n    &quot;Two&quot;\n\nThree\n');
    for (const [text, line] of [
      ['Two', 4],
      ['Three', 6],
    ] as const) {
      const { at, line: first } = placeOf(parsed, text)!;
      expect(first! + parsed.text.slice(at, parsed.text.indexOf(text)).split('\n').length - 1).toBe(line);
    }
  });

  it('reads front matter as metadata, and counts the lines of the body from the start of the file', async () => {
    const source =
      '---\ntitle: Field guide\nauthor: Ida Berg\nissued: 2024-03-05\nread: 2024-03-05T10:15:00Z\ntags: [pumps, seals]\nedition: 3\n---\n\n\n# Pumps\n\nText.\n';
    const parsed = await read('markdown', source);
    expect(parsed.title).toBe('Field guide');
    expect(parsed.metadata).toEqual({
      author: 'Ida Berg',
      issued: '2024-03-05',
      read: '2024-03-05T10:15:00.000Z',
      tags: ['pumps', 'seals'],
      edition: 3,
    });
    expect(parsed.text).toBe('# Pumps\n\nText.\n');
    const line = source.split('\n').indexOf('# Pumps') + 1;
    expect(placeOf(parsed, '# Pumps')).toEqual({ at: 0, line });
  });

  it.each(['js', 'javascript', 'coffee', 'json', 'toml', 'constructor', 'toString', '__proto__', ' constructor'])(
    'does not run or read front matter in %s',
    async (language) => {
      const source = `---${language}\nmodule.exports = { ran: (globalThis.kbRan = true) }\n---\n# Body\n`;
      const { text, metadata } = await read('markdown', source);
      expect(text).toBe(source);
      expect(metadata).toEqual({});
      expect(globalThis).not.toHaveProperty('kbRan');
    },
  );

  it.each([
    ['broken YAML', '---\ntitle: [unclosed\n---\n# Body\n'],
    ['a sentence between two rules', '---\nJust a sentence.\n---\n# Body\n'],
    ['a rule that nothing closes', '---\n# Body\n\nText.\n'],
    [
      'aliases that grow without end',
      `---\na: &a [${'x,'.repeat(30)}]\nb: &b [${'*a,'.repeat(30)}]\nc: [${'*b,'.repeat(30)}]\n---\n# Body\n`,
    ],
    ['aliases of a long text', `---\na: &a ${'x'.repeat(1000)}\nb: [${'*a,'.repeat(500)}]\n---\n# Body\n`],
    ['values that nest without end', `---\na: ${'['.repeat(2000)}${']'.repeat(2000)}\n---\n# Body\n`],
  ])('reads %s at the beginning as text', async (_name, source) => {
    expect(await read('markdown', source)).toMatchObject({ text: source, metadata: {}, marks: [{ at: 0, line: 1 }] });
  });

  it('reads front matter with Windows line ends and a byte order mark', async () => {
    const { title, text, marks } = await read('markdown', '\ufeff---\r\ntitle: T\r\n---\r\nOne.\r\nTwo.\r\n');
    expect({ title, text, marks }).toEqual({ title: 'T', text: 'One.\nTwo.\n', marks: [{ at: 0, line: 4 }] });
  });

  it('takes the title from the first heading in any notation', async () => {
    const titles = [
      '```\n# code\n```\n\n## The `pump` of **[Helios](https://h.example)** ##\n',
      'Pump seals\n==========\n\ntext\n',
      'no heading here\n',
    ].map(async (source) => (await read('markdown', source)).title);
    expect(await Promise.all(titles)).toEqual(['The pump of Helios', 'Pump seals', undefined]);
  });
});

const readDialectLines = (lines: readonly string[], isMdx = false) => readDialects(lines.join('\n'), { line: 1, isMdx });
const shown = async (lines: readonly string[], isMdx = false) => (await readDialectLines(lines, isMdx)).text.split('\n');

describe('dialects of Markdown', () => {
  it('are not found in plain Markdown', async () => {
    const lines = ['# A', '', '> [!NOTE]', '> b', '', '| a |', '| --- |', '', '    code'];
    expect(await readDialectLines(lines)).toEqual({ text: lines.join('\n'), marks: [{ at: 0, line: 1 }] });
  });

  it('include MkDocs: its notes and tabs become text under their titles', async () => {
    expect(
      await shown(['!!! note "Before you start"', '    Wear gloves.', '', '    === "Linux"', '', '        Run it.', '', 'After.']),
    ).toEqual(['**Before you start:**', '', 'Wear gloves.', '', '**Linux**', '', '', 'Run it.', '', 'After.']);
    expect(await shown(['???+ warning', '    Hot.'])).toEqual(['**Warning:**', '', 'Hot.']);
    expect(await shown(['??? tip inline end "MFA lost?"', '    Call.'])).toEqual(['**MFA lost?**', '', 'Call.']);
    expect(await shown(['!!! note ""', '    Hot.'])).toEqual(['**Note:**', '', 'Hot.']);
  });

  it('include containers, which become text under their name or title', async () => {
    expect(await shown([':::warning', 'Hot.', ':::', '', '::: tip Good to know', 'b', ':::', '', ':::columns', 'c', ':::'])).toEqual([
      '**Warning:**',
      'Hot.',
      '',
      '',
      '**Good to know:**',
      'b',
      '',
      '',
      '',
      'c',
      '',
    ]);
    expect(await shown(['{% hint style="info" %}', 'a', '{% endhint %}', '{% tab title="Linux" %}'])).toEqual(['', 'a', '', '**Linux**']);
    expect(await shown(['<details>', '<summary>How <b>long</b>?</summary>', '', 'Seven.', '</details>'])).toEqual([
      '',
      '**How long?**',
      '',
      'Seven.',
      '',
    ]);
  });

  it('include HTML tables, which become tables without changing later line numbers', async () => {
    const { text, marks } = await readDialectLines([
      'a',
      '<table>',
      '<tr><th>Code</th><th>Meaning</th></tr>',
      '<tr><td>E24</td><td>Hot</td></tr>',
      '</table>',
      'b',
    ]);
    expect(text.split('\n')).toEqual(['a', '', '| Code | Meaning |', '| --- | --- |', '| E24 | Hot |', '', 'b']);
    expect(marks.at(-1)).toEqual({ at: text.indexOf('b'), line: 6 });
    expect(await shown(['<table>', 'open'])).toEqual(['<table>', 'open']);
  });

  it('include MDX, which loses imports and component tags, but not titles and content', async () => {
    const lines = [
      "import A from 'a';",
      '',
      '# T',
      '',
      '<Card',
      '  title="Install"',
      '  href="/a"',
      '>',
      'Run <Badge>new</Badge> `<Code>`. {/* no */}',
      '</Card>',
    ];
    expect(await shown(lines, true)).toEqual(['', '# T', '', '**Install**', 'Run new `<Code>`. ', '']);
    expect((await readDialectLines(lines, true)).marks.map(({ line }) => line)).toEqual([2, 9]);
    expect(await shown(['```js', "import A from 'a';", '<Card>', '```'], true)).toEqual(['```js', "import A from 'a';", '<Card>', '```']);
  });

  it('do not change code of any length', async () => {
    const code = ['```', ...Array.from({ length: 1_000_000 }, () => 'a'), '```'];
    expect((await shown([...code, ':::note', '!!! tip', ...code.map((line) => `    ${line}`)])).slice(1_000_002, 1_000_005)).toEqual([
      '**Note:**',
      '**Tip:**',
      '',
    ]);
  });

  it('do not change code', async () => {
    expect(await shown([':::', '```', ':::note', '!!! a', '```'])).toEqual(['', '```', ':::note', '!!! a', '```']);
  });
});

const wide = (flag: string, text: string) => `| ${flag.padStart(16)} | ${text.padEnd(400)} |`;
const padded = `Flags:\n\n${wide('Flag', 'Arguments')}\n|${'-'.repeat(17)}:|${'-'.repeat(402)}|\n${wide('`--auth`', 'a pair  of words')}\n\nMore   text.\n`;

test('removes the padding of a wide table, line by line', () => {
  expect(removeTablePadding(padded)).toBe('Flags:\n\n| Flag | Arguments |\n|---:|---|\n| `--auth` | a pair  of words |\n\nMore   text.\n');
});

test('keeps tables of an ordinary width, code and text unchanged', () => {
  const plain = `| a     | b ${' '.repeat(30)}|\n| ----- | ----- |\n| 1     | 2     |\n\n~~~\n| x ${' '.repeat(300)}|\n|---|\n~~~\n\n${'-'.repeat(60)}\n`;
  expect(removeTablePadding(plain)).toBe(plain);
});
