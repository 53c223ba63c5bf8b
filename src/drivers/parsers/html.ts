import type { ParsedDocument, Parser } from '../../ports.ts';
import type { Metadata } from '../../schema/items.ts';
import { parseHtml, type DomDocument, type DomElement } from './dom.ts';
import { decodeText } from './encoding.ts';
import { mainContent } from './html-main.ts';
import { toMarkdown } from './html-markdown.ts';
import { heading, oneLine } from './markdown-text.ts';
import { firstHeading } from './title.ts';

/** The main text of a page, with an anchor at each heading that has one. */
export const htmlParser: Parser = {
  file_type: 'html',
  extensions: ['.html', '.htm', '.xhtml'],
  async parse(bytes): Promise<ParsedDocument> {
    const page = await parseHtml(await decodeText(bytes, declaredEncoding(bytes)));
    const { title, metadata } = describe(page.document);
    const topic = oneLine(page.body.querySelector('h1')?.textContent ?? '');
    const { text, marks } = await toMarkdown(await mainContent(page));
    return { ...withTopic({ text, marks }, topic), title: title || topic || firstHeading(text), metadata };
  },
};

/** The `charset` that a page names for itself, in its first 1,024 bytes (HTML, 4.2.5.4). */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(1024, bytes.byteLength)).toString('latin1');
  return /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1];
}

function describe(document: DomDocument): { title: string; metadata: Metadata } {
  const meta = (...names: string[]): string | undefined => {
    for (const name of names) {
      const content = document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.getAttribute('content');
      if (content?.trim()) return oneLine(content);
    }
    return undefined;
  };
  const known = {
    author: meta('author', 'article:author'),
    created: meta('article:published_time', 'date', 'dcterms.created'),
    description: meta('description', 'og:description'),
    lang: document.documentElement.getAttribute('lang')?.trim() || meta('language'),
  };
  const metadata = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { title: titleOf(document.querySelector('title')) || meta('og:title') || '', metadata };
}

const titleOf = (element: DomElement | null): string => oneLine(element?.textContent ?? '');

/** The page's first heading stands above its text, also where the choice of the main text left it out. */
function withTopic({ text, marks = [] }: Pick<ParsedDocument, 'text' | 'marks'>, topic: string): Pick<ParsedDocument, 'text' | 'marks'> {
  if (topic === '' || firstHeading(text) === topic || text.includes(`# ${topic}`)) return { text, marks };
  const above = `${heading(1, topic)}\n\n`;
  return { text: above + text, marks: marks.map((mark) => ({ ...mark, at: mark.at + above.length })) };
}
