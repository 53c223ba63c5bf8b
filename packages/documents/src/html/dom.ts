/** Limits: elements of a page, attributes of an element, nested elements. A larger DOM takes a gigabyte, or minutes. */
const MAX_ELEMENTS = 1_000_000;
const MAX_ATTRIBUTES = 10_000;
const MAX_SOURCE_DEPTH = 50_000;
/** Characters below which no limit can be exceeded: a tag has at least three, an attribute two. */
const SHORT = 2 * MAX_ATTRIBUTES;

/** Elements without an end tag, or with an optional one: they do not count for the depth. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|thead|tbody|tfoot|option|optgroup|colgroup|rp|rt|html|head|body)$/i;
const TAG = /<(\/?)([a-z][a-z0-9:-]*)([^<>]*)/gi;

/**
 * Checks that a DOM may be built of the markup. Drops the attributes of a tag with too many; throws an Error if another limit is exceeded.
 */
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
    if (elements > MAX_ELEMENTS) throw new Error(`it has more than ${MAX_ELEMENTS} elements`);
    if (depth > MAX_SOURCE_DEPTH) throw new Error(`it nests more than ${MAX_SOURCE_DEPTH} elements`);
    if (rest!.length <= SHORT || attributesIn(rest!) <= MAX_ATTRIBUTES) continue;
    const end = index + tag.length;
    kept.push(html.slice(from, end - rest!.length));
    from = end;
  }
  return kept.length === 0 ? html : [...kept, html.slice(from)].join('');
}

/** Counts the words of a tag outside of quotes. */
const attributesIn = (tag: string): number => tag.replace(/"[^"]*"|'[^']*'/g, '').match(/\S+/g)?.length ?? 0;

/** The parts of a DOM node that the parsers use: the project is compiled without the types of browsers. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: DomElement | null;
  readonly previousSibling: DomNode | null;
  readonly nextSibling: DomNode | null;
  textContent: string | null;
  cloneNode(deep: boolean): DomNode;
}

/** The parts of a DOM element that the parsers use. */
export interface DomElement extends DomNode {
  readonly ownerDocument: DomDocument;
  readonly children: Iterable<DomElement>;
  readonly childNodes: Iterable<DomNode>;
  readonly firstChild: DomNode | null;
  readonly firstElementChild: DomElement | null;
  readonly previousElementSibling: DomElement | null;
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

/** The parts of a DOM document that the parsers use. */
export interface DomDocument {
  readonly documentElement: DomElement;
  createElement(name: string): DomElement;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: boolean): DomDocument;
}

/** Selects all headings. */
export const HEADINGS = 'h1, h2, h3, h4, h5, h6';

/** Whether a node is a heading. */
export const isHeading = ({ nodeName }: DomNode): boolean => /^H[1-6]$/.test(nodeName);

/** Whether a node is text. */
export const isTextNode = ({ nodeType }: DomNode): boolean => nodeType === 3;

/** Whether a node is an element. */
export const isElement = (node: DomNode): node is DomElement => node.nodeType === 1;

/** Lists the child elements: faster than `children`, and safe while they are removed. */
export function childElements(element: DomElement): DomElement[] {
  const children: DomElement[] = [];
  for (let node: DomNode | null = element.firstChild; node; node = node.nextSibling) if (isElement(node)) children.push(node);
  return children;
}

/** Moves all children to the end of another element, one by one: a call takes a limited number of arguments. */
export function moveInto(target: DomElement, source: DomElement): void {
  for (const node of source.childNodes) target.append(node);
}

/** Replaces an element by its children. */
export function unwrap(element: DomElement): void {
  for (const node of element.childNodes) element.before(node);
  element.remove();
}

/** Maximum depth; deeper elements become text. Usual pages nest some dozens; the time for a page grows with the square of its depth. */
const MAX_DEPTH = 200;

/** Parses HTML; the body holds all content, whatever tags are missing. Nothing is loaded or run. Throws an Error if it is too large. */
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
  for (const heading of body.querySelectorAll(HEADINGS)) endHeading(heading);
  return { document, body };
}

/** Matches an attribute with a capital letter; other pages are not searched for such attributes. */
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

/**
 * Moves blocks that follow the words of a heading behind it: in browsers the end tag of another level ends a heading (HTML 13.2.6.4.7), in
 * linkedom it does not.
 */
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
    if (depth === MAX_DEPTH) for (const element of level) element.textContent = element.textContent ?? '';
    level = depth === MAX_DEPTH ? [] : level.flatMap(childElements);
  }
}

/** Returns the classes and the id of an element, as one text. */
export const elementNames = (element: DomElement): string => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;

/** The class of the title of a box, which becomes bold words above it. */
export const BOX_TITLE = 'admonition-title';

/** The attribute with the level that a heading had before Readability, which makes every first level a second one. */
export const LEVEL = 'data-kb-level';

const HEADING = /^(?:H[1-6]|DT)$/;
const PLACE = /^(?:A|SPAN)$/;
const MAX_PLACES = 5;

/** Finds the heading that a part begins with; only empty anchors may precede it. */
export function headOfPart(part: DomElement): DomElement | undefined {
  let first = part.firstElementChild;
  for (let i = 0; i < MAX_PLACES && first && PLACE.test(first.nodeName) && (first.textContent ?? '').trim() === ''; i++)
    first = first.nextElementSibling;
  return first && isHead(first) ? first : undefined;
}

const isHead = ({ nodeName }: DomElement): boolean => HEADING.test(nodeName);

/** A parsed page. */
export interface Page {
  document: DomDocument;
  body: DomElement;
}
