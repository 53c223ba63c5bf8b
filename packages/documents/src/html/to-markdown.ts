import type TurndownService from 'turndown';
import type { Mark } from '../types.ts';
import { heading, linkTarget, oneLine } from '../markdown/write.ts';
import { altText } from '../parsed-document.ts';
import { layOut, spanOf, type TableCell, writeTable } from '../table.ts';
import { codeBlock, codeLines, codeSpan } from './code-blocks.ts';
import { BOX_TITLE, type DomElement, HEADINGS, headOfPart, isHeading, isTextNode, LEVEL } from './dom.ts';
import { normalizeElements } from './normalize-elements.ts';

// Headings with anchors, and the cells of tables, carry characters that occur in no text until the Markdown around them is known.
const OPEN = '\ufdd3';
const CLOSE = '\ufdd4';
/** The element that an application writes its pages into is no part of any. */
const MOUNT = /^(?:app|root|app-root|react-root|svelte|__\w+)$/;
const NUMBERED = new RegExp(`${OPEN}(\\d+)${CLOSE} ?`, 'g');

/** Writes the number of its anchor into each heading; gives the anchors by number. */
function numberHeadings(root: DomElement): string[] {
  const anchors: string[] = [];
  const begun = new Set<DomElement>();
  for (const node of root.querySelectorAll(`${HEADINGS}, dt[id]`)) {
    const anchor = anchorOf(node, begun);
    for (const sign of node.querySelectorAll('a[href^="#"]')) if (!/[\p{L}\p{N}]/u.test(sign.textContent ?? '')) sign.remove();
    if (anchor) node.prepend(`${OPEN}${anchors.push(anchor) - 1}${CLOSE}`);
    for (let around = node.parentElement; around && !begun.has(around); around = around.parentElement) begun.add(around);
  }
  return anchors;
}

/** Finds the id of the heading, of an anchor in it, of the section that it begins (not in `begun`), or of an anchor directly before it. */
function anchorOf(node: DomElement, begun: ReadonlySet<DomElement>): string | undefined {
  const inner = node.querySelector('a[id], a[name], span[id]');
  return node.id || anchorIn(inner) || idOfSection(node, begun) || anchorIn(placeBefore(node)) || undefined;
}

const anchorIn = (place: DomElement | undefined | null): string => place?.id || place?.getAttribute('name') || '';

/** A section is that of the first heading in it, also behind a sign; another part is that of the heading it begins with. */
function idOfSection(node: DomElement, begun: ReadonlySet<DomElement>): string {
  const section = node.parentElement;
  if (!section || !/^(?:SECTION|DIV)$/.test(section.nodeName) || MOUNT.test(section.id) || begun.has(section)) return '';
  return section.nodeName === 'SECTION' || headOfPart(section) === node ? section.id : '';
}

/** An empty anchor before a heading, as pages have them from the time before each element could have an id. */
function placeBefore(node: DomElement): DomElement | undefined {
  let before = node.previousSibling;
  if (before && isTextNode(before) && (before.textContent ?? '').trim() === '') before = before.previousSibling;
  return before?.nodeName === 'A' && (before.textContent ?? '').trim() === '' ? (before as DomElement) : undefined;
}

/** The Markdown without those numbers, and a mark where each stood. */
function marksIn(converted: string, anchors: readonly string[]): { text: string; marks: Mark[] } {
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

/** Writes an item of a list; one with headings of its own is a part of the page. */
function listItem(content: string, node: DomElement): string {
  const mark = node.parentElement?.nodeName === 'OL' ? `${node.getAttribute('value')}. ` : '- ';
  const text = content.trim();
  if (node.querySelector(HEADINGS)) return `\n\n${mark === '- ' ? content : text.replace(/^#+ /, `$&${mark}`)}\n\n`;
  return text === '' ? '' : `${mark}${text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)}\n`;
}

let turndown: Promise<TurndownService> | undefined;

/** The Markdown of an element, and a mark at every heading that a link can lead to. The element is changed. */
export async function toMarkdown(root: DomElement): Promise<{ text: string; marks: Mark[] }> {
  normalizeElements(root);
  const anchors = numberHeadings(root);
  const converted = (await (turndown ??= converter())).turndown(root);
  return marksIn(converted, anchors);
}

async function converter(): Promise<TurndownService> {
  const { default: Turndown } = await import('turndown');
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.escape = (text) => text; // normalizeElements has escaped it
  service
    .addRule('heading', {
      filter: isHeading,
      replacement: (content, node) =>
        content.trim() === '' ? '' : `\n\n${heading(Number(node.getAttribute(LEVEL) ?? node.nodeName[1]), content)}\n\n`,
    })
    .addRule('strikethrough', { filter: ['del', 's', 'strike'], replacement: (content) => `~~${content}~~` })
    .addRule('listItem', { filter: 'li', replacement: listItem })
    .addRule('codeBlock', { filter: 'pre', replacement: (_content, node) => codeBlock(node) })
    .addRule('term', {
      filter: (node) => TERM.test(node.nodeName) || CALLED.test(node.className),
      replacement: (content) => `\n\n${bold(content)}\n\n`,
    })
    .addRule('signature', { filter: isSignature, replacement: (_content, node) => signature(node) })
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

/** Whether a term is the name and parameters of what a manual describes, as Sphinx marks them. */
const isSignature = (node: DomElement): boolean =>
  node.nodeName === 'DT' && (/(?:^|\s)sig(?:\s|$)/.test(node.className) || node.querySelector('.descname, .sig-name') !== null);

const signature = (node: DomElement): string =>
  `\n\n\`${oneLine(node.textContent ?? '')
    .replaceAll('`', '')
    .replace(/(?<!\s)\s*\[source\]/, '')}\`\n\n`;

const TERM = /^(?:DT|SUMMARY)$/;
/** Titles of notes in docutils and Python-Markdown, VitePress, GitHub and Docusaurus. */
const CALLED = /(?:^|\s)(?:admonition-title|custom-block-title|markdown-alert-title|admonitionHeading_\w+)(?:\s|$)/;

const bold = (content: string): string => (/[*\n#]/.test(content.trim()) || content.trim() === '' ? content : `**${content.trim()}**`);

/** Writes a picture that has a description. */
function image(node: DomElement): string {
  const alt = altText(node.getAttribute('alt'));
  const source = node.getAttribute('src') ?? '';
  return alt === '' ? '' : `![${alt}](${/^data:/i.test(source) ? '' : linkTarget(source)})`;
}

/** A link to a place on the same page, or to none, is its words. Of one around several paragraphs, the first line leads there. */
function link(content: string, node: DomElement): string {
  const address = (node.getAttribute('href') ?? '').trim();
  const words = content.trim();
  if (words === '' || !/^(?!#|javascript:)./i.test(address)) return content;
  const lines = words.split('\n');
  const [, mark = '', first = ''] = /^(#{1,6} |- |\d+\. )?(.*)$/.exec(lines[0]!) ?? [];
  const linked = /^(?:\||`{3})|\]\(/.test(first) && !first.startsWith('![') ? first : `[${first}](${linkTarget(address)})`;
  const around = lines.length > 1 ? ['\n\n', '\n\n'] : [/^\s/.test(content) ? ' ' : '', /\s$/.test(content) ? ' ' : ''];
  return `${around[0]}${[`${mark}${linked}`, ...lines.slice(1)].join('\n')}${around[1]}`;
}

const CELL = '\ufdd0';
const ROW = '\ufdd1';
const CELL_TEXT = '\ufdd2';
/** Begins a row of a header. */
const HEADER = '\ufdd5';

/** Code of more lines than this cannot be read in a cell. */
const MAX_LINES = 8;
/** Whether a table only arranges a page: its cells are read one after another. */
function isLayout(table: DomElement): boolean {
  if (/^(presentation|none)$/.test(table.getAttribute('role') ?? '')) return true;
  if (table.querySelector('table, h1, h2, h3, h4, h5, h6')) return true;
  if ([...table.querySelectorAll('pre')].some((code) => codeLines(code).length > MAX_LINES)) return true;
  return ![...table.querySelectorAll('tr')].some((row) => [...row.children].filter(isCell).length > 1);
}

const isCell = ({ nodeName }: DomElement): boolean => nodeName === 'TD' || nodeName === 'TH';

/** Writes tables as GFM, with an empty header if there is none; line breaks become spaces. */
function addTableRules(service: TurndownService): void {
  const known = new WeakMap<DomElement, boolean>();
  const isLaidOut = (table: DomElement | null): boolean => {
    if (!table) return true;
    if (!known.has(table)) known.set(table, isLayout(table));
    return known.get(table)!;
  };
  service
    .addRule('tableCell', {
      filter: ['td', 'th'],
      replacement: (content, node) =>
        isLaidOut(node.closest('table'))
          ? `\n\n${node.className === BOX_TITLE ? `**${content.trim()}**` : content}\n\n`
          : `${CELL}${spanOf(node.getAttribute('colspan'))},${spanOf(node.getAttribute('rowspan'))}${CELL_TEXT}${oneLine(content)}`,
    })
    .addRule('tableCode', {
      filter: (node) => node.nodeName === 'PRE' && !isLaidOut(node.closest('td, th')?.closest('table') ?? null),
      replacement: (_content, node) => codeSpan(node),
    })
    .addRule('tableRow', {
      filter: 'tr',
      replacement: (content, node) =>
        isLaidOut(node.closest('table')) ? content : `${ROW}${node.parentElement?.nodeName === 'THEAD' ? HEADER : ''}${content}`,
    })
    .addRule('tableSection', { filter: ['thead', 'tbody', 'tfoot', 'colgroup', 'col'], replacement: (content) => content })
    .addRule('caption', { filter: 'caption', replacement: (content) => `${content.trim()}\n\n` })
    .addRule('table', {
      filter: 'table',
      replacement: (content, node) => `\n\n${isLaidOut(node) ? content : tableText(content, hasHeader(node))}\n\n`,
    });
}

/** Classes of the tables of Asciidoctor, Sphinx and DocBook, which mark the cells of a header wherever there is one. */
const MARKED = '.tableblock, .docutils, .informaltable, .table-contents';

/** Whether the first row names the columns, as it does in most tables without marks. */
const hasHeader = (table: DomElement): boolean => table.closest(MARKED) === null || table.querySelector('th, thead') !== null;

/** Writes a table, or its only row as a line. Rows that are marked as a header, or the first, name the columns. */
function tableText(content: string, isHeaded: boolean): string {
  const [before = '', ...written] = content.split(ROW);
  const grid = layOut(written.map(cellsOf));
  const line = grid.length === 1 ? [...grid[0]!.cells.values()].filter(Boolean).join(' ') : '';
  const marked = written.findIndex((row) => !row.startsWith(HEADER));
  return [before.trim(), line || writeTable(grid, marked > 0 ? marked : isHeaded ? undefined : 0)].filter(Boolean).join('\n\n');
}

const cellsOf = (row: string): TableCell[] =>
  row
    .split(CELL)
    .slice(1)
    .map((cell) => {
      const [spans = '', text = ''] = cell.split(CELL_TEXT);
      const [columns = 1, rows = 1] = spans.split(',').map(Number);
      return { text, columns, rows };
    });
