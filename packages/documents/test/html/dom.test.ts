import { describe, expect, it } from 'vitest';
import { boundedMarkup } from '../../src/html/dom.ts';

const attributes = (count: number) => Array.from({ length: count }, (_, i) => `a${i}="b c"`).join(' ');

describe('the limits of markup', () => {
  it('refuse too many elements and too much depth', () => {
    expect(() => boundedMarkup('<p>a '.repeat(1_000_001))).toThrow('more than 1000000 elements');
    expect(() => boundedMarkup('<div>'.repeat(50_001))).toThrow('nests more than 50000 elements');
    expect(() => boundedMarkup('<b>x '.repeat(50_001))).toThrow('nests more than 50000 elements');
  });

  it('drop the attributes of a tag that has too many, and keep its text', () => {
    expect(boundedMarkup(`<p ${attributes(10_001)}>one</p><a href="x">two</a>`)).toBe('<p>one</p><a href="x">two</a>');
    expect(boundedMarkup(`<p ${'a '.repeat(10_001)}>one</p><p ${'b '.repeat(10_001)}>two`)).toBe('<p>one</p><p>two');
  });

  it('accept ordinary markup', () => {
    const rows = '<tr><td>1<td>2<br><img src="a.png">'.repeat(20_000);
    const list = `<ul>${'<li>One<p>Two'.repeat(20_000)}</ul>`;
    const drawing = `<svg>${'<path d="M0 0"/>'.repeat(20_000)}</svg>`;
    const data = `<div data-state='${'{ "a": 1 } '.repeat(20_000)}'>${'<b>x</b>'.repeat(20_000)}</div>`;
    const html = `<table>${rows}</table>${list}${drawing}${data}<p>1 < 2</p>`;
    expect(boundedMarkup(html)).toBe(html);
  });

  it('are checked in linear time', () => {
    const hostile = ['<', '<a ', '<a "', "<a '", '</', '<a\n\n', '<p a="b', '<!--', '<a <b '].map((part) => part.repeat(1_000_000));
    expect(hostile.map(isRefused)).toEqual([false, true, true, true, false, true, false, false, true]);
  });
});

function isRefused(html: string): boolean {
  try {
    boundedMarkup(html);
    return false;
  } catch {
    return true;
  }
}
