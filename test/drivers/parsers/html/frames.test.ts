import { describe, expect, it } from 'vitest';
import { read } from '../read.ts';

const links = (...names: string[]) => `<ul>${names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`;
const around = (content: string): string =>
  `<div id="nav" class="navbar menu">${links('NAVWORD', 'Products', 'Team', 'Contact')}</div>
  <div id="sidebar" class="sidebar"><ul><li><a href="/new">SIDEWORD: we moved to a new place</a></li></ul></div>
  <div id="content">${content}</div><div id="footer" class="site-footer"><p>© 2026 Acme Ltd. FOOTERWORD</p><a href="/imprint">Imprint</a></div>`;
const textOf = async (body: string): Promise<string> => (await read('html', `<html><body>${body}</body></html>`)).text;

describe('a short page without elements for what stands around its content', () => {
  it('has no menus, side bars of links and footers', async () => {
    expect(await textOf(around('<h1>Contact</h1><p>Call us on weekdays.</p><p>Phone 1 234.</p>'))).toBe(
      '# Contact\n\nCall us on weekdays.\n\nPhone 1 234.',
    );
    const team = ['Ann', 'Bob', 'Cleo'].map((name) => `<div class="member"><h3>${name}</h3><span>Engineer</span></div>`).join('');
    expect(await textOf(around(`<h2>Team</h2>${team}`))).toBe(
      '## Team\n\n### Ann\n\nEngineer\n\n### Bob\n\nEngineer\n\n### Cleo\n\nEngineer',
    );
    expect(
      await textOf(
        '<div class="nav">导航</div><div><h1>产品</h1><p>今天天气很好。我们去公园。</p></div><div class="footer">版权所有</div>',
      ),
    ).toBe('# 产品\n\n今天天气很好。我们去公园。');
  });

  it('keeps what is only called like them', async () => {
    const box =
      '<div class="rightsidebar"><h4>In short</h4><ul><li><a href="/sql">Full-featured</a></li><li><a href="/file">One file</a></li></ul></div>';
    expect(await textOf(`<h1>About</h1>${box}<p>A library that is a database.</p>`)).toContain('#### In short\n\n- [Full-featured](/sql)');
    const dish = '<div class="menu-item"><h3>Soup</h3><p>8.50</p></div>';
    expect(await textOf(`<div class="menu"><div class="header"><h2>Lunch</h2></div>${dish}</div>`)).toBe('## Lunch\n\n### Soup\n\n8.50');
    const card = (name: string) =>
      `<div class="card"><div class="header"><h3><a href="/${name}">${name}</a></h3></div><p>Grows here.</p><div class="footer">Seen in ${name}land.</div></div>`;
    expect(await textOf(card('Ash') + card('Oak'))).toMatch(/Ash.*Seen in Ashland\.[^]*Oak.*[^]*Seen in Oakland\./s);
    expect(await textOf('<div class="footer"><h2>Imprint</h2><p>Acme Ltd.</p></div>')).toBe('## Imprint\n\nAcme Ltd.');
    expect(await textOf('<div class="header"><h1>Contact</h1></div><p>Call us.</p>')).toBe('# Contact\n\nCall us.');
  });

  it('keeps rows, cells, headings, terms and items that are called like them', async () => {
    const rows = '<tr class="header"><th>Model</th><th>Price</th></tr><tr><td class="head">P1</td><td>100</td></tr>';
    expect(await textOf(`<h1>Prices</h1><p>All in euro.</p><table>${rows}</table>`)).toContain(
      '| Model | Price |\n| --- | --- |\n| P1 | 100 |',
    );
    expect(await textOf('<h1>Shop</h1><h2 class="header">Opening hours</h2><p>Monday to Friday, 9 to 17.</p>')).toContain(
      '## Opening hours',
    );
    expect(await textOf('<h1>Keys</h1><dl><dt id="menu">Menu</dt><dd>A list of what can be done now.</dd></dl>')).toContain('Menu');
    expect(await textOf('<h1>Spec</h1><ul><li class="head">Flow: 10</li><li class="foot">Weight: 3</li></ul>')).toMatch(/Flow.*\n.*Weight/);
    expect(await textOf('<h1>Layout</h1><div id="footer"><h2>Footer</h2><p>It takes a colour.</p></div>')).toContain('Footer');
  });

  it('keeps the heads and footers of cards, and of the only one', async () => {
    const card = (name: string) =>
      `<div class="card"><div class="header">${name}</div><p>Repairs the pumps of the whole valley since long ago.</p></div>`;
    const cards = await textOf(card('Ann Berg') + card('Bob Carl'));
    expect(cards).toContain('Ann Berg');
    expect(cards).toContain('Bob Carl');
    expect(await textOf(`<h1>Team</h1>${card('Ann Berg')}`)).toContain('Ann Berg');
    const footer = '<p>Boils a litre in two minutes.</p><div class="footer">Price: 30 euro</div>';
    expect(await textOf(`<h1>Kettle</h1><div class="product">${footer}</div>`)).toContain('Price');
    expect(await textOf(`<div><h1>Kettle</h1>${footer}<p>It comes with a lid.</p></div>`)).toContain('Price');
    expect(await textOf('<div><h1>Kettle</h1><p>Boils a litre.</p><div class="footer">FOOTERWORD</div></div>')).not.toContain('FOOT');
  });
});
