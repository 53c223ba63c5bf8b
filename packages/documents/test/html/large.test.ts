import { expect, test } from 'vitest';
import { parseHtml } from '../../src/html/dom.ts';
import { removeUnseen } from '../../src/html/remove-unseen.ts';
import { toMarkdown } from '../../src/html/to-markdown.ts';
import { rewriteWidgets } from '../../src/html/widgets.ts';
import { linearly } from '../support/linear-time.ts';
import { read } from '../support/read.ts';

const words = 'This is a sentence of a page that somebody made to be slow to read, for no reason. ';

test('reads code with a long run of white space in linear time', async () => {
  const { text } = await linearly(200_000, (size) =>
    read('html', `<html><body><main><p>${words.repeat(5)}</p><pre>a${' '.repeat(size)}b\n  c</pre></main></body></html>`),
  );
  expect(text).toMatch(/\n```\na {400}b\n {2}c\n```$/);
});

test('reads hundreds of nested parts with one name in linear time', async () => {
  const { text } = await linearly(6000, (size) => {
    const parts = `${'<div class="social cookie">'.repeat(190)}${`<p>${words}</p>`.repeat(size)}${'</div>'.repeat(190)}`;
    return read('html', `<html><body>${parts}</body></html>`);
  });
  expect(text.match(/somebody/g)).toHaveLength(6000);
});

test('reads a deeply nested head in linear time', async () => {
  const { text } = await linearly(40_000, (size) => {
    const head = `${'<x>'.repeat(size)}${'</x>'.repeat(size)}`;
    return read('html', `<html><head>${head}</head><body><p>${words}</p></body></html>`);
  });
  expect(text).toContain('somebody');
});

test('gives thousands of headings their anchors', async () => {
  const { text, marks } = await linearly(12_000, async (size) => {
    const { body } = await parseHtml(Array.from({ length: size }, (_, i) => `<h2 id="h${i}">Part ${i}: ${words}</h2>`).join(''));
    return toMarkdown(body);
  });
  expect(marks.length).toBe(12_000);
  expect(text.slice(marks[11_999]!.at)).toMatch(/^## Part 11999:/);
});

test('connects thousands of tabs with their panels', async () => {
  const page = await linearly(10_000, async (size) => {
    const names = Array.from({ length: size }, (_, i) => `p${i}`);
    const tabs = names.map((name) => `<a role="tab" aria-controls="${name}">x</a>`).join('');
    const html = `<div role="tablist">${tabs}</div>${names.map((name) => `<div id="${name}">y</div>`).join('')}`;
    const parsed = await parseHtml(html);
    rewriteWidgets(parsed, html);
    return parsed;
  });
  expect([...page.body.querySelectorAll('div > p > strong')].length).toBe(10_000);
});

test('reads many elements without a body in linear time', async () => {
  const { body } = await linearly(140_000, (size) => parseHtml(`<!doctype html><html>${'<br>'.repeat(size)}</html>`));
  expect([...body.childNodes].length).toBe(140_000);
});

test('reads many menus beside the text in linear time', async () => {
  const { text } = await linearly(20_000, (size) =>
    read('html', `<html><body>${'<div><a href=x>x</a></div>'.repeat(size)}<div><p>${words.repeat(9_000)}</p></div></body></html>`),
  );
  expect(text).not.toContain('[x]');
});

test('reads thousands of accordions, and of buttons in a heading, in linear time', async () => {
  const page = await linearly(4000, async (size) => {
    const folds = Array.from(
      { length: size / 2 },
      (_, i) => `<button aria-expanded="false" aria-controls="p${i}">Q</button><div id="p${i}" hidden>y</div>`,
    );
    const html = `<main><h2>${'<button>x</button>'.repeat(size)}</h2>${folds.join('')}</main>`;
    const parsed = await parseHtml(html);
    rewriteWidgets(parsed, html);
    removeUnseen(parsed.body);
    return parsed;
  });
  expect([...page.body.querySelectorAll('p > strong')].length).toBe(2000);
  expect(page.body.querySelector('h2')?.textContent).toBe('x');
});
