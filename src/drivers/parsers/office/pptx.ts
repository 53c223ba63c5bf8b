import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { MarkedBlocks, firstHeading } from '../parsed-document.ts';
import { type Archive, openArchive } from './archive.ts';
import { escapeLine } from '../../../text/markdown/write.ts';
import { readOfficeProperties } from './office-properties.ts';
import { chartBlocks, diagramItems, type ShapeBlock, slideBlocks, spokenIn } from './pptx-shapes.ts';
import { childrenNamed, firstNamed, readPart, referenceOf, type Relation, relationsOf, targetsOf } from './office-xml.ts';
import { slideComments } from './pptx-comments.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** A presentation: each slide, hidden ones too, under its title, with its bullets, tables, charts, diagrams, texts of pictures, speaker notes and comments; the mark of a slide is its page. */
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
      const shown = await slideText(archive, slide, read);
      if (shown !== '') blocks.add(shown, { page: index + 1 });
    }
    const { text, marks } = blocks;
    const { title, metadata } = await readOfficeProperties(archive);
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks };
  },
};

/** The parts of the slides in the order of the presentation; where it names none, all that there are, in the order of their numbers. */
async function slidesOf(archive: Archive): Promise<string[]> {
  const presentation = await readPart(archive, PRESENTATION);
  const relations = await relationsOf(archive, PRESENTATION);
  const list = presentation && firstNamed(presentation, 'sldIdLst');
  const known = new Set(archive.names);
  const named = (list ? childrenNamed(list, 'sldId') : []).flatMap((entry) => relations.get(referenceOf(entry) ?? '')?.target ?? []);
  const listed = [...new Set(named)].filter((part) => known.has(part));
  if (listed.length > 0) return listed;
  const number = (part: string): number => Number(/\d+/.exec(part)![0]);
  const slides = archive.names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).toSorted((a, b) => number(a) - number(b));
  if (!presentation && slides.length === 0) throw new Error('it has no slides');
  return slides;
}

/** The text of a slide. `read` are the parts beside the slides that were read: each belongs to the first slide that names it. */
async function slideText(archive: Archive, part: string, read: Set<string>): Promise<string> {
  const slide = await readPart(archive, part);
  const tree = slide && firstNamed(slide, 'spTree');
  const relations = await relationsOf(archive, part);
  const blocks = new Map<string, ShapeBlock[]>();
  for (const [type, blocksOf] of [
    ['diagramData', diagramItems],
    ['chart', chartBlocks],
  ] as const)
    for (const target of unread(relations, type, read)) {
      const data = await readPart(archive, target);
      if (data) blocks.set(target, await blocksOf(data));
    }
  const drawn = (target: string): ShapeBlock[] => {
    const found = blocks.get(target) ?? [];
    blocks.delete(target);
    return found;
  };
  const shown = tree ? joined(slideBlocks(tree, { relations, drawn })) : '';
  return [shown, await notesOf(archive, relations, read), await commentsOf(archive, relations, read)].filter(Boolean).join('\n\n');
}

async function notesOf(archive: Archive, relations: ReadonlyMap<string, Relation>, read: Set<string>): Promise<string> {
  const spoken: string[] = [];
  for (const part of unread(relations, 'notesSlide', read)) {
    const notes = await readPart(archive, part);
    const tree = notes && firstNamed(notes, 'spTree');
    if (tree) spoken.push(...spokenIn(tree, await relationsOf(archive, part)));
  }
  const lines = spoken.filter((text) => !/^\d{0,4}$/.test(text)); // the number of the slide stands there too
  return lines.length > 0 ? `> Notes: ${lines.map(escapeLine).join('\n>\n> ')}` : '';
}

async function commentsOf(archive: Archive, relations: ReadonlyMap<string, Relation>, read: Set<string>): Promise<string> {
  const parts = unread(relations, 'comments', read);
  return (await Promise.all(parts.map((part) => slideComments(archive, part)))).flat().join('\n\n');
}

/** The parts of a type that no slide has named before. */
function unread(relations: ReadonlyMap<string, Relation>, type: string, read: Set<string>): string[] {
  const parts = targetsOf(relations, type).filter((part) => !read.has(part));
  for (const part of parts) read.add(part);
  return parts;
}

const joined = (blocks: readonly ShapeBlock[]): string =>
  blocks.reduce((text, block, i) => `${text}${i === 0 ? '' : block.isItem && blocks[i - 1]!.isItem ? '\n' : '\n\n'}${block.text}`, '');
