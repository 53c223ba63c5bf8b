import DOMPurify, { type Config } from 'dompurify';
import { marked } from 'marked';
import { element } from './element.ts';

/** What text may consist of. Nothing that loads, runs or looks like a part of this page: no images, styles, classes, ids, forms. */
const ALLOWED = {
  ALLOWED_TAGS:
    'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a em strong b i u s del ins sub sup kbd dl dt dd table thead tbody tr th td'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'start', 'colspan', 'rowspan', 'align'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
} satisfies Config;

/** Blocks that hold text themselves: what a quotation is one of. */
const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, tr, pre, li, dt, dd, blockquote';

marked.use({
  gfm: true,
  renderer: {
    html: ({ text }) => plainHtml(text),
    // a picture would be a request to wherever the document says
    image: ({ text }) => (text ? `[${text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)}]` : ''),
  },
});

/** Tags that Markdown is written with, without attributes. */
const SIMPLE = /^<\/?(?:br|sub|sup|kbd|b|i|em|strong|u|s|del|ins)\s*\/?>$/i;

/** HTML in Markdown without what means nothing here. The browser would complain of what the sanitiser takes out. */
const plainHtml = (html: string): string =>
  html
    .replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<[^<>]*>?/g, (tag) => (SIMPLE.test(tag) ? tag : ''));

/** Rows that a passage or an answer has without the head of their table. */
const HEADLESS = /(?<=^|\n\n)\|.*\|(?:\n\|.*\|)*(?=\n\n|\n?$)/g;

/** Adds an empty header to such rows: Markdown has no table without one. */
function withHeads(text: string): string {
  return text.replace(HEADLESS, (rows) => {
    const lines = rows.split('\n');
    if (/^[|\s:-]+$/.test(lines[1] ?? '')) return rows;
    const cells = Math.max(...lines.map((line) => line.split('|').length - 2));
    return `${'| '.repeat(cells)}|\n${'|-'.repeat(cells)}|\n${rows}`;
  });
}

/** Markdown as elements of this page, sanitised. */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(withHeads(text), { async: false }), { ...ALLOWED, RETURN_DOM_FRAGMENT: true });
  for (const head of fragment.querySelectorAll('thead')) if (!head.textContent.trim()) head.remove();
  for (const link of fragment.querySelectorAll('a')) openOutside(link);
  for (const wide of fragment.querySelectorAll('table, pre')) makeScrollable(wide);
  return fragment;
}

/** Addresses of the document's own folder mean nothing here: their words stay. */
function openOutside(link: HTMLAnchorElement): void {
  if (!/^(?:https?:|mailto:)/i.test(link.getAttribute('href') ?? '')) return link.replaceWith(...link.childNodes);
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

/** Makes a wide element scroll by itself, with the keyboard too. */
function makeScrollable(wide: Element): void {
  const label = wide.tagName === 'PRE' ? 'Code' : 'Table';
  const frame = element('div', { class: 'scroll', role: 'group', tabindex: '0', 'aria-label': label });
  wide.replaceWith(frame);
  frame.append(wide);
}

/** The innermost blocks of a rendered text, in order. */
export const blocksIn = (root: ParentNode): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) => !block.querySelector('p, li, tr, pre'));

/** Puts a mark around what a block holds: a row's cells hold theirs each. */
export function markBlock(block: HTMLElement): HTMLElement[] {
  const holders = block.tagName === 'TR' ? [...block.querySelectorAll<HTMLElement>('td, th')] : [block];
  return holders.map((holder) => {
    const mark = element('mark');
    mark.append(...holder.childNodes);
    holder.append(mark);
    return mark;
  });
}
