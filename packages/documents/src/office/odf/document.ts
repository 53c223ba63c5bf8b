import { oneLine } from '../../markdown/write.ts';
import { firstHeading, MarkedBlocks } from '../../parsed-document.ts';
import { childElementsOf, findElement, localName, type XmlElement } from '../../xml.ts';
import { readPart } from '../xml.ts';
import { encryptedFileError } from '../../errors.ts';
import type { ParsedFile, ParserRow } from '../../parser.ts';
import { type Archive, openArchive } from '../archive.ts';
import { type Block, marginBlocks, writeBlocks } from '../blocks.ts';
import { type OfficeProperties, readOfficeProperties } from '../properties.ts';
import { distinctLines, type VisibleElements, visibleText } from '../visible.ts';
import { OdfReader, type Styles } from './body.ts';
import { levelsOf } from './lists.ts';

/** Maximum bytes of a part: the text of about 10,000 pages. */
const MAX_PART_SIZE = 64 * 2 ** 20;

/** ODT: headings and lists with their numbers, tables, links, notes, comments and formulas; headers and footers once; without deleted text. */
export const odtParser: ParserRow = {
  file_type: 'odt',
  name: 'an OpenDocument text (ODT)',
  extensions: ['.odt', '.ott'],
  media_types: ['application/vnd.oasis.opendocument.text'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.text/,
  largest_part: MAX_PART_SIZE,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const { body, margins, reader, title, metadata, visible } = await openOdf(bytes, source);
    const main = reader.blocks(findElement(body, 'text') ?? body);
    const notes = reader.notes.take();
    const written = new Set<string>();
    const [above = [], below = []] = [margins.headers, margins.footers].map((elements) => readMargins(reader, elements, written));
    const text = writeBlocks([...above, ...main, ...below, ...notes]);
    return { text, title: title ?? firstHeading(text), metadata, visible };
  },
};

/** ODP: each slide with its notes; footers once. The mark of a slide is its page. */
export const odpParser: ParserRow = {
  file_type: 'odp',
  name: 'an OpenDocument presentation (ODP)',
  extensions: ['.odp', '.otp'],
  media_types: ['application/vnd.oasis.opendocument.presentation'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.presentation/,
  largest_part: MAX_PART_SIZE,
  async parse(bytes, { source }): Promise<ParsedFile> {
    const { body, reader, title, metadata, visible } = await openOdf(bytes, source);
    const presentation = childElementsOf(findElement(body, 'presentation') ?? body);
    const slides = presentation.filter(({ name }) => name === 'draw:page');
    const footers = presentation
      .filter(({ name }) => /^presentation:(?:header|footer)-decl$/.test(name))
      .map((footer) => ({ ...footer, content: [{ ...footer, name: 'text:p' }] }));
    const blocks = new MarkedBlocks();
    for (const [index, slide] of slides.entries()) {
      const below = index === 0 ? readMargins(reader, footers) : [];
      const text = writeBlocks([...slideBlocks(slide, reader), ...below]);
      if (text !== '') blocks.add(text, { page: index + 1 });
    }
    const { text, marks } = blocks;
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks, visible };
  },
};

/** Reads a slide, with its title first and its notes last. */
function slideBlocks(slide: XmlElement, reader: OdfReader): Block[] {
  const isTitle = (shape: XmlElement): boolean => shape.attributes['presentation:class'] === 'title';
  const shapes = childElementsOf(slide).toSorted((a, b) => Number(isTitle(b)) - Number(isTitle(a)));
  const shown = reader.blocks({ ...slide, content: shapes });
  const spoken = shapes
    .filter(({ name }) => name === 'presentation:notes')
    .map((notes) => oneLine(writeBlocks(reader.blocks(notes))))
    .filter(Boolean)
    .map((text): Block => ({ kind: 'quote', text: `> Notes: ${text}` }));
  return [...shown, ...reader.notes.take(), ...spoken];
}

/** Reads headers or footers; `written` holds the texts of others. */
const readMargins = (reader: OdfReader, elements: readonly XmlElement[], written = new Set<string>()): Block[] =>
  marginBlocks(
    elements.map((element) => ({ blocks: reader.blocks(element), hasPageNumber: findElement(element, 'page-number') !== undefined })),
    written,
  );

interface OpenDocument extends OfficeProperties {
  body: XmlElement;
  margins: { headers: XmlElement[]; footers: XmlElement[] };
  reader: OdfReader;
  visible: string;
}

async function openOdf(bytes: Uint8Array, source: string): Promise<OpenDocument> {
  const archive = await openArchive(bytes, { source, largest_part: MAX_PART_SIZE });
  if ((await archive.text('META-INF/manifest.xml'))?.includes('encryption-data')) throw encryptedFileError(source);
  const root = await readPart(archive, 'content.xml');
  if (!root) throw new Error('it has no content.xml');
  const extra = await readPart(archive, 'styles.xml');
  const masters = extra ? elementsNamed(extra, 'style:master-page').flatMap(childElementsOf) : [];
  const margins = {
    headers: masters.filter(({ name }) => name.startsWith('style:header')),
    footers: masters.filter(({ name }) => name.startsWith('style:footer')),
  };
  const reader = new OdfReader(stylesOf(extra ? [root, extra] : [root]), await objectsIn(archive));
  const visible = visibleWords(root, [...margins.headers, ...margins.footers]);
  return { body: findElement(root, 'body') ?? root, margins, reader, visible, ...(await readOfficeProperties(archive)) };
}

/** Reads the objects in a file by the names of their folders. */
async function objectsIn(archive: Archive): Promise<Map<string, XmlElement>> {
  const objects = new Map<string, XmlElement>();
  for (const part of archive.names) {
    const folder = /^(Object [^/]+)\/content\.xml$/.exec(part)?.[1];
    const root = folder === undefined ? undefined : await readPart(archive, part);
    if (folder !== undefined && root) objects.set(folder, root);
  }
  return objects;
}

const elementsNamed = (element: XmlElement, name: string): XmlElement[] => [
  ...(element.name === name ? [element] : []),
  ...childElementsOf(element).flatMap((child) => elementsNamed(child, name)),
];

function stylesOf(roots: readonly XmlElement[]): Styles {
  const named = (name: string): XmlElement[] => roots.flatMap((root) => elementsNamed(root, name));
  const [outline] = named('text:outline-style');
  return {
    lists: new Map(named('text:list-style').map((style) => [style.attributes['style:name'] ?? '', levelsOf(style)])),
    outline: outline ? levelsOf(outline) : new Map(),
    code: codeStyles(named('style:style')),
  };
}

/** Names of code styles in LibreOffice and pandoc. */
const CODE = ['Preformatted_20_Text', 'Source_20_Code', 'Source_20_Text'];

/** Finds the styles of code, and those derived from them. */
function codeStyles(styles: readonly XmlElement[]): Set<string> {
  const names = new Set(CODE);
  // derived styles may precede their parents
  for (let count = 0; count < names.size;) {
    count = names.size;
    for (const { attributes } of styles)
      if (names.has(attributes['style:parent-style-name'] ?? '')) names.add(attributes['style:name'] ?? '');
  }
  return names;
}

/** Elements of OpenDocument that hold no text of the document, and those within words. */
const VISIBLE: VisibleElements = {
  isText: () => true,
  isHidden: (element) =>
    /^(?:tracked-changes|table-of-content|(?:illustration|table|object|user|alphabetical)-index|[\w-]+-source|forms|note-citation|page-number|title|desc|creator|date|creator-initials|automatic-styles|font-face-decls|scripts|settings|event-listeners|binary-data|date-time-decl)$/.test(
      localName(element),
    ),
  isBreak: (name) => !/^(?:span|a|bookmark(?:-start|-end)?|soft-page-break|ruby|ruby-base|meta)$/.test(name),
};

/** Extracts all text of the content, and of headers and footers once. */
function visibleWords(root: XmlElement, margins: readonly XmlElement[]): string {
  const lines = distinctLines(margins.map((margin) => visibleText(margin, VISIBLE))).split('\n');
  return [visibleText(root, VISIBLE), ...lines.filter((line) => /\p{L}/u.test(line))].join('\n');
}
