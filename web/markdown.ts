import DOMPurify, { type Config } from 'dompurify';
import { marked } from 'marked';
import { element } from './element.ts';

/** Allowed tags and attributes: nothing that loads, runs or imitates this page, so no images, styles, classes, ids or forms. */
const ALLOWED = {
  ALLOWED_TAGS:
    'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a em strong b i u s del ins sub sup kbd dl dt dd table thead tbody tr th td'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'start', 'colspan', 'rowspan', 'align'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
} satisfies Config;

/** Blocks that contain text, one of which a quotation is. */
const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, tr, pre, li, dt, dd, blockquote';

marked.use({
  gfm: true,
  renderer: {
    html: ({ text }) => plainHtml(text),
    // an image would send a request to an address of the document
    image: ({ text }) => (text ? `[${text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)}]` : ''),
  },
});

/** Tags that Markdown is written with, without attributes. */
const SIMPLE = /^<\/?(?:br|sub|sup|kbd|b|i|em|strong|u|s|del|ins)\s*\/?>$/i;

/** Removes other HTML from Markdown: the browser would log what the sanitizer removes. */
const plainHtml = (html: string): string =>
  html
    .replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<[^<>]*>?/g, (tag) => (SIMPLE.test(tag) ? tag : ''));

/** Matches table rows without a header row. */
const HEADLESS = /(?<=^|\n\n)\|.*\|(?:\n\|.*\|)*(?=\n\n|\n?$)/g;

/** Adds an empty header row to tables without one, as Markdown requires. */
function addTableHeads(text: string): string {
  return text.replace(HEADLESS, (rows) => {
    const lines = rows.split('\n');
    if (/^[|\s:-]+$/.test(lines[1] ?? '')) return rows;
    const cells = Math.max(...lines.map((line) => line.split('|').length - 2));
    return `${'| '.repeat(cells)}|\n${'|-'.repeat(cells)}|\n${rows}`;
  });
}

/** Renders Markdown as sanitized elements. */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(addTableHeads(text), { async: false }), { ...ALLOWED, RETURN_DOM_FRAGMENT: true });
  for (const head of fragment.querySelectorAll('thead')) if (!head.textContent.trim()) head.remove();
  for (const link of fragment.querySelectorAll('a')) openOutside(link);
  for (const wide of fragment.querySelectorAll('table, pre')) makeScrollable(wide);
  return fragment;
}

/** Opens links in a new tab. Relative links, which are invalid here, become text. */
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

/** Lists the innermost blocks of a rendered text, in order. */
export const blocksIn = (root: ParentNode): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(BLOCKS)].filter((block) => !block.querySelector('p, li, tr, pre'));

/** Marks the contents of a block; of a table row, each cell. */
export function markBlock(block: HTMLElement): HTMLElement[] {
  const holders = block.tagName === 'TR' ? [...block.querySelectorAll<HTMLElement>('td, th')] : [block];
  return holders.map((holder) => {
    const mark = element('mark');
    mark.append(...holder.childNodes);
    holder.append(mark);
    return mark;
  });
}
