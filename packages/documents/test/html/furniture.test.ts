import { describe, expect, it } from 'vitest';
import { htmlParser } from '../../src/html/page.ts';
import { read, readPage } from '../support/read.ts';

const sentence =
  'The kettle boils a litre of water in two minutes, and switches itself off before anybody has found the cups for the tea. ';
const textOf = async (body: string): Promise<string> =>
  (await read('html', `<html><head><title>Prices</title></head><body>${body}</body></html>`)).text;

describe('a form', () => {
  const prices = '<h2>Prices</h2><p>Adults pay 12, children 6.</p>';
  const hidden = '<input type="hidden" name="__VIEWSTATE" value="x">';

  it('is read if it wraps the whole page, as ASP.NET does', async () => {
    const expected = '## Prices\n\nAdults pay 12, children 6.';
    expect(await textOf(`<form method="post">${hidden}<main>${prices}</main></form>`)).toBe(expected);
    expect(await textOf(`<form method="post">${hidden}<div id="content">${prices}</div></form>`)).toBe(expected);
    expect(await textOf(`<form method="post">${hidden}<div><input type="search"></div><div id="content">${prices}</div></form>`)).toBe(
      expected,
    );
    expect(await textOf(`<form>${hidden}<input type="search"><h1>Prices</h1><p>Adults pay 12.</p></form>`)).toBe(
      '# Prices\n\nAdults pay 12.',
    );
  });

  it('is read if it has no fields or contains the headline', async () => {
    expect(await textOf(`<div><p>${sentence}</p><form>${hidden}${prices}</form></div>`)).toContain('Adults pay 12');
    expect(await textOf(`<div><p>${sentence}</p><form><input type="search"><h1>Prices</h1><p>Adults pay 12.</p></form></div>`)).toContain(
      'Adults pay 12',
    );
  });

  it('keeps its labels if it asks for input', async () => {
    const asking = `<form>${hidden}<label>MAILWORD <input type="email"></label></form>`;
    for (const page of [`<main>${prices}${asking}</main>`, `${prices}${asking}`])
      expect(await textOf(page)).toBe('## Prices\n\nAdults pay 12, children 6.\n\nMAILWORD');
  });
});

describe('a page about cookies', () => {
  it('is read although its class names resemble consent banners', async () => {
    const policy = '<h1>Cookie policy</h1><p>We use two cookies.</p>';
    expect(await textOf(`<div class="cookie-policy-page">${policy}</div>`)).toBe('# Cookie policy\n\nWe use two cookies.');
    const baking = '<div class="section" id="cookies"><span id="c"></span><h2>Cookies</h2><p>Bake them.</p></div>';
    expect(await textOf(`<div>${baking}<div class="section" id="bread"><h2>Bread</h2><p>Bake it.</p></div></div>`)).toBe(
      '## Cookies\n\nBake them.\n\n## Bread\n\nBake it.',
    );
  });
});

describe('hidden content', () => {
  it('is read if it is most of the page', async () => {
    expect(await textOf(`<div id="page" style="visibility:hidden"><h1>Prices</h1><p>Adults pay 12.</p></div>`)).toBe(
      '# Prices\n\nAdults pay 12.',
    );
  });

  it('is left out if it is less than half of the page', async () => {
    const hidden = `<div style="display:none"><h1>HIDDENWORD</h1><p>Hidden.</p></div>`;
    expect(await textOf(`${hidden}<h1>Prices</h1><p>${sentence}</p>`)).not.toContain('HIDDENWORD');
    expect(await textOf(`<div>${hidden}<p>Short.</p></div>`)).not.toContain('HIDDENWORD');
  });
});

describe('a button in a heading', () => {
  it('becomes its words if the heading has no others', async () => {
    expect(await textOf('<main><h2><span><button>Is it open?</button></span><button>Copy link</button></h2><p>Yes.</p></main>')).toBe(
      '## Is it open?\n\nYes.',
    );
    expect(await textOf('<main><h2>1. <button aria-expanded="true">Is it open?</button></h2><p>Yes.</p></main>')).toBe(
      '## 1. Is it open?\n\nYes.',
    );
  });

  it('becomes its number if the heading has nothing else', async () => {
    const year = (number: number) => `<h3><button aria-expanded="false">${number}</button></h3><p>Of ${number}.</p>`;
    expect(await textOf(`<main>${year(2024)}${year(2023)}</main>`)).toBe('### 2024\n\nOf 2024.\n\n### 2023\n\nOf 2023.');
    expect(await textOf('<main><h2>Setup<button>1</button></h2><p>Words.</p></main>')).toBe('## Setup\n\nWords.');
  });

  it('is left out beside other words', async () => {
    expect(await textOf('<main><h2>Setup<button>Copy link to this section</button></h2><p>Words.</p></main>')).toBe('## Setup\n\nWords.');
  });
});

describe('a file that consists of links', () => {
  const menu = '<ul class="nav navbar-nav"><li><a href="/start.html">Start</a></li><li><a href="/prices.html">Prices</a></li></ul>';

  it('keeps parts that open on a click', async () => {
    const nested =
      '<ul class="nav"><li><a href="/a.html">Start</a><ul class="x" role="menu"><li>This is my <a href="/b.html">Homepage</a></li></ul></li></ul>';
    expect((await read('html', `<html><body>${nested}</body></html>`)).text).toBe('- [Start](/a.html)\n  - This is my [Homepage](/b.html)');
  });

  it('becomes a list of its links', async () => {
    expect(await textOf(menu)).toBe('- [Start](/start.html)\n- [Prices](/prices.html)');
  });

  it('is read as a page of a site, too', async () => {
    const { text, page } = await readPage('https://example.com/', `<body>${menu}</body>`);
    expect(text).toBe('- [Start](https://example.com/start.html)\n- [Prices](https://example.com/prices.html)');
    expect(page!.links).toEqual(['https://example.com/start.html', 'https://example.com/prices.html']);
  });
});

const links = (...names: string[]) => `<ul>${names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`;
const around = (content: string): string =>
  `<div id="nav" class="navbar menu">${links('NAVWORD', 'Products', 'Team', 'Contact')}</div>
  <div id="sidebar" class="sidebar"><ul><li><a href="/new">SIDEWORD: we moved to a new place</a></li></ul></div>
  <div id="content">${content}</div><div id="footer" class="site-footer"><p>© 2026 Acme Ltd. FOOTERWORD</p><a href="/imprint">Imprint</a></div>`;
const untitled = async (body: string): Promise<string> => (await read('html', `<html><body>${body}</body></html>`)).text;

describe('a page without landmark elements', () => {
  const prose = `<p>${sentence.repeat(3)}</p>`;

  it('loses blocks of links outside of the element that holds its text', async () => {
    expect(await untitled(around(`<h1>Kettle</h1>${prose}`))).toBe(
      `# Kettle\n\n${sentence.repeat(3).trim()}\n\n© 2026 Acme Ltd. FOOTERWORD\n\n[Imprint](/imprint)`,
    );
  });

  it('keeps lists of links in its text, and blocks with a heading', async () => {
    const list = links('Cups', 'Tea', 'Water');
    expect(await untitled(`<div>${prose}${list}${prose}</div>`)).toContain('- [Tea](/Tea)');
    expect(await untitled(`<div>${prose}</div><div><h2>See also</h2>${list}</div>`)).toContain('## See also\n\n- [Cups](/Cups)');
  });

  it('keeps everything if it has no prose', async () => {
    const page = around('<h1>Contact</h1><p>Call us on weekdays.</p><p>Phone 1 234.</p>');
    expect(await untitled(page)).toMatch(/# Contact\n\nCall us on weekdays\.\n\nPhone 1 234\./);
    const team = ['Ann', 'Bob', 'Cleo'].map((name) => `<div class="member"><h3>${name}</h3><span>Engineer</span></div>`).join('');
    expect(await untitled(`<h2>Team</h2>${team}<div class="footer">版权所有</div>`)).toBe(
      '## Team\n\n### Ann\n\nEngineer\n\n### Bob\n\nEngineer\n\n### Cleo\n\nEngineer\n\n版权所有',
    );
  });

  it('keeps headers with a headline, and asides with words of their own', async () => {
    const header = '<header><h1><a href="/">Pump</a></h1><p>Moves water.</p></header>';
    expect(await untitled(`${header}<aside>Mind the step.</aside><p>Words.</p>`)).toBe(
      '# [Pump](/)\n\nMoves water.\n\nMind the step.\n\nWords.',
    );
    expect(await untitled(`<p>Words.</p><aside>${links('A', 'B')}</aside>`)).toBe('Words.');
  });

  it('keeps content with the names of such parts', async () => {
    const box =
      '<div class="rightsidebar"><h4>In short</h4><ul><li><a href="/sql">Full-featured</a></li><li><a href="/file">One file</a></li></ul></div>';
    expect(await untitled(`<h1>About</h1>${box}<p>A library that is a database.</p>`)).toContain(
      '#### In short\n\n- [Full-featured](/sql)',
    );
    const dish = '<div class="menu-item"><h3>Soup</h3><p>8.50</p></div>';
    expect(await untitled(`<div class="menu"><div class="header"><h2>Lunch</h2></div>${dish}</div>`)).toBe('## Lunch\n\n### Soup\n\n8.50');
    const card = (name: string) =>
      `<div class="card"><div class="header"><h3><a href="/${name}">${name}</a></h3></div><p>Grows here.</p><div class="footer">Seen in ${name}land.</div></div>`;
    expect(await untitled(card('Ash') + card('Oak'))).toMatch(/Ash.*Seen in Ashland\.[^]*Oak.*[^]*Seen in Oakland\./s);
    expect(await untitled('<div class="footer"><h2>Imprint</h2><p>Acme Ltd.</p></div>')).toBe('## Imprint\n\nAcme Ltd.');
    expect(await untitled('<div class="header"><h1>Contact</h1></div><p>Call us.</p>')).toBe('# Contact\n\nCall us.');
  });

  it('keeps rows, cells, headings, terms and items with the names of such parts', async () => {
    const rows = '<tr class="header"><th>Model</th><th>Price</th></tr><tr><td class="head">P1</td><td>100</td></tr>';
    expect(await untitled(`<h1>Prices</h1><p>All in euro.</p><table>${rows}</table>`)).toContain(
      '| Model | Price |\n| --- | --- |\n| P1 | 100 |',
    );
    expect(await untitled('<h1>Shop</h1><h2 class="header">Opening hours</h2><p>Monday to Friday, 9 to 17.</p>')).toContain(
      '## Opening hours',
    );
    expect(await untitled('<h1>Keys</h1><dl><dt id="menu">Menu</dt><dd>A list of what can be done now.</dd></dl>')).toContain('Menu');
    expect(await untitled('<h1>Spec</h1><ul><li class="head">Flow: 10</li><li class="foot">Weight: 3</li></ul>')).toMatch(
      /Flow.*\n.*Weight/,
    );
    expect(await untitled('<h1>Layout</h1><div id="footer"><h2>Footer</h2><p>It takes a colour.</p></div>')).toContain('Footer');
  });

  it('keeps the headers and footers of cards, even of a single one', async () => {
    const card = (name: string) =>
      `<div class="card"><div class="header">${name}</div><p>Repairs the pumps of the whole valley since long ago.</p></div>`;
    const cards = await untitled(card('Ann Berg') + card('Bob Carl'));
    expect(cards).toContain('Ann Berg');
    expect(cards).toContain('Bob Carl');
    expect(await untitled(`<h1>Team</h1>${card('Ann Berg')}`)).toContain('Ann Berg');
    const footer = '<p>Boils a litre in two minutes.</p><div class="footer">Price: 30 euro</div>';
    expect(await untitled(`<h1>Kettle</h1><div class="product">${footer}</div>`)).toContain('Price');
    expect(await untitled(`<div><h1>Kettle</h1>${footer}<p>It comes with a lid.</p></div>`)).toContain('Price');
    expect(await untitled('<div><h1>Kettle</h1><p>Boils a litre.</p><div class="footer">Since 1990</div></div>')).toContain('Since 1990');
  });
});

describe('hidden words', () => {
  it('are kept within a sentence, where a script shows some of them', async () => {
    const keys = '<span data-mac="1" hidden="true">Command</span><span style="display:none">Ctrl</span>';
    expect(await untitled(`<main><p>Hold down ${keys} and drag.</p></main>`)).toBe('Hold down CommandCtrl and drag.');
  });

  it('are left out if they are a block, or stand alone', async () => {
    expect(await untitled(`<main><p>Words.</p><div hidden role="dialog"><p>Sign in.</p></div><span hidden>Loading</span></main>`)).toBe(
      'Words.',
    );
  });
});

describe('a list of contents', () => {
  const heads = ['Fill it', 'Boil it', 'Clean it'].map((name, i) => `<h2 id="s${i}">${name}</h2><p>${sentence}</p>`).join('');
  const contents = (...names: string[]) => `<ul>${names.map((name, i) => `<li><a href="#s${i}">${name}</a></li>`).join('')}</ul>`;

  it('is left out if it repeats the headings of the page', async () => {
    const text = await untitled(`<main>${contents('1. Fill it', '2. Boil it', '3. Clean it')}${heads}</main>`);
    expect(text.match(/Boil it/g)).toHaveLength(1);
  });

  it('is kept if it says something else', async () => {
    expect(await untitled(`<main>${contents('Fill it', 'Boil it', 'Descale it')}${heads}</main>`)).toContain('- Descale it');
  });
});

describe('the share of a page that is left out', () => {
  it('counts what no markup declares to be outside of the content, beyond two percent', async () => {
    const text = `<p>${sentence.repeat(3)}</p>`;
    const menu = links('Start', 'Products', 'Team', 'Contact');
    const shareOf = async (body: string) => (await read('html', `<html><body>${body}</body></html>`)).metadata.left_out;
    expect(await shareOf(`<nav>${menu}</nav><main>${text}</main><footer>Imprint</footer>`)).toBeUndefined();
    expect(await shareOf(`<div>${menu}</div><div>${text}</div>`)).toBeGreaterThan(0.02);
    expect(await shareOf(`<div>${menu}</div><div>${text.repeat(10)}</div>`)).toBeUndefined();
  });

  it('is nothing if the whole page is read', async () => {
    const page = `<html><body><nav>Start</nav><div>${links('A', 'B', 'C')}</div><h1>Kettle</h1><p>${sentence}</p><footer>Imprint</footer><script>x</script></body></html>`;
    const { text, metadata } = await htmlParser.parse(Buffer.from(page), { source: 'a.html', html: 'whole' });
    expect(text).toBe(`Start\n\n- [A](/A)\n- [B](/B)\n- [C](/C)\n\n# Kettle\n\n${sentence.trim()}\n\nImprint`);
    expect(metadata.left_out).toBeUndefined();
  });
});
