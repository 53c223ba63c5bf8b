import { expect, test } from 'vitest';
import { parseHtml } from '../../../../src/drivers/parsers/dom.ts';
import { removeUnseen } from '../../../../src/drivers/parsers/html/clean.ts';
import { generatedContent } from '../../../../src/drivers/parsers/html/generators.ts';
import { toMarkdown } from '../../../../src/drivers/parsers/html/markdown.ts';
import { rewriteWidgets } from '../../../../src/drivers/parsers/html/widgets.ts';
import { read } from '../read.ts';

// Each of these is small, and would take longer than this (milliseconds) if the time grew with the square of its size.
const PATIENCE = 15_000;
const words = 'This is a sentence of a page that somebody made to be slow to read, for no reason. ';

test(
  'code with a long run of white space is read in time',
  async () => {
    const { text } = await read(
      'html',
      `<html><body><main><p>${words.repeat(5)}</p><pre>a${' '.repeat(200_000)}b\n  c</pre></main></body></html>`,
    );
    expect(text).toMatch(/\n```\na {400}b\n {2}c\n```$/);
  },
  PATIENCE,
);

test(
  'parts that lie in one another by the hundred and are called alike are read in time',
  async () => {
    const parts = `${'<div class="social cookie">'.repeat(190)}${`<p>${words}</p>`.repeat(6000)}${'</div>'.repeat(190)}`;
    expect((await read('html', `<html><body>${parts}</body></html>`)).text.match(/somebody/g)).toHaveLength(6000);
  },
  PATIENCE,
);

test(
  'a head that is nested without end is read in time',
  async () => {
    const head = `${'<x>'.repeat(40_000)}${'</x>'.repeat(40_000)}`;
    expect((await read('html', `<html><head>${head}</head><body><p>${words}</p></body></html>`)).text).toContain('somebody');
  },
  PATIENCE,
);

test(
  'thousands of headings have their anchors where they stand',
  async () => {
    const { body } = await parseHtml(Array.from({ length: 12_000 }, (_, i) => `<h2 id="h${i}">Part ${i}: ${words}</h2>`).join(''));
    const { text, marks } = await toMarkdown(body);
    expect(marks.length).toBe(12_000);
    expect(text.slice(marks[11_999]!.at)).toMatch(/^## Part 11999:/);
  },
  PATIENCE,
);

test(
  'thousands of tabs find their panels',
  async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `p${i}`);
    const tabs = names.map((name) => `<a role="tab" aria-controls="${name}">x</a>`).join('');
    const html = `<div role="tablist">${tabs}</div>${names.map((name) => `<div id="${name}">y</div>`).join('')}`;
    const page = await parseHtml(html);
    rewriteWidgets(page, html);
    expect([...page.body.querySelectorAll('div > p > strong')].length).toBe(10_000);
  },
  PATIENCE,
);

test(
  'any number of elements may stand where no body is',
  async () => {
    const { body } = await parseHtml(`<!doctype html><html>${'<br>'.repeat(140_000)}</html>`);
    expect([...body.childNodes].length).toBe(140_000);
  },
  PATIENCE,
);

test(
  'any number of places may look like the content',
  async () => {
    const html = `<html><body>${'<i class=wiki-content></i>'.repeat(140_000)}<div class=wiki-content>${words.repeat(3)}</div></body></html>`;
    const { body } = await parseHtml(html);
    expect(generatedContent(body, { html, generator: '' })?.nodeName).toBe('DIV');
  },
  PATIENCE,
);

test(
  'thousands of parts fold out, and thousands of buttons stand in a heading',
  async () => {
    const folds = Array.from(
      { length: 2000 },
      (_, i) => `<button aria-expanded="false" aria-controls="p${i}">Q</button><div id="p${i}" hidden>y</div>`,
    );
    const html = `<main><h2>${'<button>x</button>'.repeat(4000)}</h2>${folds.join('')}</main>`;
    const page = await parseHtml(html);
    rewriteWidgets(page, html);
    removeUnseen(page.body);
    expect([...page.body.querySelectorAll('p > strong')].length).toBe(2000);
    expect(page.body.querySelector('h2')?.textContent).toBe('x');
  },
  PATIENCE,
);
