import { describe, expect, it } from 'vitest';
import { read, readPage } from '../support/read.ts';

const sentence = 'The agent runs on every machine of the plant, and tells the office how each of them is doing. ';
const tabbed = async (html: string): Promise<string> => {
  const { text } = await read('html', `<html><body><main><h1>Install</h1><p>${sentence.repeat(3)}</p>${html}</main></body></html>`);
  return text.slice(text.lastIndexOf(sentence.trim()) + sentence.trim().length).trim();
};
const tab = (label: string, more = '') => `<button role="tab" ${more}>${label}</button>`;
const panel = (words: string, more = '') => `<div role="tabpanel" ${more}><p>${words}</p></div>`;

describe('panels behind tabs', () => {
  it('are each written under the label of their tab, even if they are hidden or one is missing', async () => {
    const tabs = `<div role="tablist">${tab('Linux', 'aria-controls="a" aria-selected="false"')}${tab('Windows', 'aria-controls="b" aria-selected="true"')}${tab('Mac', 'aria-controls="c"')}</div>`;
    expect(await tabbed(`${tabs}${panel('Use apt.', 'id="a" hidden')}${panel('Use choco.', 'id="b"')}`)).toBe(
      '**Linux**\n\nUse apt.\n\n**Windows**\n\nUse choco.',
    );
  });

  it('are each written under their label if they are unnamed and follow one another', async () => {
    const tabs = `<div role="tablist">${tab('npm', 'aria-selected="true"')}${tab('yarn')}</div>`;
    const panels = `${panel('Use npm.')}${panel('Use yarn.', 'hidden style="display:none" aria-hidden="true"')}`;
    expect(await tabbed(tabs + panels)).toBe('**npm**\n\nUse npm.\n\n**yarn**\n\nUse yarn.');
    expect(await tabbed(`${tabs}<div>${panels}</div>`)).toBe('**npm**\n\nUse npm.\n\n**yarn**\n\nUse yarn.');
  });

  it('get the label of the open tab if only its panel exists, and no uncertain label', async () => {
    const three = (open: string) =>
      `<div role="tablist">${['A', 'B', 'C'].map((name) => tab(name, name === open ? 'aria-selected="true"' : '')).join('')}</div>`;
    expect(await tabbed(three('B') + panel('Of B.'))).toBe('**B**\n\nOf B.');
    expect(await tabbed(three('B') + panel('One.') + panel('Another.'))).toBe('One.\n\nAnother.');
    expect(await tabbed('<div><div role="tablist"></div></div><p>Words.</p>')).toBe('Words.');
  });
});

describe('an accordion', () => {
  const fold = (more: string) => `<button aria-expanded="false" ${more}>How long is the warranty?</button>`;
  const answer = (more: string) => `<div ${more}><p>Two years.</p></div>`;

  it('is read under its heading, whatever hides it', async () => {
    for (const hidden of ['hidden', 'style="display: none"', 'hidden aria-hidden="true"']) {
      expect(await tabbed(`<h3>${fold('aria-controls="a"')}</h3>${answer(`id="a" ${hidden}`)}`), hidden).toBe(
        '### How long is the warranty?\n\nTwo years.',
      );
      expect(await tabbed(`<div>${fold('aria-controls="a"')}</div>${answer(`id="a" ${hidden}`)}`), hidden).toBe(
        '**How long is the warranty?**\n\nTwo years.',
      );
    }
    expect(await tabbed(`<div>${fold('')}${answer('hidden')}</div>`)).toBe('**How long is the warranty?**\n\nTwo years.');
    expect(await tabbed(`<h3>${fold('id="q"')}</h3><div>${answer('aria-labelledby="q" hidden')}</div>`)).toBe(
      '### How long is the warranty?\n\nTwo years.',
    );
  });

  it('is read in a page without a main element', async () => {
    const { text } = await read(
      'html',
      `<html><body><h1>FAQ</h1><div>${fold('aria-controls="a"')}</div>${answer('id="a" hidden')}</body></html>`,
    );
    expect(text).toBe('# FAQ\n\n**How long is the warranty?**\n\nTwo years.');
  });

  it('is left out if it is a menu, a form or a list of choices', async () => {
    const menu = '<div id="a" hidden><a href="/x">MENUWORD</a></div>';
    expect(await tabbed(`<p>Words.</p>${fold('aria-controls="a"')}${menu}`)).toBe('Words.');
    expect(await tabbed(`<p>Words.</p>${fold('aria-controls="a" aria-haspopup="true"')}${answer('id="a" hidden')}`)).toBe('Words.');
    expect(await tabbed(`<p>Words.</p>${fold('aria-controls="a"')}${answer('id="a" role="listbox" hidden')}`)).toBe('Words.');
    expect(await tabbed(`<p>Words.</p>${fold('aria-controls="a"')}<div id="a" hidden><p>ASKWORD</p><input name="q"></div>`)).toBe('Words.');
    const { text } = await read(
      'html',
      `<html><body><header>${fold('aria-controls="a"')}${answer('id="a" hidden')}</header><p>${sentence}</p></body></html>`,
    );
    expect(text).toBe(sentence.trim());
  });

  it('gets a label without style sheets', async () => {
    const label = '<button aria-expanded="false" aria-controls="a"><style>.x { top: 0 }</style>More</button>';
    expect(await tabbed(label + answer('id="a" hidden'))).toBe('**More**\n\nTwo years.');
  });

  it('keeps table rows and parts with headings unchanged', async () => {
    const row = '<tr aria-expanded="false" aria-controls="a"><td>Basic</td><td>10</td></tr><tr id="a" hidden><td>Ten users.</td></tr>';
    expect(await tabbed(`<table><tr><th>Plan</th><th>Price</th></tr>${row}</table>`)).toContain('| Basic | 10 |\n| Ten users. |');
    const question = '<h3>How long?</h3><ul><li>one</li><li>two</li></ul>';
    expect(await tabbed(`<div aria-expanded="false" aria-controls="a">${question}</div>${answer('id="a" hidden')}`)).toBe(
      '### How long?\n\n- one\n- two\n\nTwo years.',
    );
  });

  it('keeps the words of a button within a sentence', async () => {
    const rate = '<button aria-expanded="false" aria-controls="a">APR</button><span id="a" hidden>yearly rate</span>';
    expect(await tabbed(`<p>The ${rate} is fixed.</p>`)).toBe('The APR yearly rate is fixed.');
  });
});

describe('details elements', () => {
  const fold = (question: string, more = '') =>
    `<details ${more}><summary>${question}</summary><p>Of course, and everything else that belongs to it.</p></details>`;
  const answer = 'Of course, and everything else that belongs to it.';

  it('become sections with anchors if they follow one another', async () => {
    const questions = `<h2>Delivery</h2><div>${fold('Do you deliver to hotels?', 'id="hotels"')}</div>${fold('Do you deliver at night?')}<h2>Prices</h2><p>See the list.</p>`;
    const page = await read('html', `<html><body><h1>FAQ</h1>${questions}</body></html>`);
    expect(page.text).toBe(
      `# FAQ\n\n## Delivery\n\n### Do you deliver to hotels?\n\n${answer}\n\n### Do you deliver at night?\n\n${answer}\n\n## Prices\n\nSee the list.`,
    );
    expect(page.marks).toContainEqual({ at: page.text.indexOf('### Do'), anchor: 'hotels' });
  });

  it('get a bold summary if they are single, equally named, many, before more text, or about code', async () => {
    const pages = {
      alone: fold('More'),
      alike: fold('Answer').repeat(3),
      many: Array.from({ length: 80 }, (_, i) => fold(`Member ${i}`)).join(''),
      before: `${fold('First')}<p>Then go on.</p>${fold('Second')}<p>And on.</p>`,
      code: fold('<code>a()</code>') + fold('<code>b()</code>'),
    };
    for (const [name, html] of Object.entries(pages)) expect(await tabbed(html), name).not.toContain('#');
  });
});

const textOf = async (html: string): Promise<string> => (await read('html', `<html><body><main>${html}</main></body></html>`)).text;
const cell = async (html: string): Promise<string> => {
  const text = await textOf(`<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td>${html}</td><td>z</td></tr></table>`);
  return /\| x \| (.*?) ?\| z \|$/.exec(text)![1]!;
};

describe('an icon', () => {
  it.each([
    ['an icon with a label', '<svg aria-label="Yes"><path/></svg>', 'Yes'],
    ['an icon with a title', '<svg role="img"><title>No</title></svg>', 'No'],
    ['words for screen readers', '<i class="fa fa-check" aria-hidden="true"></i><span class="sr-only">Included</span>', 'Included'],
    ['an element with a label', '<span class="tick" aria-label="Yes"></span>', 'Yes'],
    ['a box that cannot be ticked', '<input type="checkbox" checked disabled>', '[x]'],
    ['one that is not ticked', '<input type="checkbox" disabled>', '[ ]'],
  ])('is written as text if a table cell holds nothing else: %s', async (_name, html, said) => {
    expect(await cell(html)).toBe(said);
  });

  it('is left out beside words and in controls', async () => {
    expect(await cell('Pro <svg aria-label="external link"></svg>')).toBe('Pro');
    expect(await cell('<span class="sr-only">Size:</span> 12')).toBe('Size: 12');
    expect(await cell('<input type="checkbox">')).toBe('');
    expect(await cell('<button aria-label="Copy"><svg aria-label="Copy"></svg></button>')).toBe('');
    expect(await cell('<span title="tooltip">word</span>')).toBe('word');
  });
});

describe('a task list', () => {
  it('shows which tasks are done', async () => {
    expect(
      await textOf('<ul><li><input type="checkbox" disabled checked> Done</li><li><input type="checkbox" disabled> Open</li></ul>'),
    ).toBe('- [x] Done\n- [ ] Open');
    const label = (more: string) => `<li class="task-list-item"><label><input type="checkbox"${more}><span></span></label> Task</li>`;
    expect(await textOf(`<ul>${label(' checked')}${label('')}</ul>`)).toBe('- [x] Task\n- [ ] Task');
  });

  it('is an ordinary list if its boxes can be ticked', async () => {
    expect(await textOf('<ul><li><input type="checkbox"> 2 onions</li></ul>')).toBe('- 2 onions');
  });
});

describe('a declared shadow root', () => {
  it('is read in place of its component', async () => {
    const component =
      '<my-card><template shadowrootmode="open"><style>p { top: 0 }</style><p>Drawn <a href="/a">here</a>.</p></template><p>Slotted.</p></my-card>';
    const page = `<html><body><main>${component}<template><p>TEMPLATEWORD</p></template></main></body></html>`;
    expect((await readPage('https://x.example/', page)).text).toBe('Drawn [here](https://x.example/a).\n\nSlotted.');
  });
});
