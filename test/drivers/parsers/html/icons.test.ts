import { describe, expect, it } from 'vitest';
import { read } from '../read.ts';

const textOf = async (html: string): Promise<string> => (await read('html', `<html><body><main>${html}</main></body></html>`)).text;
const cell = async (html: string): Promise<string> => {
  const text = await textOf(`<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td>${html}</td><td>z</td></tr></table>`);
  return /\| x \| (.*?) ?\| z \|$/.exec(text)![1]!;
};

describe('a sign', () => {
  it.each([
    ['an icon with a label', '<svg aria-label="Yes"><path/></svg>', 'Yes'],
    ['an icon with a title', '<svg role="img"><title>No</title></svg>', 'No'],
    ['words for screen readers', '<i class="fa fa-check" aria-hidden="true"></i><span class="sr-only">Included</span>', 'Included'],
    ['an element with a label', '<span class="tick" aria-label="Yes"></span>', 'Yes'],
    ['a box that cannot be ticked', '<input type="checkbox" checked disabled>', '[x]'],
    ['one that is not ticked', '<input type="checkbox" disabled>', '[ ]'],
  ])('that is all a cell of a table holds is written out: %s', async (_name, html, said) => {
    expect(await cell(html)).toBe(said);
  });

  it('beside words, and a control, says nothing', async () => {
    expect(await cell('Pro <svg aria-label="external link"></svg>')).toBe('Pro');
    expect(await cell('<span class="sr-only">Size:</span> 12')).toBe('12');
    expect(await cell('<input type="checkbox">')).toBe('');
    expect(await cell('<button aria-label="Copy"><svg aria-label="Copy"></svg></button>')).toBe('');
    expect(await cell('<span title="tooltip">word</span>')).toBe('word');
    expect(await cell('<img src="c.svg" alt="Yes"><span class="sr-only">Yes</span>')).toBe('![Yes](c.svg)');
  });
});

describe('a list of tasks', () => {
  it('says which are done', async () => {
    expect(
      await textOf('<ul><li><input type="checkbox" disabled checked> Done</li><li><input type="checkbox" disabled> Open</li></ul>'),
    ).toBe('- [x] Done\n- [ ] Open');
    const label = (more: string) => `<li class="task-list-item"><label><input type="checkbox"${more}><span></span></label> Task</li>`;
    expect(await textOf(`<ul>${label(' checked')}${label('')}</ul>`)).toBe('- [x] Task\n- [ ] Task');
  });

  it('is none where the boxes are there to be ticked', async () => {
    expect(await textOf('<ul><li><input type="checkbox"> 2 onions</li></ul>')).toBe('- 2 onions');
  });
});
