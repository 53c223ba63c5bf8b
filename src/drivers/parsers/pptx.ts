import type { ParsedDocument, Parser } from '../../ports/reading.ts';
import type { Mark } from '../../schema/items.ts';
import { escapeLine, heading, oneLine, tableLines } from './markdown-text.ts';
import { readOfficeProperties } from './office-properties.ts';
import { firstHeading } from './title.ts';

/** As much of officeparser's tree as is read here. */
interface Node {
  type: string;
  text?: string;
  children?: Node[];
  notes?: Node[];
  metadata?: { slideNumber?: number; listType?: string; indentation?: number; itemIndex?: number; link?: string; linkType?: string };
}

/** A presentation: each slide under its title, with its bullets, tables and speaker notes; the mark of a slide is its page. */
export const pptxParser: Parser = {
  file_type: 'pptx',
  extensions: ['.pptx', '.pptm'],
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { OfficeParser } = await import('officeparser');
    const tree = await OfficeParser.parseOffice(Buffer.from(bytes), { fileType: 'pptx', ignoreComments: true, ignoreSlideMasters: true });
    const slides = (tree.content as Node[]).filter(({ type }) => type === 'slide');
    const marks: Mark[] = [];
    let text = '';
    for (const [index, slide] of slides.entries()) {
      const shown = slideText(slide);
      if (shown === '') continue;
      if (text !== '') text += '\n\n';
      marks.push({ at: text.length, page: slide.metadata?.slideNumber ?? index + 1 });
      text += shown;
    }
    const { title, metadata } = await readOfficeProperties(bytes, { source });
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks };
  },
};

function slideText({ children = [], notes = [] }: Node): string {
  const blocks = children.map((node) => ({ isItem: node.type === 'list', text: blockText(node) })).filter(({ text }) => text !== '');
  const joined = blocks.reduce(
    (text, block, i) => `${text}${i === 0 ? '' : block.isItem && blocks[i - 1]!.isItem ? '\n' : '\n\n'}${block.text}`,
    '',
  );
  const spoken = notes.flatMap(paragraphsOf).filter((text) => !/^\d{0,4}$/.test(text)); // the number of the slide stands there too
  const quoted = spoken.length > 0 ? `> Notes: ${spoken.map(escapeLine).join('\n>\n> ')}` : '';
  return [joined, quoted].filter(Boolean).join('\n\n');
}

function blockText(node: Node): string {
  const text = inlineText(node);
  switch (node.type) {
    case 'heading':
      return text === '' ? '' : heading(2, text);
    case 'list':
      return text === '' ? '' : `${'  '.repeat(node.metadata?.indentation ?? 0)}${bullet(node)} ${text}`;
    case 'table':
      return tableLines((node.children ?? []).map((row) => (row.children ?? []).map((cell) => paragraphsOf(cell).join(' ')))).join('\n');
    case 'paragraph':
    case 'code':
      return escapeLine(text);
    case 'image':
    case 'drawing':
      return node.children ? node.children.map(blockText).filter(Boolean).join('\n\n') : '';
    default:
      return node.children ? node.children.map(blockText).filter(Boolean).join('\n\n') : escapeLine(text);
  }
}

const bullet = ({ metadata }: Node): string => (metadata?.listType === 'ordered' ? `${(metadata.itemIndex ?? 0) + 1}.` : '-');

/** The words of a paragraph, links as Markdown. */
function inlineText({ text = '', children, metadata }: Node): string {
  if (children && children.length > 0)
    return oneLine(children.map((child) => (child.type === 'text' ? linked(child) : inlineText(child))).join(''));
  return oneLine(metadata?.link ? linked({ type: 'text', text, metadata }) : text);
}

function linked({ text = '', metadata }: Node): string {
  return metadata?.link && metadata.linkType === 'external' && text.trim() !== '' ? `[${text}](${metadata.link})` : text;
}

/** The paragraphs anywhere below a node. */
const paragraphsOf = (node: Node): string[] =>
  node.type === 'paragraph' || node.type === 'list' || !node.children?.length
    ? [inlineText(node)].filter(Boolean)
    : node.children.flatMap(paragraphsOf);
