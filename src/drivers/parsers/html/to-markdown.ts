import type TurndownService from 'turndown';
import type { Mark } from '../../../schema/items.ts';
import { childElements, type DomElement, type DomNode, LEVEL, moveInto, headOfPart } from './dom.ts';
import { escapeLine, escapeTags, heading, oneLine } from '../../../text/markdown/write.ts';
import { codeBlock, flattenCode } from './code-blocks.ts';
import { altText } from '../parsed-document.ts';
import { writeBoxes, writeFolds } from './box-titles.ts';
import { addTableRules } from './html-tables.ts';

// A heading with an anchor carries its number between two characters that occur in no text, until its place in the Markdown is known.
const OPEN = '\ufdd3';
const CLOSE = '\ufdd4';
/** The element that an application writes its pages into is no part of any. */
const MOUNT = /^(?:app|root|app-root|react-root|svelte|__\w+)$/;
const TEXT = 3;
const NUMBERED = new RegExp(`${OPEN}(\\d+)${CLOSE} ?`, 'g');

/** Writes the number of its anchor into each heading; gives the anchors by number. */
function numberHeadings(root: DomElement): string[] {
  const anchors: string[] = [];
  const begun = new Set<DomElement>();
  for (const node of root.querySelectorAll('h1, h2, h3, h4, h5, h6, dt[id]')) {
    const anchor = anchorOf(node, begun);
    for (const sign of node.querySelectorAll('a[href^="#"]')) if (!/[\p{L}\p{N}]/u.test(sign.textContent ?? '')) sign.remove();
    if (anchor) node.prepend(`${OPEN}${anchors.push(anchor) - 1}${CLOSE}`);
    for (let around = node.parentElement; around && !begun.has(around); around = around.parentElement) begun.add(around);
  }
  return anchors;
}

/** The id of the heading, of an anchor in it, of the section that it begins, or of an anchor directly before it. `begun`: what had a heading before. */
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
  if (before?.nodeType === TEXT && (before.textContent ?? '').trim() === '') before = before.previousSibling;
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

const KINDS: Readonly<Record<string, string>> = { B: 'strong', STRONG: 'strong', I: 'em', EM: 'em', CODE: 'code' };

/** Parts with emphasis that touch become one, and codes that touch get a space between them: the signs of Markdown around both would be others together. */
function joinAdjoining(root: DomElement): void {
  for (const element of root.querySelectorAll('b, strong, i, em, code')) {
    const kind = KINDS[element.nodeName];
    if (kind === 'code') {
      if (isOf(element.nextSibling, kind) && element.closest('pre') === null) element.replaceWith(element.cloneNode(true), ' ');
      continue;
    }
    for (let next = element.nextSibling; isOf(next, kind); next = element.nextSibling) {
      moveInto(element, next);
      next.remove();
    }
  }
}

const isOf = (node: DomNode | null, kind: string | undefined): node is DomElement => node !== null && KINDS[node.nodeName] === kind;

/** A number as it stands above or below another: of a power, a unit, an index. */
const NUMBER = /^[+\-−–]?\d+(?:[.,/]\d+)?$/;
/** A formula, such as `n+1`; two letters are the end of an ordinal, or a mark. */
const FORMULA = /^(?=.*[\d+\-−–*/=])[\p{L}\d\s+\-−–*/=().,]{2,20}$/u;
/** A variable. The other letters make ordinals of numbers: 1er, 2e, 3a, 4o. */
const VARIABLE = /^(?![aeo])\p{L}$/iu;

/** Writes `10<sup>6</sup>` as `10^6` and the like, so that no other number comes of it. Ordinals, marks and the signs of notes stay as they are. */
function writeScripts(root: DomElement): void {
  for (const element of root.querySelectorAll('sup, sub')) {
    const said = (element.textContent ?? '').trim();
    const before = lastOf(element.previousSibling);
    if (before === '' || element.querySelector('a') || element.closest('a')) continue;
    const sign = element.nodeName === 'SUP' ? '^' : '_';
    if (sign === '_' && !/[\d\p{S}]/u.test(before)) continue; // H2O
    if (!/[\p{L}\p{N}\p{S})\]]/u.test(before)) continue;
    if (NUMBER.test(said) || VARIABLE.test(said)) element.textContent = sign + said;
    else if (FORMULA.test(said)) element.textContent = `${sign}(${said})`;
  }
}

/** The letter that an element follows directly, or nothing. */
const lastOf = (node: DomNode | null): string => /\S$/u.exec(node?.textContent ?? '')?.[0] ?? '';

const ELEMENT = 1;
const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|BR|CENTER|DD|DETAILS|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|HEADER|HR|LI|MAIN|NAV|OL|P|SECTION|SUMMARY|TABLE|TD|TH|TR|UL)$/;
const HEADING = /^H[1-6]$/;
const CODE = /^(?:CODE|PRE)$/;
/** Characters that occur in no text (Unicode, 23.7: noncharacters): the conversion to Markdown marks places with them. */
const RESERVED = /[\ufdd0-\ufdef]/g;

/** Makes every text of an element Markdown that shows the same. What is markup only at the start of a line is escaped only there. */
function escapeText(root: DomElement): void {
  root.normalize();
  let isStart = true;
  const visit = (node: DomNode): void => {
    if (node.nodeType === TEXT) {
      const text = (node.textContent ?? '').replace(RESERVED, '');
      node.textContent = isStart ? escapeLine(text) : escapeTags(text);
      isStart &&= text.trim() === '';
    } else if (node.nodeType === ELEMENT) {
      const { nodeName, childNodes } = node as DomElement;
      const isBlock = BLOCK.test(nodeName);
      isStart = (isStart || isBlock) && !HEADING.test(nodeName) && !CODE.test(nodeName);
      if (!CODE.test(nodeName)) for (const child of childNodes) visit(child);
      isStart ||= isBlock || HEADING.test(nodeName) || nodeName === 'PRE';
    }
  };
  visit(root);
}

const HEADINGS = 'h1, h2, h3, h4, h5, h6';

/** An item of a list with the number that a browser shows; one with headings of its own is a part of the page. `next`: the number that the next item of each list has, because looking that up at each takes its time from long lists. */
function listItem(content: string, node: DomElement, next: WeakMap<DomElement, number>): string {
  const list = node.parentElement;
  const isNumbered = list?.nodeName === 'OL';
  const number = isNumbered ? (numberIn(node, 'value') ?? next.get(list) ?? firstOf(list)) : 0;
  if (isNumbered) next.set(list, Math.max(0, number + (list.hasAttribute('reversed') ? -1 : 1)));
  if (node.querySelector(HEADINGS)) return `\n\n${isNumbered ? content.trim().replace(/^#+ /, `$&${number}. `) : content}\n\n`;
  const mark = isNumbered ? `${number}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return text === '' ? '' : `${mark}${text}\n`;
}

/** Where a list begins; one that counts down, with as many as it has. */
const firstOf = (list: DomElement): number =>
  numberIn(list, 'start') ?? (list.hasAttribute('reversed') ? childElements(list).filter(({ nodeName }) => nodeName === 'LI').length : 1);

function numberIn(element: DomElement, attribute: string): number | undefined {
  const number = Number.parseInt(element.getAttribute(attribute) ?? '', 10);
  return number >= 0 && number < 1_000_000_000 ? number : undefined;
}

let turndown: Promise<TurndownService> | undefined;

/** The Markdown of an element, and a mark at every heading that a link can lead to. The element is changed. */
export async function toMarkdown(root: DomElement): Promise<{ text: string; marks: Mark[] }> {
  writeBoxes(root);
  writeFolds(root);
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

const bold = (content: string): string => (/[*\n#]/.test(content.trim()) || content.trim() === '' ? content : `**${content.trim()}**`);

/** A picture is kept for what is said about it. */
function image(node: DomElement): string {
  const alt = altText(node.getAttribute('alt'));
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
