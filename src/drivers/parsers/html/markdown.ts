import type TurndownService from 'turndown';
import type { Mark } from '../../../schema/items.ts';
import type { DomElement } from '../dom.ts';
import { joinAdjoining } from './adjoining.ts';
import { marksIn, numberHeadings } from './anchors.ts';
import { codeBlock, flattenCode } from './code.ts';
import { escapeText } from './escape.ts';
import { listItem } from './lists.ts';
import { writeScripts } from './scripts.ts';
import { addTableRules } from './tables.ts';
import { heading, oneLine } from '../markdown-text.ts';

/** The level that a heading had before Readability, which makes every first level a second one. */
export const LEVEL = 'data-kb-level';

let turndown: Promise<TurndownService> | undefined;

/** The Markdown of an element, and a mark at every heading that a link can lead to. The element is changed. */
export async function toMarkdown(root: DomElement): Promise<{ text: string; marks: Mark[] }> {
  writeScripts(root);
  flattenCode(root);
  joinAdjoining(root);
  escapeText(root);
  const anchors = numberHeadings(root);
  const converted = (await (turndown ??= converter())).turndown(root);
  return marksIn(converted, anchors);
}

async function converter(): Promise<TurndownService> {
  const [{ default: Turndown }, { strikethrough }] = await Promise.all([import('turndown'), import('@joplin/turndown-plugin-gfm')]);
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.escape = (text) => text; // it is done, with an eye on where the text stands
  service.use([strikethrough]);
  const next = new WeakMap<DomElement, number>();
  service
    .addRule('heading', {
      filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
      replacement: (content, node) =>
        content.trim() === '' ? '' : `\n\n${heading(Number(node.getAttribute(LEVEL) ?? node.nodeName[1]), content)}\n\n`,
    })
    .addRule('listItem', { filter: 'li', replacement: (content, node) => listItem(content, node, next) })
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
  addTableRules(service);
  return service;
}

/** The name and parameters of what a manual describes, as Sphinx marks them. */
const isSignature = (node: DomElement): boolean =>
  /(?:^|\s)sig(?:\s|$)/.test(node.className) || node.querySelector('.descname, .sig-name') !== null;

const signature = (node: DomElement): string =>
  `\n\n\`${oneLine(node.textContent ?? '')
    .replaceAll('`', '')
    .replace(/(?<!\s)\s*\[source\]/, '')}\`\n\n`;

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
