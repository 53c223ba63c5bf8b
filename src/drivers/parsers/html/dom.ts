import { oneLine } from '../../../text/markdown/write.ts';

/** Elements of a page, attributes of an element, and elements within elements, at most: a DOM of more takes a gigabyte, or minutes. */
const MOST_ELEMENTS = 1_000_000;
const MOST_ATTRIBUTES = 10_000;
const DEEPEST_SOURCE = 50_000;
/** What is shorter can exceed none of them: a tag has three characters, an attribute two. */
const SHORT = 2 * MOST_ATTRIBUTES;

/** Elements that have no end, or whose end may be left out: they do not count for depth. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|thead|tbody|tfoot|option|optgroup|colgroup|rp|rt|html|head|body)$/i;
const TAG = /<(\/?)([a-z][a-z0-9:-]*)([^<>]*)/gi;

/** The markup as a DOM may be built of it: a tag with too many attributes loses them. Throws an Error for too much of anything else. */
export function boundedMarkup(html: string): string {
  if (html.length < SHORT) return html;
  let elements = 0;
  let depth = 0;
  const kept: string[] = [];
  let from = 0;
  for (const { 0: tag, 1: slash, 2: name, 3: rest, index } of html.matchAll(TAG)) {
    const isNested = !UNNESTED.test(name!);
    if (slash) {
      if (isNested && depth > 0) depth -= 1;
      continue;
    }
    elements += 1;
    if (isNested && !rest!.endsWith('/')) depth += 1;
    if (elements > MOST_ELEMENTS) throw new Error(`it has more than ${MOST_ELEMENTS} elements`);
    if (depth > DEEPEST_SOURCE) throw new Error(`it nests more than ${DEEPEST_SOURCE} elements`);
    if (rest!.length <= SHORT || attributesIn(rest!) <= MOST_ATTRIBUTES) continue;
    const end = index + tag.length;
    kept.push(html.slice(from, end - rest!.length));
    from = end;
  }
  return kept.length === 0 ? html : [...kept, html.slice(from)].join('');
}

/** How many words a tag has that stand in no quotes. */
const attributesIn = (tag: string): number => tag.replace(/"[^"]*"|'[^']*'/g, '').match(/\S+/g)?.length ?? 0;

/** As much of the DOM as the parsers use: the project is compiled without the types of browsers. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: DomElement | null;
  readonly previousSibling: DomNode | null;
  readonly nextSibling: DomNode | null;
  textContent: string | null;
  cloneNode(deep: boolean): DomNode;
}

export interface DomElement extends DomNode {
  readonly ownerDocument: DomDocument;
  readonly children: Iterable<DomElement>;
  readonly childNodes: Iterable<DomNode>;
  readonly firstChild: DomNode | null;
  readonly firstElementChild: DomElement | null;
  readonly nextElementSibling: DomElement | null;
  readonly parentElement: DomElement | null;
  className: string;
  id: string;
  getAttribute(name: string): string | null;
  getAttributeNames(): Iterable<string>;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  contains(node: DomNode): boolean;
  closest(selector: string): DomElement | null;
  normalize(): void;
  append(...nodes: (DomNode | string)[]): void;
  prepend(...nodes: (DomNode | string)[]): void;
  before(...nodes: (DomNode | string)[]): void;
  replaceWith(...nodes: (DomNode | string)[]): void;
  remove(): void;
}

export interface DomDocument {
  readonly documentElement: DomElement;
  createElement(name: string): DomElement;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: boolean): DomDocument;
}

const ELEMENT = 1;

/** The elements directly in this one: quicker than `children`, and safe while they are taken out. */
export function childElements(element: DomElement): DomElement[] {
  const children: DomElement[] = [];
  for (let node: DomNode | null = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === ELEMENT) children.push(node as DomElement);
  return children;
}

/** Moves all that an element holds to the end of another, one by one: there may be more than a call takes arguments. */
export function moveInto(target: DomElement, source: DomElement): void {
  for (const node of source.childNodes) target.append(node);
}

/** Leaves what an element holds in its place. */
export function unwrap(element: DomElement): void {
  for (const node of element.childNodes) element.before(node);
  element.remove();
}

/** Pages for people nest some dozens of elements. What is deeper loses its markup: walking a page takes time with the square of its depth, and stack. */
const DEEPEST = 200;

/** A document of this HTML, with a body that holds all of its content, whatever tags the source leaves out. Nothing is loaded or run. Throws an Error where it would be too large. */
export async function parseHtml(source: string): Promise<{ document: DomDocument; body: DomElement }> {
  const html = boundedMarkup(source);
  const { parseHTML } = await import('linkedom');
  const parse = (markup: string) => (parseHTML(markup) as unknown as { document: DomDocument }).document;
  const whole = /<html[\s>]/i.test(html) ? parse(html) : parse(`<!doctype html><html>${html}</html>`);
  const document = whole.documentElement?.nodeName === 'HTML' ? whole : parse(`<!doctype html><html><body>${html}</body></html>`);
  const root = document.documentElement;
  const existing = [...root.children].find(({ nodeName }) => nodeName === 'BODY');
  const body = existing ?? document.createElement('body');
  const outside = [...root.childNodes].filter((node) => node !== body && node.nodeName !== 'HEAD');
  if (!existing) root.append(body);
  for (const node of outside) body.append(node);
  if (CAPITAL_NAME.test(html)) lowerNames(root);
  flatten(root);
  for (const heading of body.querySelectorAll('h1, h2, h3, h4, h5, h6')) endHeading(heading);
  return { document, body };
}

/** What an attribute in capital letters looks like: pages without any are not searched for them. */
const CAPITAL_NAME = /\s[a-z]*[A-Z][\w-]*\s*=/;

/** Writes the names of attributes in small letters, as browsers read them (HTML 13.2.5.33) and linkedom does not. */
function lowerNames(root: DomElement): void {
  for (const element of root.querySelectorAll('*'))
    for (const name of element.getAttributeNames()) {
      const lower = name.toLowerCase();
      if (name === lower) continue;
      element.setAttribute(lower, element.getAttribute(name)!);
      element.removeAttribute(name);
    }
}

const BLOCK = /^(?:DIV|DL|FORM|H[1-6]|HR|OL|P|PRE|SECTION|TABLE|UL)$/;

/** Puts what follows the words of a heading behind it: the closing tag of another level ends a heading in browsers (HTML 13.2.6.4.7), and not in linkedom. */
function endHeading(heading: DomElement): void {
  let hasWords = false;
  let inside: DomNode | null = heading.firstChild;
  for (; inside && !(hasWords && BLOCK.test(inside.nodeName)); inside = inside.nextSibling)
    hasWords ||= (inside.textContent ?? '').trim() !== '';
  const behind: DomNode[] = [];
  for (; inside; inside = inside.nextSibling) behind.push(inside);
  if (behind.length > 0) moveBehind(heading, behind);
}

function moveBehind(element: DomElement, nodes: readonly DomNode[]): void {
  const next = element.nextSibling as DomElement | null;
  for (const node of nodes)
    if (next) next.before(node);
    else element.parentElement!.append(node);
}

function flatten(root: DomElement): void {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === DEEPEST) for (const element of level) element.textContent = element.textContent ?? '';
    level = depth === DEEPEST ? [] : level.flatMap(childElements);
  }
}

/** The names that its author gave an element. */
export const elementNames = (element: DomElement): string => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;

/** The class of what names a box: bold words above it. */
export const BOX_TITLE = 'admonition-title';

/** A larger span is a mistake, or an attack. HTML allows 1,000 columns. */
const WIDEST_SPAN = 1000;

/** How many rows or columns a cell says that it spans. */
export const span = (node: DomElement, name: string): number =>
  Math.min(WIDEST_SPAN, Math.max(1, Number.parseInt(node.getAttribute(name) ?? '', 10) || 1));

/** The attribute with the level that a heading had before Readability, which makes every first level a second one. */
export const LEVEL = 'data-kb-level';

const HEADING = /^(?:H[1-6]|DT)$/;
const PART = /^(?:DIV|SECTION)$/;
const PLACE = /^(?:A|SPAN)$/;
const MOST_PLACES = 5;

/** Whether an element is a heading or a term, or a part that begins with one: its id is where links to it lead, and says what it is about. */
export const isTopic = (element: DomElement): boolean =>
  isHead(element) || (PART.test(element.nodeName) && headOfPart(element) !== undefined);

/** The heading that a part begins with, behind nothing but places that links lead to. */
export function headOfPart(part: DomElement): DomElement | undefined {
  let first = part.firstElementChild;
  for (let i = 0; i < MOST_PLACES && first && PLACE.test(first.nodeName) && (first.textContent ?? '').trim() === ''; i++)
    first = first.nextElementSibling;
  return first && isHead(first) ? first : undefined;
}

const isHead = ({ nodeName }: DomElement): boolean => HEADING.test(nodeName);

/** The names that say what an element is for. */
export const purposeOf = (element: DomElement): string =>
  isTopic(element) ? (element.getAttribute('class') ?? '') : elementNames(element);

export interface Page {
  document: DomDocument;
  body: DomElement;
}

/** The elements of a body by their id (`#id`), and by the id of the one that labels them (`by id`). */
export type Named = ReadonlyMap<string, DomElement>;

export function namedElements(body: DomElement): Named {
  const named = new Map<string, DomElement>();
  for (const [attribute, sign] of [
    ['id', '#'],
    ['aria-labelledby', 'by '],
  ] as const)
    for (const element of body.querySelectorAll(`[${attribute}]`)) {
      const name = `${sign}${element.getAttribute(attribute)}`;
      if (!named.has(name)) named.set(name, element);
    }
  return named;
}

/** What a label says that it brings forth, or what says that this is its label. */
export const panelNamed = (label: DomElement, named: Named): DomElement | undefined =>
  named.get(`#${label.getAttribute('aria-controls') ?? ''}`) ?? named.get(`by ${label.getAttribute('id') ?? ''}`);

/** The words of a label as a paragraph of its own. */
export function labelled(label: DomElement, { document }: Page): DomElement {
  const [paragraph, strong] = [document.createElement('p'), document.createElement('strong')];
  const words = label.cloneNode(true) as DomElement;
  for (const silent of words.querySelectorAll('script, style, svg')) silent.remove();
  strong.textContent = oneLine(words.textContent ?? '');
  paragraph.append(strong);
  return paragraph;
}
