import type { Mark } from '../../schema/items.ts';
import type { DomElement } from './dom.ts';
import { escapeText } from './html-escape.ts';
import { addTableRules } from './html-tables.ts';
import { heading } from './markdown-text.ts';

// A heading with an anchor carries its number between two characters that occur in no text, until its place in the Markdown is known.
const OPEN = '\ufdd3';
const CLOSE = '\ufdd4';
/** The level that a heading had before Readability, which makes every first level a second one. */
export const LEVEL = 'data-kb-level';
const NUMBERED = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');

/** The Markdown of an element, and a mark at every heading that a link can lead to. The element is changed. */
export async function toMarkdown(root: DomElement): Promise<{ text: string; marks: Mark[] }> {
  escapeText(root);
  const anchors = numberHeadings(root);
  const converted = (await converter()).turndown(root);
  return extractMarks(converted, anchors);
}

/** Writes the number of its anchor into each heading; gives the anchors by number. */
function numberHeadings(root: DomElement): string[] {
  const anchors: string[] = [];
  for (const node of root.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    for (const link of node.querySelectorAll('a[href^="#"]')) if (!/[\p{L}\p{N}]/u.test(link.textContent ?? '')) link.remove();
    const anchor = anchorOf(node);
    if (anchor) node.prepend(`${OPEN}${anchors.push(anchor) - 1}${CLOSE}`);
  }
  return anchors;
}

/** The id of the heading, of an anchor inside it, or of the section that it begins. */
function anchorOf(node: DomElement): string | undefined {
  const inner = node.querySelector('a[id], a[name], span[id]');
  const section = node.parentElement;
  const ofSection = section && section.firstElementChild === node && /^(SECTION|DIV)$/.test(section.nodeName) ? section.id : '';
  return node.id || inner?.id || inner?.getAttribute('name') || ofSection || undefined;
}

function extractMarks(converted: string, anchors: readonly string[]): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  let text = '';
  let from = 0;
  for (const { 0: found, 1: number, index } of converted.matchAll(NUMBERED)) {
    text += converted.slice(from, index);
    from = index + found.length;
    marks.push({ at: text.lastIndexOf('\n') + 1, anchor: anchors[Number(number)]! });
  }
  return { text: text + converted.slice(from), marks };
}

async function converter() {
  const [{ default: TurndownService }, { strikethrough, taskListItems }] = await Promise.all([
    import('turndown'),
    import('@joplin/turndown-plugin-gfm'),
  ]);
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  turndown.escape = (text) => text; // it is done, with an eye on where the text stands
  turndown.use([strikethrough, taskListItems]);
  addTableRules(turndown);
  return turndown
    .addRule('heading', {
      filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
      replacement: (content, node) =>
        content.trim() === '' ? '' : `\n\n${heading(Number(node.getAttribute(LEVEL) ?? node.nodeName[1]), content)}\n\n`,
    })
    .addRule('listItem', { filter: 'li', replacement: (content, node) => listItem(content, node) })
    .addRule('codeBlock', { filter: 'pre', replacement: (_content, node) => codeBlock(node) })
    .addRule('image', { filter: 'img', replacement: (_content, node) => image(node) })
    .addRule('linkWithinPage', {
      filter: (node) => node.nodeName === 'A' && !/^(?!#|javascript:)./i.test(node.getAttribute('href') ?? ''),
      replacement: (content) => content,
    });
}

function listItem(content: string, node: DomElement): string {
  const list = node.parentElement;
  const items = [...(list?.children ?? [])].filter(({ nodeName }) => nodeName === 'LI');
  const first = Number(list?.getAttribute('start') ?? 1) || 1;
  const mark = list?.nodeName === 'OL' ? `${first + items.indexOf(node)}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return text === '' ? '' : `${mark}${text}\n`;
}

function codeBlock(node: DomElement): string {
  const code = (node.textContent ?? '').replace(/^\n|\s+$/g, '');
  if (code.trim() === '') return '';
  const names = `${node.className} ${node.querySelector('code')?.className ?? ''} ${node.parentElement?.className ?? ''}`;
  const language = /(?:language-|lang-|highlight-source-|brush:\s*)([\w+#-]+)/.exec(names)?.[1] ?? '';
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** A picture is kept for what is said about it. */
function image(node: DomElement): string {
  const alt = (node.getAttribute('alt') ?? '').replace(/[\s[\]]+/g, ' ').trim();
  const source = node.getAttribute('src') ?? '';
  return alt === ''
    ? ''
    : `![${alt}](${/^data:/i.test(source) ? '' : source.replace(/[\s()]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)})`;
}
