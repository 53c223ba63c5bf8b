import { childrenOf, elementsOf, isMixed, nameOf, textOf, type XmlNode } from './nodes.ts';

/** Code in DocBook, DITA, JATS and TEI; its lines stay. */
const CODE = /^(screen|programlisting|literallayout|synopsis|code|codeblock|pre|preformat|eg)$/;
const TITLE = /^(title|head)$/;
const ITEM = /^(listitem|list-item|item|li|step)$/;
/** Paragraphs in the same. Other elements that come in turns may be records. */
const PARAGRAPH = /^(para|simpara|formalpara|p|paragraph|ab|blockquote)$/;
const DEEPEST_TITLE = 6;

/**
 * From which of its child elements on an element is a document and no record: paragraphs that come again after other elements, so that their order says
 * something. The number of children where it is none.
 */
export function flowFrom(children: readonly XmlNode[]): number {
  const names = children.map(nameOf);
  const runs = new Map<string, number>();
  for (const [i, name] of names.entries()) if (name !== names[i - 1]) runs.set(name, (runs.get(name) ?? 0) + 1);
  const first = names.findIndex((name) => runs.get(name)! > 1 && PARAGRAPH.test(localOf(name)));
  return first < 0 ? children.length : first;
}

/** A name without its prefix. */
const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

const isText = (element: XmlNode): boolean => isMixed(childrenOf(element)) || elementsOf(childrenOf(element)).length === 0;

/** Elements as Markdown, in their order: paragraphs, code, items, and titles as headings. */
export const flowOf = (elements: readonly XmlNode[], level = 1): string =>
  elements
    .map((element) => blockOf(element, level))
    .filter((block) => block !== '')
    .join('\n\n');

function blockOf(element: XmlNode, level: number): string {
  const [name, nodes] = [localOf(nameOf(element)), childrenOf(element)];
  const text = textOf(nodes);
  if (CODE.test(name)) return text.trim() === '' ? '' : `\`\`\`\n${text.replace(/^\s*\n|(?<!\s)\s+$/g, '')}\n\`\`\``;
  const inside = isText(element) ? text.trim().replace(/\s+/g, ' ') : flowOf(elementsOf(nodes), level + 1);
  if (inside === '') return '';
  if (TITLE.test(name) && isText(element)) return `${'#'.repeat(Math.min(DEEPEST_TITLE, level))} ${inside}`;
  return ITEM.test(name) ? `- ${inside.replace(/\n(?=[^\n])/g, '\n  ')}` : inside;
}
