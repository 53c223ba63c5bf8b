import { KbError } from '../../core/errors.ts';
import { elementsIn, localName, readXml, wordsIn, type XmlElement } from './ordered-xml.ts';
import { GIVEN_TYPES, type ParsedDocument } from '../../ports/reading.ts';
import type { ParserRow } from './parser-row.ts';

/** Text between the elements: it is prose, which its markup must not cut up. */
const isMixed = ({ content }: XmlElement): boolean => content.some((child) => typeof child === 'string' && child.trim() !== '');

/** Code in DocBook, DITA, JATS and TEI; its lines stay. */
const CODE = /^(screen|programlisting|literallayout|synopsis|code|codeblock|pre|preformat|eg)$/;
const TITLE = /^(title|head)$/;
const ITEM = /^(listitem|list-item|item|li|step)$/;
/** Paragraphs in the same. Other elements that come in turns may be records. */
const PARAGRAPH = /^(para|simpara|formalpara|p|paragraph|ab|blockquote)$/;
const DEEPEST_TITLE = 6;

/** The index of the first child element from which an element is a document and no record: paragraphs that come again after other elements. The number of children if none. */
function flowFrom(children: readonly XmlElement[]): number {
  const names = children.map(({ name }) => name);
  const runs = new Map<string, number>();
  for (const [i, name] of names.entries()) if (name !== names[i - 1]) runs.set(name, (runs.get(name) ?? 0) + 1);
  const first = names.findIndex((name) => runs.get(name)! > 1 && PARAGRAPH.test(localName({ name })));
  return first < 0 ? children.length : first;
}

const isText = (element: XmlElement): boolean => isMixed(element) || elementsIn(element).length === 0;

/** Elements as Markdown, in their order: paragraphs, code, items, and titles as headings. */
const flowOf = (elements: readonly XmlElement[], level = 1): string =>
  elements
    .map((element) => blockOf(element, level))
    .filter((block) => block !== '')
    .join('\n\n');

function blockOf(element: XmlElement, level: number): string {
  const [name, text] = [localName(element), wordsIn(element)];
  if (CODE.test(name)) return text.trim() === '' ? '' : `\`\`\`\n${text.replace(/^\s*\n|(?<!\s)\s+$/g, '')}\n\`\`\``;
  const inside = isText(element) ? text.trim().replace(/\s+/g, ' ') : flowOf(elementsIn(element), level + 1);
  if (inside === '') return '';
  if (TITLE.test(name) && isText(element)) return `${'#'.repeat(Math.min(DEEPEST_TITLE, level))} ${inside}`;
  return ITEM.test(name) ? `- ${inside.replace(/\n(?=[^\n])/g, '\n  ')}` : inside;
}

/** Characters, at most: what is made of them takes many times as much. */
const MAX_LENGTH = 32 * 2 ** 20;
/** Objects, lists and texts in the value, at most: who takes it goes through all of them without a pause. */
const MOST_VALUES = 1_000_000;

/**
 * XML in UTF-8 that an API answered with, as the structure that JSON would have: an element is an object of its attributes and child elements, several of a
 * name are a list; one with neither is its text; of one that is written to be read from above to below (DocBook, JATS, DITA), that part is one text. The
 * value is the content of the root. No file has this kind. Throws a KbError: `invalid` with the line for what is no XML (entities that a document defines by
 * others or from elsewhere are not expanded), `too_large`.
 */
export const xmlParser: ParserRow = {
  file_type: GIVEN_TYPES.value,
  name: 'XML',
  extensions: [],
  is_text: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const text = new TextDecoder().decode(bytes);
    if (text.length > MAX_LENGTH) throw tooLarge(source, `${MAX_LENGTH} characters`);
    const value = await valueOf(text, source);
    if (valuesIn(value) > MOST_VALUES) throw tooLarge(source, `${MOST_VALUES} fields and values`);
    return { text: '', metadata: {}, value };
  },
};

async function valueOf(text: string, source: string): Promise<unknown> {
  const root = await readXml(text).catch((cause: Error) => {
    throw unreadable(source, cause.message, cause);
  });
  return elementValue(root);
}

/** How many values a value is made of, itself included. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1) : 1;

const tooLarge = (source: string, most: string): KbError =>
  new KbError('too_large', `${source} answered with XML of more than ${most}.`, { hint: 'Ask for less at once.' });

const unreadable = (source: string, reason: string, cause?: unknown): KbError =>
  new KbError('invalid', `${source} answered with XML that cannot be read: ${reason.slice(0, 200).replace(/\.$/, '')}.`, {
    hint: 'Check its response, for example with curl.',
    cause,
  });

function elementValue(element: XmlElement): unknown {
  const attributes = Object.entries(element.attributes).filter(([name]) => !/^xmlns(:|$)/.test(name));
  const children = isMixed(element) ? [] : elementsIn(element);
  if (attributes.length === 0 && children.length === 0) return wordsIn(element).trim();
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown) => void (fields.get(name)?.push(value) ?? fields.set(name, [value]));
  for (const [name, value] of attributes) add(name, value);
  const flow = flowFrom(children);
  for (const child of children.slice(0, flow)) add(child.name, elementValue(child));
  if (children.length === 0) add('text', wordsIn(element).trim());
  else if (flow < children.length) add('text', flowOf(children.slice(flow)));
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
