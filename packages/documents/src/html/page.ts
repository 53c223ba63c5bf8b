import { type DomElement, type Page, parseHtml } from './dom.ts';
import type { ParsedDocument } from '../types.ts';
import type { ParserRow } from '../parser.ts';
import { decodeText } from '../bytes.ts';
import { addressResolver, factsOf, headOf, type ResolveAddress } from './page-head.ts';
import { mainContent, writeShown } from './main-content.ts';
import { holdsLinksAlone } from './furniture.ts';
import { compareWords } from '../visible-words.ts';
import { toMarkdown } from './to-markdown.ts';
import { escapeTags, heading } from '../markdown/write.ts';
import { firstHeading } from '../parsed-document.ts';

/** Selects the elements that describe the page and its neighbours. */
const DESCRIPTIVE = 'base, meta, link, a, area, frame, iframe, time, script[type="application/ld+json"], [itemprop~=author]';

/** How a page begins, after a byte order mark, white space and comments. */
const BEGINNING = /^(?:ï»¿)?(?:\s|<!--(?:(?!-->)[^])*-->)*<(?:!doctype\s+html|html|head|body|title|meta)\b/i;

/** Minimum share of the words of a page that is reported as left out. */
const REPORTED_SHARE = 0.02;

/** The main text of a page, or all that it shows (`html: 'whole'`), with an anchor at each heading that has one. */
export const htmlParser: ParserRow = {
  file_type: 'html',
  name: 'an HTML page',
  extensions: ['.html', '.htm', '.xhtml'],
  media_types: ['text/html', 'application/xhtml+xml'],
  signature: BEGINNING,
  is_text: true,
  is_page: true,
  async parse(bytes, { source, html: extent = 'main' }): Promise<ParsedDocument> {
    const html = await decodeText(bytes, declaredEncoding(bytes));
    const page = await parseHtml(html);
    const elements = [...page.document.querySelectorAll(DESCRIPTIVE)];
    const { title, metadata } = headOf(page.document, elements);
    const resolve = addressResolver(elements, source);
    const facts = resolve && factsOf(page.document, elements, resolve);
    const isWhole = extent === 'whole';
    const { content, headline: topic, shown } = isWhole ? wholeContent(page, html) : await mainContent(page, { html, title });
    if (resolve) makeAbsolute(content, resolve);
    for (const picture of content.querySelectorAll('img')) if (repeatsHeadline(picture, topic)) picture.removeAttribute('alt');
    const isThere = [...content.querySelectorAll('h1, h2, h3, h4')].some(
      (headline) => lettersIn(headline.textContent) === lettersIn(topic),
    );
    // links are the text of a file that holds nothing else
    const isMenu = !resolve && holdsLinksAlone(content);
    const { text, marks } = withTopic(
      await toMarkdown(isMenu ? wholeContent(await parseHtml(html), html).content : content),
      isThere || isMenu ? '' : topic,
    );
    const left_out = isWhole ? 0 : shareLeftOut(shown, text);
    return {
      text,
      marks,
      title: ownTitle(title, topic) || firstHeading(text),
      metadata: { ...metadata, ...(left_out > 0 && { left_out }) },
      ...(facts && { page: facts }),
    };
  },
};

/** Takes all that a page shows. */
function wholeContent(page: Page, html: string): { content: DomElement; headline: string; shown: string } {
  writeShown(page, html);
  return { content: page.body, headline: '', shown: '' };
}

/** Returns the share of the words of a page that its Markdown lacks, in hundredths; 0 for a few. */
function shareLeftOut(shown: string, markdown: string): number {
  const { words, missing } = compareWords(shown, markdown);
  return missing.length > words * REPORTED_SHARE ? Math.round((missing.length / words) * 100) / 100 : 0;
}

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
  file_type: 'html-fragment',
  name: 'HTML',
  extensions: [],
  is_text: true,
  async parse(bytes, { source }) {
    const html = new TextDecoder().decode(bytes);
    const { content: body } = wholeContent(await parseHtml(html), html);
    const resolve = addressResolver([], source);
    if (resolve) makeAbsolute(body, resolve);
    return { text: (await toMarkdown(body)).text, metadata: {} };
  },
};
