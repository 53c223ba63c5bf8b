import { dirname, join } from 'node:path/posix';
import { decodeText, isZip, readBeginning } from '../../bytes.ts';
import { htmlFragmentParser } from '../../html/page.ts';
import { childElementsOf, childNamed, findElement, localName, textWithin, type XmlElement } from '../../xml.ts';
import { readPart, type Relations, relationsOf, targetsOf, valueOf } from '../xml.ts';
import { firstHeading } from '../../parsed-document.ts';
import type { ParsedFile, ParserRow } from '../../parser.ts';
import { type Archive, openArchive } from '../archive.ts';
import { type Block, escapeLines, marginBlocks, Notes, paragraph, writeBlocks } from '../blocks.ts';
import { readOfficeProperties } from '../properties.ts';
import { distinctLines, OFFICE_ELEMENTS, visibleParts } from '../visible.ts';
import { rtfParser } from '../rtf.ts';
import { includedIn } from '../shapes.ts';
import { type DocxContext, type DocxPart, DocxReader } from './body.ts';
import { Numbering } from './numbering.ts';
import { Styles } from './styles.ts';

/** Maximum bytes of a part: about 10,000 pages. */
const MAX_PART_SIZE = 64 * 2 ** 20;

/** A Word document: headings, lists with their numbers, tables, links, notes, comments, equations, charts and diagrams; headers and footers once. */
export const docxParser: ParserRow = {
  file_type: 'docx',
  name: 'a Word document (DOCX)',
  extensions: ['.docx', '.docm'],
  media_types: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  archive_folder: 'word/',
  largest_part: MAX_PART_SIZE,
  parse: (bytes, { source }) => readDocument(bytes, { source, depth: 0 }),
};

/** Parts whose text a reader of the document sees. */
const SHOWN = /^word\/(?:document|footnotes|endnotes|comments|diagrams\/data\d*)\.xml$/;
const MARGINS = /^word\/(?:header|footer)\d*\.xml$/;

/** Extracts all text of the parts: headers and footers once, without the numbers of pages and the table of contents, which repeats headings. */
async function visibleWords(archive: Archive, styles: Styles): Promise<string> {
  const styleOf = (line: XmlElement) => styles.get(valueOf(childNamed(childNamed(line, 'pPr'), 'pStyle')));
  const isContents = (element: XmlElement): boolean => localName(element) === 'p' && styleOf(element).isContents;
  const elements = { ...OFFICE_ELEMENTS, isHidden: (element: XmlElement) => OFFICE_ELEMENTS.isHidden(element) || isContents(element) };
  const textsOf = (parts: RegExp): Promise<string[]> =>
    visibleParts(
      archive,
      archive.names.filter((name) => parts.test(name)),
      elements,
    );
  const margins = distinctLines(await textsOf(MARGINS)).split('\n');
  return [...(await textsOf(SHOWN)), ...margins.filter((line) => /\p{L}/u.test(line))].join('\n');
}

interface ReadingOptions {
  source: string;
  /** Number of documents that take it in. */
  depth: number;
}

async function readDocument(bytes: Uint8Array, options: ReadingOptions): Promise<ParsedFile> {
  const archive = await openArchive(bytes, { source: options.source, largest_part: MAX_PART_SIZE });
  const [main = 'word/document.xml'] = targetsOf(await relationsOf(archive), 'officeDocument');
  const relations = await relationsOf(archive, main);
  const partNamed = async (name: string): Promise<DocxPart | undefined> => {
    const root = await readPart(archive, name);
    return root && { root, ...(await relatedTo(archive, name, options)) };
  };
  const partsOf = async (type: string): Promise<DocxPart[]> => {
    const parts = await Promise.all(targetsOf(relations, type).map(partNamed));
    return parts.filter((part) => part !== undefined);
  };
  /** A part that programs may write without a relation to it. */
  const rootOf = (type: string) => readPart(archive, targetsOf(relations, type)[0] ?? join(dirname(main), `${type}.xml`));
  const body = await partNamed(main);
  if (!body) throw new Error(`it has no ${main}`);
  const styles = new Styles(await rootOf('styles'));
  const notes = (await Promise.all(['footnotes', 'endnotes', 'comments'].map(partsOf))).flat();
  const context: DocxContext = {
    styles,
    numbering: new Numbering(await rootOf('numbering'), (style) => styles.get(style).list),
    notes: new Map(notes.flatMap(notesIn)),
    written: new Notes(),
    symbolOf: await loadSymbols(),
  };
  const text = writeBlocks(assemble(body, { headers: await partsOf('header'), footers: await partsOf('footer'), context }));
  const { title, metadata } = await readOfficeProperties(archive);
  return { text, title: title ?? firstHeading(text), metadata, visible: await visibleWords(archive, styles) };
}

/** Joins headers, text, footers, notes, and the comments to which the text does not refer. A header that sections repeat is written once. */
function assemble(
  body: DocxPart,
  { headers, footers, context }: { headers: DocxPart[]; footers: DocxPart[]; context: DocxContext },
): Block[] {
  const reader = new DocxReader(body, context);
  const main = reader.readAll();
  const written = new Set<string>();
  const [above = [], below = []] = [headers, footers].map((parts) => {
    const margins = parts.map((part) => ({ blocks: new DocxReader(part, context).readAll(), hasPageNumber: hasPageNumber(part) }));
    return marginBlocks(margins, written);
  });
  const comments = reader.comments([...context.notes.keys()].filter((key) => key.startsWith('comment ')));
  for (const key of context.notes.keys()) reader.takeNote(key);
  return [...above, ...main, ...below, ...comments, ...context.written.take()];
}

/** Whether a header or footer contains the number of the page: what has no letter is that number. */
const hasPageNumber = ({ root }: DocxPart): boolean =>
  /\bPAGE\b/i.test(`${findElement(root, 'fldSimple')?.attributes['w:instr'] ?? ''} ${textWithin(root, 'instrText')}`);

/** Lists the notes or comments of a part by kind and id, without the lines that separate notes from the text. */
const notesIn = ({ root, ...part }: DocxPart): [string, DocxPart][] =>
  childElementsOf(root)
    .filter(({ attributes }) => (attributes['w:type'] ?? 'normal') === 'normal')
    .map((note) => [`${localName(note)} ${note.attributes['w:id'] ?? ''}`, { root: note, ...part }]);

/** Reads what the relations of a part lead to. */
async function relatedTo(archive: Archive, name: string, options: ReadingOptions): Promise<Omit<DocxPart, 'root'>> {
  const relations: Relations = await relationsOf(archive, name);
  const included = await includedIn(archive, relations);
  for (const [id, { type, target }] of relations) {
    const bytes = type === 'aFChunk' ? await archive.content(target) : undefined;
    if (bytes) included.set(id, await readChunk(bytes, options));
  }
  return { relations, included };
}

/** Maximum depth of documents that a document takes in. */
const MAX_DEPTH = 3;

/** Reads a document of another format that is a part of the text (ECMA-376 part 1, 17.17.2.1). */
async function readChunk(bytes: Buffer, { source, depth }: ReadingOptions): Promise<Block[]> {
  const beginning = readBeginning(bytes);
  if (isZip(bytes)) return depth < MAX_DEPTH ? markdown((await readDocument(bytes, { source, depth: depth + 1 })).text) : [];
  if (rtfParser.signature!.test(beginning)) return markdown((await rtfParser.parse(bytes, { source })).text);
  const text = await decodeText(bytes);
  if (!/<[a-z!]/i.test(text)) return markdown(escapeLines(text));
  return markdown((await htmlFragmentParser.parse(Buffer.from(text), { source })).text);
}

const markdown = (text: string): Block[] => (text.trim() === '' ? [] : [paragraph(text)]);

/** Loads the characters of fonts of symbols such as Wingdings. Word adds 0xF000 to their codes. */
async function loadSymbols(): Promise<DocxContext['symbolOf']> {
  const { default: dingbats } = await import('dingbat-to-unicode');
  return (font, code) => dingbats.codePoint(font, code >= 0xf000 ? code - 0xf000 : code)?.string;
}
