/** As much of the DOM as the parsers use: the project is compiled without the types of browsers. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: DomElement | null;
  textContent: string | null;
}

export interface DomElement extends DomNode {
  readonly children: Iterable<DomElement>;
  readonly childNodes: Iterable<DomNode>;
  readonly firstElementChild: DomElement | null;
  readonly parentElement: DomElement | null;
  className: string;
  id: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  closest(selector: string): DomElement | null;
  normalize(): void;
  append(...nodes: (DomNode | string)[]): void;
  prepend(...nodes: (DomNode | string)[]): void;
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

/** A document of this HTML, with a body that holds all of its content, whatever tags the source leaves out. Nothing is loaded or run. */
export async function parseHtml(html: string): Promise<{ document: DomDocument; body: DomElement }> {
  const { parseHTML } = await import('linkedom');
  const parse = (source: string) => (parseHTML(source) as unknown as { document: DomDocument }).document;
  const whole = /<html[\s>]/i.test(html) ? parse(html) : parse(`<!doctype html><html>${html}</html>`);
  const document = whole.documentElement?.nodeName === 'HTML' ? whole : parse(`<!doctype html><html><body>${html}</body></html>`);
  const root = document.documentElement;
  const existing = [...root.children].find(({ nodeName }) => nodeName === 'BODY');
  const body = existing ?? document.createElement('body');
  const outside = [...root.childNodes].filter((node) => node !== body && node.nodeName !== 'HEAD');
  if (!existing) root.append(body);
  body.append(...outside);
  return { document, body };
}
