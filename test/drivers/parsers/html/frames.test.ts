import { describe, expect, it } from 'vitest';
import { read } from '../read.ts';

const links = (...names: string[]) => `<ul>${names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')}</ul>`;
const around = (content: string): string =>
  `<div id="header"><a href="/">ACMEWORD</a></div><div id="nav" class="navbar menu">${links('NAVWORD', 'Products', 'Team', 'Contact')}</div>
  <div id="sidebar" class="sidebar"><h3>SIDEWORD</h3><ul><li><a href="/new">We moved to a new place</a></li></ul></div>
  <div id="content">${content}</div><div id="footer" class="site-footer"><p>© 2026 Acme Ltd. FOOTERWORD</p><a href="/imprint">Imprint</a></div>`;
const textOf = async (body: string): Promise<string> => (await read('html', `<html><body>${body}</body></html>`)).text;

describe('a short page without elements for what stands around its content', () => {
  it('has no menus, side bars and footers', async () => {
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
    const dish = '<div class="menu-item"><h3>Soup</h3><p>8.50</p></div>';
    expect(await textOf(`<div class="menu"><div class="header"><h2>Lunch</h2></div>${dish}</div>`)).toBe('## Lunch\n\n### Soup\n\n8.50');
    const card = (name: string) =>
      `<div class="card"><div class="header"><h3><a href="/${name}">${name}</a></h3></div><p>Grows here.</p><div class="footer">Seen in ${name}land.</div></div>`;
    expect(await textOf(card('Ash') + card('Oak'))).toMatch(/Ash.*Seen in Ashland\.[^]*Oak.*[^]*Seen in Oakland\./s);
    expect(await textOf('<div class="footer"><h2>Imprint</h2><p>Acme Ltd.</p></div>')).toBe('## Imprint\n\nAcme Ltd.');
    expect(await textOf('<div class="header"><h1>Contact</h1></div><p>Call us.</p>')).toBe('# Contact\n\nCall us.');
  });
});
