import { type DomElement, parseHtml } from './dom.ts';
import { GIVEN_TYPES, type ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { decodeText } from '../bytes.ts';
import { addressResolver, factsOf, headOf, type ResolveAddress } from './page-head.ts';
import { mainContent } from './main-content.ts';
import { toMarkdown } from './to-markdown.ts';
import { escapeTags, heading } from '../../../text/markdown/write.ts';
import { firstHeading } from '../parsed-document.ts';
import { removeUnseen } from './remove-unseen.ts';
import { rewriteWidgets } from './widgets.ts';

/** Selects the elements that describe the page and its neighbours. */
const DESCRIPTIVE = 'base, meta, link, a, area, frame, time, script[type="application/ld+json"], [itemprop~=author]';

/** How a page begins, after a byte order mark, white space and comments. */
const BEGINNING = /^(?:ï»¿)?(?:\s|<!--(?:(?!-->)[^])*-->)*<(?:!doctype\s+html|html|head|body|title|meta)\b/i;

/** Matches the role of the parts of a menu: in a file that holds nothing else, they are its text. */
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
    const elements = [...page.document.querySelectorAll(DESCRIPTIVE)];
    const { title, metadata, generator } = headOf(page.document, elements);
    const resolve = addressResolver(elements, source);
    const facts = resolve && factsOf(elements, resolve);
    const { content, headline: topic, left_out } = await mainContent(page, { html, generator, title });
    if (resolve) makeAbsolute(content, resolve);
    for (const picture of content.querySelectorAll('img')) if (repeatsHeadline(picture, topic)) picture.removeAttribute('alt');
    const isThere = [...content.querySelectorAll('h1, h2, h3, h4')].some(
      (headline) => lettersIn(headline.textContent) === lettersIn(topic),
    );
    const chosen = await toMarkdown(content);
    // links are the text of a file that holds nothing else; on a page of a site they are navigation
    const { text, marks } = withTopic(
      chosen.text === '' && !resolve ? await toMarkdown(await wholePage(html.replace(MENU, ''))) : chosen,
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

/** Whether a picture is described by the headline alone, as stories do with each of theirs. */
const repeatsHeadline = (picture: DomElement, topic: string): boolean =>
  topic !== '' && lettersIn(picture.getAttribute('alt')) === lettersIn(topic) && picture.closest('h1, h2, h3, h4') === null;

/** Puts the page's first heading above a text that does not contain it. */
function withTopic({ text, marks = [] }: Pick<ParsedDocument, 'text' | 'marks'>, topic: string): Pick<ParsedDocument, 'text' | 'marks'> {
  if (topic === '' || text === '') return { text, marks };
  const above = `${heading(1, escapeTags(topic))}\n\n`;
  return { text: above + text, marks: marks.map((mark) => ({ ...mark, at: mark.at + above.length })) };
}

function makeAbsolute(root: DomElement, resolve: ResolveAddress): void {
  for (const element of root.querySelectorAll('a[href], img[src]')) {
    const name = element.nodeName === 'A' ? 'href' : 'src';
    const address = element.getAttribute(name)!;
    if (!address.trim().startsWith('#')) element.setAttribute(name, resolve(address) ?? address);
  }
}

/** HTML in UTF-8 from a field of a record, all of which is content. No file has this type. */
export const htmlFragmentParser: ParserRow = {
  file_type: GIVEN_TYPES.fragment,
  name: 'HTML',
  extensions: [],
  is_text: true,
  async parse(bytes, { source }) {
    const body = await wholePage(new TextDecoder().decode(bytes), { isContent: true });
    const resolve = addressResolver([], source);
    if (resolve) makeAbsolute(body, resolve);
    return { text: (await toMarkdown(body)).text, metadata: {} };
  },
};

/** Reads all that HTML shows, including menus that only their names tell; with `isContent` also headers, footers and navigation. */
async function wholePage(html: string, { isContent = false } = {}): Promise<DomElement> {
  const page = await parseHtml(html);
  rewriteWidgets(page, html);
  removeUnseen(page.body, isContent ? page.body : undefined);
  return page.body;
}
