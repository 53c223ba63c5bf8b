import { describe, expect, it, test } from 'vitest';
import { placeOf, read } from '../support/read.ts';
import { parseDocument } from '../../src/parse.ts';
import { parsers } from '../../src/formats.ts';

const handbook = `<!doctype html><html lang="en-GB"><head><title>Staff Handbook</title><meta name="description" content="What everyone may expect."><meta name="author" content="Ida Berg"></head><body>
<header>BANNERWORD</header><nav><a href="/">NAVWORD</a></nav>
<main><h1>Staff Handbook</h1><h2 id="leave">Annual leave<a class="headerlink" href="#leave">¶</a></h2><p>Everyone has 28 days.</p>
<section id="travel"><h2>Travel</h2><p>Second class. See <a href="#leave">above</a> and <a href="https://rail.example/">the railway</a>.</p></section>
<h3>Abroad</h3><p>Ask first.</p></main><footer>FOOTERWORD</footer><script>SCRIPTWORD</script></body></html>`;

const body = async (html: string): Promise<string> => (await read('html', `<html><body><main>${html}</main></body></html>`)).text;

describe('the HTML parser', () => {
  it('returns main text, title, language, author and description', async () => {
    const { text, title, metadata } = await read('html', handbook);
    expect(text).toBe(
      '# Staff Handbook\n\n## Annual leave\n\nEveryone has 28 days.\n\n## Travel\n\nSecond class. See above and [the railway](https://rail.example/).\n\n### Abroad\n\nAsk first.',
    );
    expect(title).toBe('Staff Handbook');
    expect(metadata).toEqual({ author: 'Ida Berg', description: 'What everyone may expect.', lang: 'en-GB' });
  });

  it('marks each heading with an anchor', async () => {
    const parsed = await read('html', handbook);
    expect(parsed.marks).toEqual([
      { at: parsed.text.indexOf('## Annual'), anchor: 'leave' },
      { at: parsed.text.indexOf('## Travel'), anchor: 'travel' },
    ]);
    expect(placeOf(parsed, 'Ask first')?.anchor).toBe('travel');
    expect(placeOf(parsed, '# Staff Handbook')).toBeUndefined();
  });

  it('reduces a news page to the article under its headline', async () => {
    const sentence =
      'The council decided on Tuesday that the old bridge over the river will be closed for heavy lorries until it has been repaired. ';
    const teaser = '<div class="teaser sidebar"><a href="/x">TEASERWORD of another day</a></div>';
    const page = `<html><head><title>Bridge closed</title><meta property="og:type" content="article"></head><body><div class="header"><h1>Bridge closed</h1></div><div class="story">${`<p>${sentence.repeat(3)}</p>`.repeat(6)}</div>${teaser.repeat(12)}</body></html>`;
    const { text } = await read('html', page);
    expect(text).toMatch(/^# Bridge closed\n\nThe council/);
    expect(text.match(/The council/g)).toHaveLength(18);
    expect(text).not.toContain('TEASERWORD');
  });

  it('keeps every paragraph of a short page without a main element', async () => {
    const { text } = await read(
      'html',
      '<html><body><nav>NAVWORD</nav><h1>Valve</h1><p>Turn it left.</p><ul><li>Gloves</li></ul><p>Done.</p></body></html>',
    );
    expect(text).toBe('# Valve\n\nTurn it left.\n\n- Gloves\n\nDone.');
  });

  it('reads pages with omitted tags', async () => {
    expect((await read('html', '<p>One.</p><p>Two.</p>')).text).toBe('One.\n\nTwo.');
    expect((await read('html', '<html><title>T</title><p>One.</p><p>Two.</p></html>')).text).toBe('One.\n\nTwo.');
  });

  it('writes lists with their numbers and levels', async () => {
    expect(await body('<ol start="3"><li>Empty it</li><li><p>Fill it</p><ul><li>slowly</li></ul></li></ol>')).toBe(
      '3. Empty it\n4. Fill it\n\n   - slowly',
    );
  });

  it('numbers lists as a browser does', async () => {
    expect(await body('<ol><li>a</li><li value="9">b</li><li>c</li></ol>')).toBe('1. a\n9. b\n10. c');
    expect(await body('<ol reversed><li>a</li><li>b</li><li>c</li></ol>')).toBe('3. a\n2. b\n1. c');
    expect(await body('<ol reversed start="5"><li>a</li><li>b</li></ol>')).toBe('5. a\n4. b');
  });

  it('keeps adjacent parts with emphasis or code', async () => {
    expect(await body('<p><b>A</b><strong>B</strong> <i>c</i><em>d</em> <b>e</b> <b>f</b></p>')).toBe('**AB** *cd* **e** **f**');
    expect(await body('<p><code>a</code><code>b</code><code>c</code></p>')).toBe('`a` `b` `c`');
    expect(await body('<pre><code>a</code><code>b</code></pre>')).toBe('```\nab\n```');
  });

  it('limits the size of a table with huge spans', async () => {
    const row = '<tr><td rowspan="1000" colspan="1000">a</td><td>b</td></tr>';
    const text = await body(`<table>${row.repeat(100)}</table>`);
    expect(text.split('\n')).toHaveLength(101);
    expect(text.length).toBeLessThan(2000);
    const wide = await body('<table><tr><td colspan="99">Rooms</td></tr><tr><td>One</td><td>80</td></tr></table>');
    expect(wide).toBe('| Rooms |  |\n| --- | --- |\n| One | 80 |');
    const all = '<tr><td colspan="999">Without tax</td></tr>';
    const two = (name: string) => `<tr><td rowspan="2">${name}</td><td>1</td><td>x</td></tr><tr><td>2</td><td>y</td></tr>`;
    expect(await body(`<table>${two('Pump')}${all}${two('Hose')}</table>`)).toMatch(
      /\| Pump \| 1 \|[^]*\| Pump \| 2 \| y \|\n[^]*Hose[^]*\| Hose \| 2 \| y \|/,
    );
    const long = `<tr><td rowspan="1000">${'a '.repeat(500)}</td><td>b</td></tr>${'<tr><td>c</td></tr>'.repeat(99)}`;
    expect((await body(`<table>${long}</table>`)).length).toBeLessThan(3000);
    const blocks = await body('<table><tr><td colspan="600">a</td><td>b</td></tr></table>');
    expect(blocks.length).toBeLessThan(100);
  });

  it('puts each table value into its column, and into each row that it spans', async () => {
    const html =
      '<table><caption>Power</caption><tr><td><b>Model</b></td><td colspan="2">Draw</td></tr><tr><td rowspan="2">A | 300</td><td>heater</td><td>1450<br>W</td></tr><tr><td>pump</td><td>48 W</td></tr></table>';
    expect(await body(html)).toBe(
      'Power\n\n| Model | Draw |  |\n| --- | --- | --- |\n| A \\| 300 | heater | 1450 W |\n| A \\| 300 | pump | 48 W |',
    );
  });

  it('writes an empty header if the generator marks headers and the table has none', async () => {
    const rows = '<tr><td>a</td><td>Clear all layers</td></tr><tr><td>b</td><td>Open a file</td></tr>';
    const lines = '| a | Clear all layers |\n| b | Open a file |';
    expect(await body(`<table class="tableblock frame-all"><tbody>${rows}</tbody></table>`)).toBe(`|  |  |\n| --- | --- |\n${lines}`);
    expect(await body(`<table class="docutils"><thead><tr><th>K</th><th>Does</th></tr></thead><tbody>${rows}</tbody></table>`)).toBe(
      `| K | Does |\n| --- | --- |\n${lines}`,
    );
    expect(await body(`<table><tbody>${rows}</tbody></table>`)).toBe(lines.replace('\n', '\n| --- | --- |\n'));
  });

  it('reads a layout table cell by cell', async () => {
    const html =
      '<table><tr><td><h2>Left</h2><p>First.</p></td><td><table><tr><th>K</th><th>V</th></tr><tr><td>a</td><td>1</td></tr></table></td></tr></table>';
    expect(await body(html)).toBe('## Left\n\nFirst.\n\n| K | V |\n| --- | --- |\n| a | 1 |');
  });

  it('writes code unchanged, in a fence that it cannot close', async () => {
    expect(await body('<pre><code class="language-sh">if [ a_b ]; then\n  echo "&lt;x&gt;"\n```\nfi\n</code></pre>')).toBe(
      '````sh\nif [ a_b ]; then\n  echo "<x>"\n```\nfi\n````',
    );
  });

  it('keeps identifiers, and escapes markup characters at the start of a line', async () => {
    expect(await body('<p>ERR_4042 in foo_bar[0]</p><p># no heading</p><p>1. no list</p><p>a &lt;tag&gt;</p><h2>1. A heading</h2>')).toBe(
      'ERR_4042 in foo_bar[0]\n\n\\# no heading\n\n1\\. no list\n\na \\<tag>\n\n## 1. A heading',
    );
  });

  it('leaves out images without description, hidden parts and form controls', async () => {
    expect(
      await body(
        '<p>Seen.</p><img src="a.png"><img src="b (1).png" alt="Pump [front]"><p hidden>H</p><p style="display: none">D</p><button>Copy</button>',
      ),
    ).toBe('Seen.\n\n![Pump front](b%20%281%29.png)');
  });

  it('leaves out an image description that is a file name or the headline', async () => {
    const pictures =
      '<img src="a.jpg" alt="12-IMG_3886.jpg"><img src="b.jpg" alt="How to save money!"><img src="c.jpg" alt="A jar of coins">';
    expect(await body(`<h1>How to save money</h1><p>Begin today.</p>${pictures}`)).toBe(
      '# How to save money\n\nBegin today.\n\n![A jar of coins](c.jpg)',
    );
  });

  it('uses the declared encoding', async () => {
    const page = '<html><head><meta charset="iso-8859-2"><title>Kůň</title></head><body><p>Žluťoučký kůň</p></body></html>';
    const letters = new TextDecoder('iso-8859-2').decode(Uint8Array.from({ length: 256 }, (_, i) => i));
    const { text, title } = await read(
      'html',
      Uint8Array.from([...page], (letter) => letters.indexOf(letter)),
    );
    expect({ text, title }).toEqual({ text: 'Žluťoučký kůň', title: 'Kůň' });
  });

  it('uses a declared encoding with escape sequences', async () => {
    const page = '<html><head><meta charset="iso-2022-jp"></head><body><p>\x1b$B455e\x1b(B.</p></body></html>';
    expect((await read('html', page)).text).toBe('患球.');
    expect((await read('html', page.replace('iso-2022-jp', 'utf-8'))).text).toContain('455e');
  });

  it('writes short code in a table inline, and longer code as a block', async () => {
    const table = (code: string) =>
      body(`<table><tr><th>Name</th><th>Example</th></tr><tr><td>a</td><td><pre>${code}</pre></td></tr></table>`);
    expect(await table('if x:\n    y()\n# done')).toBe('| Name | Example |\n| --- | --- |\n| a | `if x:; y(); # done` |');
    expect(await table('a `b` | c')).toContain('| `` a `b` \\| c `` |');
    expect(await table('line\n  more\n'.repeat(10))).toContain('```\nline\n  more\nline');
  });

  it('keeps a page from forging marks', async () => {
    const { text, marks } = await read(
      'html',
      '<html><body><main><p>\ufdd30\ufdd4 and \ufdd0 text</p><h2 id="a">A</h2></main></body></html>',
    );
    expect(text).toBe('0 and text\n\n## A');
    expect(marks).toEqual([{ at: text.indexOf('## A'), anchor: 'a' }]);
  });
});

const parse = (html: string, source = 'https://api.example/posts#record=1') =>
  parseDocument({ bytes: Buffer.from(html), source, file_type: 'html-fragment' });

test('reads a whole fragment as content, in UTF-8 and with absolute links', async () => {
  const { text, metadata, page } = await parse('<footer>Ünder the <a href="/roof">roof</a></footer><p>Text</p><script>no</script>');
  expect(text).toBe('Ünder the [roof](https://api.example/roof)\n\nText');
  expect([metadata, page]).toEqual([{}, undefined]);
});

test('refuses a fragment without text, and never reads a file as a fragment', async () => {
  await expect(parse('<p><img src="x.png"></p>')).rejects.toMatchObject({ code: 'no_text' });
  expect(parsers.find(({ file_type }) => file_type === 'html-fragment')!.extensions).toEqual([]);
});
