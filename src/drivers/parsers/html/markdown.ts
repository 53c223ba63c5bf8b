import type { Mark } from '../../../schema/items.ts';
import type { DomElement } from '../dom.ts';
import { codeBlock } from './code.ts';
import { escapeText } from './escape.ts';
import { writeScripts } from './scripts.ts';
import { addTableRules } from './tables.ts';
import { heading, oneLine } from '../markdown-text.ts';

// A heading with an anchor carries its number between two characters that occur in no text, until its place in the Markdown is known.
const OPEN = '\ufdd3';
const CLOSE = '\ufdd4';
/** The level that a heading had before Readability, which makes every first level a second one. */
export const LEVEL = 'data-kb-level';
/** The element that an application writes its pages into is no part of any. */
const MOUNT = /^(?:app|root|app-root|react-root|svelte|__\w+)$/;
const NUMBERED = new RegExp(`${OPEN}(\\d+)${CLOSE} ?`, 'g');

/** The Markdown of an element, and a mark at every heading that a link can lead to. The element is changed. */
export async function toMarkdown(root: DomElement): Promise<{ text: string; marks: Mark[] }> {
  writeScripts(root);
  escapeText(root);
  const anchors = numberHeadings(root);
  const converted = (await converter()).turndown(root);
  return extractMarks(converted, anchors);
}

/** Writes the number of its anchor into each heading; gives the anchors by number. */
function numberHeadings(root: DomElement): string[] {
  const anchors: string[] = [];
  for (const node of root.querySelectorAll('h1, h2, h3, h4, h5, h6, dt[id]')) {
    const anchor = anchorOf(node);
    for (const sign of node.querySelectorAll('a[href^="#"]')) if (!/[\p{L}\p{N}]/u.test(sign.textContent ?? '')) sign.remove();
    if (anchor) node.prepend(`${OPEN}${anchors.push(anchor) - 1}${CLOSE}`);
  }
  return anchors;
}

/** The id of the heading, of an anchor inside it, or of the section that it begins. */
function anchorOf(node: DomElement): string | undefined {
  const inner = node.querySelector('a[id], a[name], span[id]');
  const section = node.parentElement;
  const isSection = section !== null && /^(?:SECTION|DIV)$/.test(section.nodeName) && !MOUNT.test(section.id);
  const ofSection = isSection && section.firstElementChild === node ? section.id : '';
  return node.id || inner?.id || inner?.getAttribute('name') || ofSection || undefined;
}

function extractMarks(converted: string, anchors: readonly string[]): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  const pieces: string[] = [];
  let [from, length, line] = [0, 0, 0];
  for (const { 0: found, 1: number, index } of converted.matchAll(NUMBERED)) {
    const piece = converted.slice(from, index);
    pieces.push(piece);
    from = index + found.length;
    if (piece.includes('\n')) line = length + piece.lastIndexOf('\n') + 1;
    length += piece.length;
    marks.push({ at: line, anchor: anchors[Number(number)]! });
  }
  return { text: [...pieces, converted.slice(from)].join(''), marks };
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
  const counts = new WeakMap<DomElement, number>();
  turndown
    .addRule('heading', {
      filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
      replacement: (content, node) =>
        content.trim() === '' ? '' : `\n\n${heading(Number(node.getAttribute(LEVEL) ?? node.nodeName[1]), content)}\n\n`,
    })
    .addRule('listItem', { filter: 'li', replacement: (content, node) => listItem(content, node, counts) })
    .addRule('codeBlock', { filter: 'pre', replacement: (_content, node) => codeBlock(node) })
    .addRule('term', {
      filter: (node) => TERM.test(node.nodeName) || CALLED.test(node.className),
      replacement: (content) => `\n\n${bold(content)}\n\n`,
    })
    .addRule('signature', {
      filter: (node) => node.nodeName === 'DT' && isSignature(node),
      replacement: (_content, node) => signature(node),
    })
    .addRule('javadocSignature', {
      filter: (node) => node.className === 'member-signature',
      replacement: (_content, node) => codeBlock(node),
    })
    .addRule('details', { filter: 'details', replacement: (content) => `\n\n${content}\n\n` })
    .addRule('image', { filter: 'img', replacement: (_content, node) => image(node) })
    .addRule('link', { filter: 'a', replacement: (content, node) => link(content, node) });
  addTableRules(turndown);
  return turndown;
}

/** `counts`: how many items of each list there were before, because looking that up at each takes its time from long lists. */
function listItem(content: string, node: DomElement, counts: WeakMap<DomElement, number>): string {
  const list = node.parentElement;
  const before = (list && counts.get(list)) ?? 0;
  if (list) counts.set(list, before + 1);
  const start = Number.parseInt(list?.getAttribute('start') ?? '', 10);
  const first = start >= 0 ? start : 1;
  const mark = list?.nodeName === 'OL' ? `${first + before}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return text === '' ? '' : `${mark}${text}\n`;
}

/** The name and parameters of what a manual describes, as Sphinx marks them. */
const isSignature = (node: DomElement): boolean =>
  /(?:^|\s)sig(?:\s|$)/.test(node.className) || node.querySelector('.descname, .sig-name') !== null;

const signature = (node: DomElement): string =>
  `\n\n\`${oneLine(node.textContent ?? '')
    .replaceAll('`', '')
    .replace(/\s*\[source\]/, '')}\`\n\n`;

const TERM = /^(?:DT|SUMMARY)$/;
/** What notes are called by docutils and Python-Markdown, VitePress, GitHub and Docusaurus. */
const CALLED = /(?:^|\s)(?:admonition-title|custom-block-title|markdown-alert-title|admonitionHeading_\w+)(?:\s|$)/;

/** A term, or what a folded section is called. One that has markup of its own stays as it is. */
const bold = (content: string): string => (/[*\n#]/.test(content.trim()) || content.trim() === '' ? content : `**${content.trim()}**`);

/** A picture is kept for what is said about it. */
function image(node: DomElement): string {
  const alt = (node.getAttribute('alt') ?? '').replace(/[\s[\]]+/g, ' ').trim();
  const source = node.getAttribute('src') ?? '';
  return alt === '' ? '' : `![${alt}](${/^data:/i.test(source) ? '' : destination(source)})`;
}

/** A link to a place on the same page, or to none, is its words. Of one around several paragraphs, the first line leads there. */
function link(content: string, node: DomElement): string {
  const address = (node.getAttribute('href') ?? '').trim();
  const words = content.trim();
  if (words === '' || !/^(?!#|javascript:)./i.test(address)) return content;
  const lines = words.split('\n');
  const [, mark = '', first = ''] = /^(#{1,6} |- |\d+\. )?(.*)$/.exec(lines[0]!) ?? [];
  const linked = /^(?:\||`{3})|\]\(/.test(first) && !first.startsWith('![') ? first : `[${first}](${destination(address)})`;
  const around = lines.length > 1 ? ['\n\n', '\n\n'] : [/^\s/.test(content) ? ' ' : '', /\s$/.test(content) ? ' ' : ''];
  return `${around[0]}${[`${mark}${linked}`, ...lines.slice(1)].join('\n')}${around[1]}`;
}

/** An address without what would end it in Markdown. */
const destination = (address: string): string =>
  address.replace(/[\s()<>]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);
