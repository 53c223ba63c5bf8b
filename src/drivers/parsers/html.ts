import type { ParsedDocument, Parser } from '../../ports/reading.ts';
import { parseHtml } from './dom.ts';
import { decodeText } from './encoding.ts';
import { makeAbsolute, resolverOf } from './html/addresses.ts';
import { factsOf } from './html/facts.ts';
import { headOf } from './html/head.ts';
import { mainContent } from './html/main.ts';
import { toMarkdown } from './html/markdown.ts';
import { escapeTags, heading } from './markdown-text.ts';
import { firstHeading } from './title.ts';

/** The elements that say something about the page, in their order. */
const TELLING = 'base, meta, link, a, area, frame, time, script[type="application/ld+json"], [itemprop~=author]';

/** The main text of a page, with an anchor at each heading that has one. */
export const htmlParser: Parser = {
  file_type: 'html',
  extensions: ['.html', '.htm', '.xhtml'],
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const html = await decodeText(bytes, declaredEncoding(bytes));
    const page = await parseHtml(html);
    const elements = [...page.document.querySelectorAll(TELLING)];
    const { title, metadata, generator } = headOf(page.document, elements);
    const resolve = resolverOf(elements, source);
    const facts = resolve && factsOf(elements, resolve);
    const { content, headline: topic, left_out } = await mainContent(page, { html, generator, title });
    if (resolve) makeAbsolute(content, resolve);
    const isThere = [...content.querySelectorAll('h1, h2')].some((headline) => lettersIn(headline.textContent) === lettersIn(topic));
    const { text, marks } = withTopic(await toMarkdown(content), isThere ? '' : topic);
    return {
      text,
      marks,
      title: ownTitle(title, topic) || firstHeading(text),
      metadata: { ...metadata, ...(left_out && { left_out }) },
      ...(facts && { page: facts }),
    };
  },
};

/** The page's title, without the name of its site where the headline tells which part that is. */
const ownTitle = (title: string, topic: string): string =>
  topic !== '' && title.startsWith(topic) && /^\s+[|·•»«—–-]\s|^\s*[|—–]\s/.test(title.slice(topic.length)) ? topic : title || topic;

/** The `charset` that a page names for itself, in its first 1,024 bytes (HTML, 4.2.5.4). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.byteLength)).toString('latin1');
  return /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i.exec(start)?.[1];
}

const lettersIn = (text: string | null): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '');

/** The page's first heading stands above its text, also where the choice of the main text left it out. */
function withTopic({ text, marks = [] }: Pick<ParsedDocument, 'text' | 'marks'>, topic: string): Pick<ParsedDocument, 'text' | 'marks'> {
  if (topic === '' || text === '') return { text, marks };
  const above = `${heading(1, escapeTags(topic))}\n\n`;
  return { text: above + text, marks: marks.map((mark) => ({ ...mark, at: mark.at + above.length })) };
}
