import { type DomElement, parseHtml } from './dom.ts';
import { GIVEN_TYPES, type PageFacts, type ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { decodeText } from '../bytes.ts';
import { headOf } from './page-head.ts';
import { mainContent } from './main-content.ts';
import { toMarkdown } from './to-markdown.ts';
import { escapeTags, heading } from '../../../text/markdown/write.ts';
import { firstHeading } from '../parsed-document.ts';
import { removeUnseen } from './remove-unseen.ts';
import { rewriteWidgets } from './widgets.ts';

/** A longer address is a mistake, or an attack: thousands of links that each repeat a base of megabytes. Browsers and servers take about as much. */
const LONGEST = 2000;

/** Turns an address on a page into an absolute http(s) one; undefined for what is none, such as `mailto:`. */
type Resolve = (address: string) => string | undefined;

/** How addresses on the page of these elements are understood (`<base href>` first, HTML 2.4.3); undefined for a page that lies in a file, whose neighbours have no address. */
function resolverOf(elements: readonly DomElement[], source: string): Resolve | undefined {
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

function makeAbsolute(root: DomElement, resolve: Resolve): void {
  for (const element of root.querySelectorAll('a[href], img[src]')) {
    const name = element.nodeName === 'A' ? 'href' : 'src';
    const address = element.getAttribute(name)!;
    if (!address.trim().startsWith('#')) element.setAttribute(name, resolve(address) ?? address);
  }
}

/** More links than a page for people has. */
const MOST_LINKS = 10_000;
const FEED = /^application\/(?:rss|atom)\+xml$/i;

const LEADING = new Set(['A', 'AREA', 'FRAME']);

/**
 * Reads what a page says about itself and its neighbours. `elements` are those of the whole page, with the navigation: meta, link, a, area
 * and frame.
 */
function factsOf(elements: readonly DomElement[], resolve: Resolve): PageFacts {
  const related = (rel: string, type = /^/): string[] =>
    elements
      .filter(
        (link) => link.nodeName === 'LINK' && wordsOf(link.getAttribute('rel')).includes(rel) && type.test(link.getAttribute('type') ?? ''),
      )
      .flatMap((link) => placeOf(link.getAttribute('href') ?? '', resolve) ?? []);
  const wishes = elements.filter((meta) => isMeta(meta, 'name', 'robots')).flatMap((meta) => wordsOf(meta.getAttribute('content')));
  const robots = new Set(wishes);
  return {
    links: linksOf(elements, resolve),
    canonical: related('canonical')[0],
    feeds: [...new Set(related('alternate', FEED))],
    noindex: robots.has('noindex') || robots.has('none'),
    nofollow: robots.has('nofollow') || robots.has('none'),
  };
}

const isMeta = (element: DomElement, attribute: string, name: string): boolean =>
  element.nodeName === 'META' && element.getAttribute(attribute)?.trim().toLowerCase() === name;

const wordsOf = (value: string | null): string[] =>
  (value ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** The address of a document, without the place in it; undefined for an empty one, which is the page itself. */
const placeOf = (address: string, resolve: Resolve): string | undefined =>
  address.trim() === '' ? undefined : resolve(address)?.replace(/#.*/s, '');

function linksOf(elements: readonly DomElement[], resolve: Resolve): string[] {
  const links = new Set<string>();
  for (const element of elements) {
    const named = leadsTo(element).trim();
    const address = named.startsWith('#') ? undefined : placeOf(named, resolve);
    if (address !== undefined && !wordsOf(element.getAttribute('rel')).includes('nofollow')) links.add(address);
    if (links.size === MOST_LINKS) break;
  }
  return [...links];
}

function leadsTo(element: DomElement): string {
  if (LEADING.has(element.nodeName)) return element.getAttribute(element.nodeName === 'FRAME' ? 'src' : 'href') ?? '';
  return isMeta(element, 'http-equiv', 'refresh') ? refreshOf(element.getAttribute('content')) : '';
}

/** Parses the target of a refresh: `0; url=/next` (HTML 4.2.5.3). */
const refreshOf = (content: string | null): string => /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(content ?? '')?.[1] ?? '';

/** The elements that say something about the page, in their order. */
const TELLING = 'base, meta, link, a, area, frame, time, script[type="application/ld+json"], [itemprop~=author]';

/** After the mark of the encoding, space and comments. */
const BEGINNING = /^(?:ï»¿)?(?:\s|<!--(?:(?!-->)[^])*-->)*<(?:!doctype\s+html|html|head|body|title|meta)\b/i;

/** The role of the parts of a menu: in a file that holds nothing else, they are its text. */
const MENU = /\srole\s?=\s?["']?(?:menu|menubar)["']?(?=[\s>/])/gi;

/** The main text of a page, with an anchor at each heading that has one. */
export const htmlParser: ParserRow = {
  file_type: 'html',
  name: 'an HTML page',
  extensions: ['.html', '.htm', '.xhtml'],
  media_types: ['text/html', 'application/xhtml+xml'],
  signature: BEGINNING,
  is_text: true,
  is_page: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const html = await decodeText(bytes, declaredEncoding(bytes));
    const page = await parseHtml(html);
    const elements = [...page.document.querySelectorAll(TELLING)];
    const { title, metadata, generator } = headOf(page.document, elements);
    const resolve = resolverOf(elements, source);
    const facts = resolve && factsOf(elements, resolve);
    const { content, headline: topic, left_out } = await mainContent(page, { html, generator, title });
    if (resolve) makeAbsolute(content, resolve);
    for (const picture of content.querySelectorAll('img')) if (repeats(picture, topic)) picture.removeAttribute('alt');
    const isThere = [...content.querySelectorAll('h1, h2, h3, h4')].some(
      (headline) => lettersIn(headline.textContent) === lettersIn(topic),
    );
    const chosen = await toMarkdown(content);
    // a file of nothing but links is a list of them; a page on a site leads elsewhere by them
    const { text, marks } = withTopic(
      chosen.text === '' && !resolve ? await toMarkdown(await shownBy(html.replace(MENU, ''))) : chosen,
      isThere ? '' : topic,
    );
    return {
      text,
      marks,
      title: ownTitle(title, topic) || firstHeading(text),
      metadata: { ...metadata, ...(left_out && { left_out }) },
      ...(facts && { page: facts }),
    };
  },
};

/** Strips the name of the site from the title of a page, if the headline shows which part that is. */
const ownTitle = (title: string, topic: string): string =>
  topic !== '' && title.startsWith(topic) && /^\s+[|·•»«—–-]\s|^\s*[|—–]\s/.test(title.slice(topic.length)) ? topic : title || topic;

/** The `charset` that a page names for itself, in its first 1,024 bytes (HTML, 4.2.5.4). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.byteLength)).toString('latin1');
  return /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(start)?.[1];
}

const lettersIn = (text: string | null): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether a picture is described by nothing but the headline, as stories do with each of theirs. */
const repeats = (picture: DomElement, topic: string): boolean =>
  topic !== '' && lettersIn(picture.getAttribute('alt')) === lettersIn(topic) && picture.closest('h1, h2, h3, h4') === null;

/** The page's first heading stands above its text, also where the choice of the main text left it out. */
function withTopic({ text, marks = [] }: Pick<ParsedDocument, 'text' | 'marks'>, topic: string): Pick<ParsedDocument, 'text' | 'marks'> {
  if (topic === '' || text === '') return { text, marks };
  const above = `${heading(1, escapeTags(topic))}\n\n`;
  return { text: above + text, marks: marks.map((mark) => ({ ...mark, at: mark.at + above.length })) };
}

/** HTML in UTF-8 that stood in a field of a record: all of it is content, so that nothing is chosen from it. No file has this kind. */
export const htmlFragmentParser: ParserRow = {
  file_type: GIVEN_TYPES.fragment,
  name: 'HTML',
  extensions: [],
  is_text: true,
  is_quick: true,
  async parse(bytes, { source }) {
    const body = await shownBy(new TextDecoder().decode(bytes), { isContent: true });
    const resolve = resolverOf([], source);
    if (resolve) makeAbsolute(body, resolve);
    return { text: (await toMarkdown(body)).text, metadata: {} };
  },
};

/** All that HTML shows, menus that only their names tell included; with `isContent`, what asks for consent as well. */
async function shownBy(html: string, { isContent = false } = {}): Promise<DomElement> {
  const page = await parseHtml(html);
  rewriteWidgets(page, html);
  removeUnseen(page.body, isContent ? page.body : undefined);
  return page.body;
}
