import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, oneLine } from '../../../text/markdown/write.ts';
import { firstHeading, MarkedBlocks } from '../parsed-document.ts';
import { allText, childElementsOf, type XmlElement } from '../ordered-xml.ts';
import type { ParserRow } from '../parser-row.ts';
import { type Archive, openArchive } from './archive.ts';
import { readOfficeProperties } from './office-properties.ts';
import { childNamed, childrenNamed, firstNamed, readPart, referenceOf, relationsOf, targetsOf, textWithin } from './office-xml.ts';
import { chartBlocks, diagramItems, notesIn, type ShapeBlock, slideBlocks } from './pptx-shapes.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** PowerPoint: each slide, also hidden ones, with its bullets, tables, charts, diagrams, notes and comments. The mark of a slide is its page. */
export const pptxParser: ParserRow = {
  file_type: 'pptx',
  name: 'a PowerPoint presentation (PPTX)',
  extensions: ['.pptx', '.pptm'],
  media_types: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  archive_folder: 'ppt/',
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const archive = await openArchive(bytes, { source });
    const slides = await slidesOf(archive);
    const read = new Set<string>();
    const blocks = new MarkedBlocks();
    for (const [index, slide] of slides.entries()) {
      const text = await slideText(archive, slide, read);
      if (text !== '') blocks.add(text, { page: index + 1 });
    }
    const { text, marks } = blocks;
    const { title, metadata } = await readOfficeProperties(archive);
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks };
  },
};

/** Lists the parts of the slides in the order of the presentation; if it names none, all slides by number. */
async function slidesOf(archive: Archive): Promise<string[]> {
  const presentation = await readPart(archive, PRESENTATION);
  const relations = await relationsOf(archive, PRESENTATION);
  const list = childrenNamed(firstNamed(presentation, 'sldIdLst'), 'sldId');
  const named = new Set(list.flatMap((entry) => relations.get(referenceOf(entry) ?? '')?.target ?? []));
  const listed = [...named.intersection(new Set(archive.names))];
  if (listed.length > 0) return listed;
  const number = (part: string): number => Number(/\d+/.exec(part)![0]);
  const slides = archive.names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).toSorted((a, b) => number(a) - number(b));
  if (!presentation && slides.length === 0) throw new Error('it has no slides');
  return slides;
}

/** Reads a slide. `read` collects the parts beside the slides: each belongs to the first slide that names it. */
async function slideText(archive: Archive, part: string, read: Set<string>): Promise<string> {
  const tree = firstNamed(await readPart(archive, part), 'spTree');
  const relations = await relationsOf(archive, part);
  const unread = (type: string): string[] => {
    const parts = targetsOf(relations, type).filter((target) => !read.has(target));
    for (const target of parts) read.add(target);
    return parts;
  };
  const blocks = new Map<string, ShapeBlock[]>();
  const readers = { diagramData: diagramItems, chart: chartBlocks };
  for (const [type, blocksOf] of Object.entries(readers))
    for (const target of unread(type)) {
      const data = await readPart(archive, target);
      if (data) blocks.set(target, await blocksOf(data));
    }
  const takeBlocks = (target: string): ShapeBlock[] => {
    const found = blocks.get(target) ?? [];
    blocks.delete(target);
    return found;
  };
  const shapes = tree ? joinBlocks(slideBlocks(tree, { relations, takeBlocks })) : '';
  const notes = await notesText(archive, unread('notesSlide'));
  const comments = (await Promise.all(unread('comments').map((target) => slideComments(archive, target)))).flat();
  return [shapes, notes, ...comments].filter(Boolean).join('\n\n');
}

async function notesText(archive: Archive, parts: readonly string[]): Promise<string> {
  const notes: string[] = [];
  for (const part of parts) {
    const tree = firstNamed(await readPart(archive, part), 'spTree');
    if (tree) notes.push(...notesIn(tree, await relationsOf(archive, part)));
  }
  const lines = notes.filter((text) => !/^\d{0,4}$/.test(text)); // the number of the slide is there too
  return lines.length > 0 ? `> Notes: ${lines.map(escapeLine).join('\n>\n> ')}` : '';
}

/** Names of comment authors: until 2021, and since. */
const AUTHORS = ['ppt/commentAuthors.xml', 'ppt/authors.xml'];

/** Reads the comments on a slide with their replies, as quotations in Markdown. */
async function slideComments(archive: Archive, part: string): Promise<string[]> {
  const lists = await Promise.all(AUTHORS.map((name) => readPart(archive, name)));
  const authors = new Map(
    lists.flatMap((list) => (list ? childElementsOf(list) : [])).map(({ attributes: { id, name = '' } }) => [id, name]),
  );
  return childrenNamed(await readPart(archive, part), 'cm')
    .flatMap((comment) => [comment, ...childrenNamed(childNamed(comment, 'replyLst'), 'reply')])
    .flatMap((comment) => {
      const text = commentText(comment);
      const author = authors.get(comment.attributes['authorId']);
      return text === '' ? [] : [`> Comment${author ? ` (${oneLine(author)})` : ''}: ${text}`];
    });
}

function commentText(comment: XmlElement): string {
  const text = childNamed(comment, 'text');
  const lines = childrenNamed(childNamed(comment, 'txBody'), 'p').map((line) => textWithin(line, 't'));
  return oneLine(text ? allText(text) : lines.join(' '));
}

const joinBlocks = (blocks: readonly ShapeBlock[]): string =>
  blocks.reduce((text, block, i) => `${text}${i === 0 ? '' : block.isItem && blocks[i - 1]!.isItem ? '\n' : '\n\n'}${block.text}`, '');
