import type { DomElement } from '../dom.ts';

/** A longer address is a mistake, or an attack: thousands of links that each repeat a base of megabytes. Browsers and servers take about as much. */
const LONGEST = 2000;

/** Turns an address on a page into an absolute http(s) one; undefined for what is none, such as `mailto:`. */
export type Resolve = (address: string) => string | undefined;

/** How addresses on the page of these elements are understood (`<base href>` first, HTML 2.4.3); undefined for a page that lies in a file, whose neighbours have no address. */
export function resolverOf(elements: readonly DomElement[], source: string): Resolve | undefined {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) return undefined;
  const own = within(source);
  const named = elements.find((element) => element.nodeName === 'BASE' && element.hasAttribute('href'))?.getAttribute('href') ?? '';
  return within(own(named) ?? source);
}

const within =
  (base: string): Resolve =>
  (address) => {
    const wanted = address.trim();
    if (wanted.length > LONGEST || base.length > LONGEST || !URL.canParse(wanted, base)) return undefined;
    const { protocol, href } = new URL(wanted, base);
    return /^https?:$/.test(protocol) && href.length <= LONGEST ? href : undefined;
  };

/** Makes the addresses of links and pictures absolute. A link to a place on the same page stays one. */
export function makeAbsolute(root: DomElement, resolve: Resolve): void {
  for (const element of root.querySelectorAll('a[href], img[src]')) {
    const name = element.nodeName === 'A' ? 'href' : 'src';
    const address = element.getAttribute(name)!;
    if (!address.trim().startsWith('#')) element.setAttribute(name, resolve(address) ?? address);
  }
}
