import { escapeLine, heading, oneLine, tableLines } from '../../../text/markdown/write.ts';
import { childElementsOf, localName, type XmlElement } from '../ordered-xml.ts';
import { pictureText } from '../parsed-document.ts';
import { readChart } from './chart.ts';
import { childNamed, childrenNamed, firstNamed, referenceOf, type Relations, textWithin } from './office-xml.ts';

/** A block of a slide as Markdown. Consecutive items are one list. */
export interface ShapeBlock {
  isItem: boolean;
  text: string;
}

/** Data beside the slide itself. */
interface SlideContext {
  relations: Relations;
  /** Takes the blocks of a diagram (SmartArt) or a chart, which is a part of its own. */
  takeBlocks(part: string): ShapeBlock[];
}

const plainBlock = (text: string): ShapeBlock => ({ isItem: false, text });

/** Reads a slide, shape by shape in the order of the file, which screen readers use too. */
export const slideBlocks = (tree: XmlElement, context: SlideContext): ShapeBlock[] =>
  childElementsOf(tree)
    .flatMap((shape) => shapeBlocks(shape, context))
    .filter(({ text }) => text !== '');

function shapeBlocks(shape: XmlElement, context: SlideContext): ShapeBlock[] {
  switch (localName(shape)) {
    case 'sp':
      return textBlocks(shape, context.relations);
    case 'pic':
      return pictureBlocks(shape);
    case 'graphicFrame':
      return frameBlocks(shape, context);
    case 'grpSp':
      return slideBlocks(shape, context);
    case 'AlternateContent':
      return firstAlternative(shape, (branch) => slideBlocks(branch, context));
    default:
      return [];
  }
}

/** Reads the first branch with content; the branches are for readers of different versions. */
const firstAlternative = <Item>(element: XmlElement, read: (branch: XmlElement) => Item[]): Item[] =>
  childElementsOf(element)
    .values()
    .map(read)
    .find((items) => items.length > 0) ?? [];

/** Writes the alternative text of a picture as Markdown. */
function pictureBlocks(picture: XmlElement): ShapeBlock[] {
  const text = pictureText(firstNamed(picture, 'cNvPr')?.attributes['descr']);
  return text === '' ? [] : [plainBlock(`![${text}]()`)];
}

function frameBlocks(frame: XmlElement, { relations, takeBlocks }: SlideContext): ShapeBlock[] {
  const reference = referenceOf(firstNamed(frame, 'relIds'), 'dm') ?? referenceOf(firstNamed(frame, 'chart'));
  const part = relations.get(reference ?? '')?.target;
  if (part !== undefined) return takeBlocks(part);
  const table = firstNamed(frame, 'tbl');
  if (!table) return [];
  const rows = childrenNamed(table, 'tr').map((row) => childrenNamed(row, 'tc').map((cell) => paragraphsOf(cell, relations).join(' ')));
  return [plainBlock(tableLines(rows).join('\n'))];
}

/** Lists the texts of the paragraphs of a shape or a cell. */
const paragraphsOf = (holder: XmlElement, relations: Relations): string[] =>
  childrenNamed(childNamed(holder, 'txBody'), 'p').map((paragraph) => textOf(paragraph, relations));

/** Lists the texts of all shapes of a notes page. */
export const notesIn = (tree: XmlElement, relations: Relations): string[] =>
  childElementsOf(tree)
    .flatMap((shape) => (localName(shape) === 'grpSp' ? notesIn(shape, relations) : paragraphsOf(shape, relations)))
    .filter((text) => text !== '');

function textBlocks(shape: XmlElement, relations: Relations): ShapeBlock[] {
  const placeholder = firstNamed(childElementsOf(shape)[0], 'ph')?.attributes['type'];
  const isTitle = placeholder === 'title' || placeholder === 'ctrTitle';
  const nextBullet = createBullets();
  return childrenNamed(childNamed(shape, 'txBody'), 'p').map((paragraph) => {
    const text = textOf(paragraph, relations);
    if (text === '') return plainBlock('');
    if (isTitle) return plainBlock(heading(2, text));
    const bullet = nextBullet(paragraph);
    return bullet === undefined ? plainBlock(escapeLine(text)) : { isItem: true, text: `${bullet} ${text}` };
  });
}

/** Creates a function that returns the indented bullet or number of each paragraph in turn; undefined for one that is not an item. */
function createBullets(): (paragraph: XmlElement) => string | undefined {
  let numbers: number[] = [];
  return (paragraph) => {
    const properties = childNamed(paragraph, 'pPr');
    const number = childNamed(properties, 'buAutoNum');
    if (!number && !childNamed(properties, 'buChar') && !childNamed(properties, 'buBlip')) {
      numbers = [];
      return undefined;
    }
    const level = Math.min(8, Math.max(0, Math.trunc(Number(properties?.attributes['lvl'])) || 0));
    numbers = numbers.slice(0, number ? level + 1 : level);
    if (number) numbers[level] = (numbers[level] ?? (Number(number.attributes['startAt']) || 1) - 1) + 1;
    return `${'  '.repeat(level)}${number ? `${numbers[level]}.` : '-'}`;
  };
}

/** Reads a paragraph as one line, with links as Markdown and equations as their letters. */
const textOf = (paragraph: XmlElement, relations: Relations): string =>
  oneLine(
    childElementsOf(paragraph)
      .flatMap((child) => runTexts(child, relations))
      .join(''),
  );

function runTexts(run: XmlElement, relations: Relations): string[] {
  switch (localName(run)) {
    case 'r':
    case 'fld':
      return [linkedText(run, relations)];
    case 'br':
      return ['\n'];
    case 'm':
    case 'oMath':
    case 'oMathPara':
      return [textWithin(run, 't')].filter(Boolean);
    case 'AlternateContent':
      return firstAlternative(run, (branch) => childElementsOf(branch).flatMap((child) => runTexts(child, relations)));
    default:
      return [];
  }
}

function linkedText(run: XmlElement, relations: Relations): string {
  const text = textWithin(run, 't');
  const relation = relations.get(referenceOf(childNamed(childNamed(run, 'rPr'), 'hlinkClick')) ?? '');
  return relation?.type === 'hyperlink' && text.trim() !== '' ? `[${text}](${relation.target})` : text;
}

/** Writes a chart as its title and a table of its values. */
export async function chartBlocks(part: XmlElement): Promise<ShapeBlock[]> {
  const { title, rows } = await readChart(part);
  return [title === '' ? '' : `**${escapeLine(title)}**`, tableLines(rows).join('\n')].filter(Boolean).map(plainBlock);
}

/** Maximum indentation of items; deeper ones stand under the last that is indented. */
const MAX_INDENTED = 8;

/** Writes the points of a diagram (SmartArt, ECMA-376 part 1, 21.4) as a list, nested by its connections. */
export function diagramItems(data: XmlElement): ShapeBlock[] {
  const points = new Map(childrenNamed(childNamed(data, 'ptLst'), 'pt').map((point) => [point.attributes['modelId'] ?? '', point]));
  const below = Map.groupBy(connectionsOf(data), ({ from }) => from);
  const items: ShapeBlock[] = [];
  const visit = (root: string, depth: number): void => {
    const pending = [{ id: root, depth }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const point = points.get(next.id);
      if (!point) continue;
      points.delete(next.id);
      items.push(...pointItems(point, Math.max(0, next.depth)));
      const inner = (below.get(next.id) ?? []).toSorted((a, b) => b.order - a.order); // the last is taken first
      for (const { to } of inner) pending.push({ id: to, depth: next.depth + 1 });
    }
  };
  for (const [id, point] of points) if (point.attributes['type'] === 'doc') visit(id, -1);
  for (const id of points.keys()) visit(id, 0);
  return items;
}

const connectionsOf = (data: XmlElement) =>
  childrenNamed(childNamed(data, 'cxnLst'), 'cxn')
    .filter(({ attributes: { type = 'parOf' } }) => type === 'parOf')
    .map(({ attributes: { srcId = '', destId = '', srcOrd } }) => ({ from: srcId, to: destId, order: Number(srcOrd) || 0 }));

/** Writes the text of a point; connectors and layout points have none. */
function pointItems(point: XmlElement, depth: number): ShapeBlock[] {
  const { type = 'node' } = point.attributes;
  if (type !== 'node' && type !== 'asst') return [];
  const indent = '  '.repeat(Math.min(MAX_INDENTED, depth));
  return childrenNamed(childNamed(point, 't'), 'p')
    .map((paragraph) => oneLine(textWithin(paragraph, 't')))
    .filter(Boolean)
    .map((text) => ({ isItem: true, text: `${indent}- ${text}` }));
}
