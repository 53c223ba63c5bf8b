import { MarkedBlocks } from '../marked-text.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, heading, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { allText, elementsIn, localName, type XmlElement } from '../ordered-xml.ts';

/** The entries of a feed, each under its title with its date, address and text. */
export async function feedText(root: XmlElement, lineOf: (at: number) => number): Promise<ParsedDocument> {
  const channel = elementsIn(root).find((child) => localName(child) === 'channel') ?? root;
  const entries = [...new Set([...elementsIn(channel), ...elementsIn(root)])].filter((child) => /^(?:item|entry)$/.test(localName(child)));
  const title = textOf(channel, /^title$/);
  const description = textOf(channel, /^(?:description|subtitle|tagline)$/);
  const blocks = new MarkedBlocks();
  const head = [...(title ? [heading(1, escapeLine(title))] : []), ...(description ? [escapeLine(description)] : [])].join('\n\n');
  if (head !== '') blocks.add(head, { line: 1 });
  for (const entry of entries) {
    const text = await entryText(entry);
    if (text !== '') blocks.add(text, { line: lineOf(entry.at) });
  }
  return {
    text: blocks.text,
    title: title || undefined,
    metadata: { ...(description ? { description } : {}), entries: entries.length },
    marks: blocks.marks,
  };
}

/** The text of the first child of such a name that has any. */
const textOf = (element: XmlElement, name: RegExp): string =>
  elementsIn(element)
    .filter((child) => name.test(localName(child)))
    .map((child) => oneLine(allText(child)))
    .find(Boolean) ?? '';

async function entryText(entry: XmlElement): Promise<string> {
  const title = (await markdownOf(textOf(entry, /^title$/))) || '';
  const date = textOf(entry, /^(?:pubDate|published|updated|date|issued|modified)$/);
  const link = elementsIn(entry)
    .filter((child) => localName(child) === 'link' && /^(?:alternate)?$/.test(child.attributes['rel'] ?? ''))
    .map((child) => child.attributes['href'] ?? oneLine(allText(child)))
    .find(Boolean);
  const author = textOf(entry, /^(?:author|creator)$/);
  const topics = elementsIn(entry)
    .filter((child) => localName(child) === 'category')
    .map((child) => child.attributes['term'] ?? oneLine(allText(child)));
  const facts = [
    ['Date', date],
    ['Author', author],
    ['Link', link],
    ['Topics', topics.filter(Boolean).join(', ')],
  ].flatMap(([name, value]) => (value ? [`- ${name}: ${value}`] : []));
  const bodies = elementsIn(entry).filter((child) => /^(?:encoded|content|description|summary)$/.test(localName(child)));
  const texts = await Promise.all(bodies.map((body) => markdownOf(sourceOf(body))));
  const body = texts.toSorted((one, other) => other.length - one.length)[0] ?? '';
  return [...(title ? [heading(2, title)] : []), ...(facts.length > 0 ? [facts.join('\n')] : []), body].filter(Boolean).join('\n\n');
}

/** XHTML within a feed is elements, HTML is text. */
const sourceOf = (element: XmlElement): string =>
  element.content
    .map((child) =>
      typeof child === 'string'
        ? element.attributes['type'] === 'xhtml'
          ? child.replaceAll('<', '&lt;')
          : child
        : `<${localName(child)}${hrefOf(child)}>${sourceOf({ ...child, attributes: { type: 'xhtml' } })}</${localName(child)}>`,
    )
    .join('');

const hrefOf = ({ attributes: { href } }: XmlElement): string => (href === undefined ? '' : ` href="${href.replaceAll('"', '&quot;')}"`);

async function markdownOf(html: string): Promise<string> {
  if (!/[<&]/.test(html)) return escapeLine(oneLine(html));
  const { text } = await toMarkdown((await parseHtml(html)).body);
  return text.trim();
}
