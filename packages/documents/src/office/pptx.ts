import { oneLine } from '../markdown/write.ts';
import { firstHeading, MarkedBlocks } from '../parsed-document.ts';
import { allText, childElementsOf, childNamed, childrenNamed, findElement, localName, textWithin, type XmlElement } from '../xml.ts';
import { readPart, referenceOf, relationsOf, targetsOf } from './xml.ts';
import type { ParsedFile, ParserRow } from '../parser.ts';
import { distinctLines, OFFICE_ELEMENTS, visibleText } from './visible.ts';
import { type Archive, openArchive } from './archive.ts';
import { type Block, comment, writeBlocks } from './blocks.ts';
import { readOfficeProperties } from './properties.ts';
import { includedIn, placeholderOf, shapeBlocks, type ShapeContext } from './shapes.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** PowerPoint: each slide, also hidden ones, with its bullets, tables, charts, diagrams, notes and comments. The mark of a slide is its page. */
export const pptxParser: ParserRow = {
  file_type: 'pptx',
  name: 'a PowerPoint presentation (PPTX)',
  extensions: ['.pptx', '.pptm'],
  media_types: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  archive_folder: 'ppt/',
  async parse(bytes, { source }): Promise<ParsedFile> {
    const archive = await openArchive(bytes, { source });
    const slides = await slidesOf(archive);
    const deck: Deck = { archive, taken: new Set(), footers: new Set() };
    const blocks = new MarkedBlocks();
    for (const [index, slide] of slides.entries()) {
      const text = await slideText(deck, slide);
      if (text !== '') blocks.add(text, { page: index + 1 });
    }
    const { text, marks } = blocks;
    const { title, metadata } = await readOfficeProperties(archive);
    const visible = await visibleWords(archive);
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks, visible };
  },
};

/** Whether a shape is a placeholder that slides repeat, or that holds the number of the slide. */
const isRepeated = (shape: XmlElement): boolean => localName(shape) === 'sp' && /^(?:ftr|hdr|dt|sldNum)$/.test(placeholderOf(shape));
const UNIQUE = { ...OFFICE_ELEMENTS, isHidden: (element: XmlElement) => OFFICE_ELEMENTS.isHidden(element) || isRepeated(element) };

const repeatedIn = (element: XmlElement): XmlElement[] => (isRepeated(element) ? [element] : childElementsOf(element).flatMap(repeatedIn));

/** Extracts all text of the slides and what belongs to them; footers once. */
async function visibleWords(archive: Archive): Promise<string> {
  const slides = await slidesOf(archive);
  const parts = new Set(slides);
  for (const slide of slides) {
    const relations = await relationsOf(archive, slide);
    for (const type of ['notesSlide', 'comments', 'diagramData', 'chart'])
      for (const target of targetsOf(relations, type)) parts.add(target);
  }
  const texts: string[] = [];
  const footers: string[] = [];
  for (const part of parts) {
    const root = await readPart(archive, part);
    if (!root) continue;
    texts.push(visibleText(root, UNIQUE));
    for (const shape of repeatedIn(root)) if (placeholderOf(shape) !== 'sldNum') footers.push(visibleText(shape, OFFICE_ELEMENTS));
  }
  return [...texts, distinctLines(footers)].join('\n');
}

/** Lists the parts of the slides in the order of the presentation; if it names none, all slides by number. */
async function slidesOf(archive: Archive): Promise<string[]> {
  const presentation = await readPart(archive, PRESENTATION);
  const relations = await relationsOf(archive, PRESENTATION);
  const list = childrenNamed(findElement(presentation, 'sldIdLst'), 'sldId');
  const named = new Set(list.flatMap((entry) => relations.get(referenceOf(entry) ?? '')?.target ?? []));
  const listed = [...named.intersection(new Set(archive.names))];
  if (listed.length > 0) return listed;
  const number = (part: string): number => Number(/\d+/.exec(part)![0]);
  const slides = archive.names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).toSorted((a, b) => number(a) - number(b));
  if (!presentation && slides.length === 0) throw new Error('it has no slides');
  return slides;
}

/** What the slides of a presentation share. */
interface Deck {
  archive: Archive;
  /** Parts beside the slides: each belongs to the first slide that names it. */
  taken: Set<string>;
  /** Texts of footers and dates: a text that slides repeat is written once. */
  footers: Set<string>;
}

async function slideText(deck: Deck, part: string): Promise<string> {
  const { archive, taken } = deck;
  const relations = await relationsOf(archive, part);
  const untaken = (type: string): string[] => {
    const parts = targetsOf(relations, type).filter((target) => !taken.has(target));
    for (const target of parts) taken.add(target);
    return parts;
  };
  const included = await includedIn(archive, relations, { taken });
  const slide = shapesIn(findElement(await readPart(archive, part), 'spTree'), { relations, included }, deck);
  const notes = (await Promise.all(untaken('notesSlide').map((target) => notesIn(deck, target)))).flat();
  const spoken = notes.length > 0 ? [{ kind: 'quote' as const, text: `> Notes: ${notes.join('\n>\n> ')}` }] : [];
  const comments = (await Promise.all(untaken('comments').map((target) => slideComments(archive, target)))).flat();
  return writeBlocks([...slide, ...spoken, ...comments]);
}

/** Reads the shapes of a slide: its title first, wherever it is in the file. */
function shapesIn(tree: XmlElement | undefined, context: ShapeContext, { footers }: Deck): Block[] {
  const shapes = (tree ? childElementsOf(tree) : []).map((shape) => ({ kind: placeholderOf(shape), shape }));
  return shapes
    .toSorted((a, b) => Number(b.kind === 'title') - Number(a.kind === 'title'))
    .flatMap(({ kind, shape }) => {
      const blocks = shapeBlocks({ ...shape, content: [shape] }, context);
      if (kind === 'sldNum') return blocks.filter(({ text }) => !/^\d{1,4}$/.test(text));
      return /^(?:ftr|hdr|dt)$/.test(kind) ? blocks.filter(({ text }) => !footers.has(text) && footers.add(text)) : blocks;
    });
}

async function notesIn(deck: Deck, part: string): Promise<string[]> {
  const tree = findElement(await readPart(deck.archive, part), 'spTree');
  const context = { relations: await relationsOf(deck.archive, part), included: new Map() };
  const notes = shapesIn(tree, context, deck);
  return notes.length > 0 ? writeBlocks(notes).split(/\n+/) : [];
}

/** Names of comment authors: until 2021, and since. */
const AUTHORS = ['ppt/commentAuthors.xml', 'ppt/authors.xml'];

/** Reads the comments on a slide with their replies. */
async function slideComments(archive: Archive, part: string): Promise<Block[]> {
  const lists = await Promise.all(AUTHORS.map((name) => readPart(archive, name)));
  const authors = new Map(
    lists.flatMap((list) => (list ? childElementsOf(list) : [])).map(({ attributes: { id, name = '' } }) => [id, name]),
  );
  return childrenNamed(await readPart(archive, part), 'cm')
    .flatMap((element) => [element, ...childrenNamed(childNamed(element, 'replyLst'), 'reply')])
    .flatMap((element) => {
      const text = commentText(element);
      return text === '' ? [] : [comment(authors.get(element.attributes['authorId']), text)];
    });
}

function commentText(element: XmlElement): string {
  const text = childNamed(element, 'text');
  const lines = childrenNamed(childNamed(element, 'txBody'), 'p').map((line) => textWithin(line, 't'));
  return oneLine(text ? allText(text) : lines.join(' '));
}
