import { escapeLine, heading, oneLine, tableLines } from '../../../text/markdown/write.ts';
import { pictureText } from '../parsed-document.ts';
import { readChart } from './chart.ts';
import { childNamed, childrenNamed, type Element, firstNamed, referenceOf, type Relation, textWithin } from './office-xml.ts';

/** A piece of a slide, as Markdown. Items of lists that follow each other are one list. */
export interface ShapeBlock {
  isItem: boolean;
  text: string;
}

/** What is read beside the slide itself. */
interface SlideContext {
  relations: ReadonlyMap<string, Relation>;
  /** The blocks of a diagram (SmartArt) or a chart, which has a part of its own. */
  drawn(part: string): ShapeBlock[];
}

/** What a slide shows, shape by shape in the order of the file, which is the one that a screen reader has too. */
export function slideBlocks(tree: Element, surroundings: SlideContext): ShapeBlock[] {
  return tree.children.flatMap((shape) => shapeBlocks(shape, surroundings)).filter(({ text }) => text !== '');
}

function shapeBlocks(shape: Element, surroundings: SlideContext): ShapeBlock[] {
  switch (shape.name) {
    case 'sp':
      return textBlocks(shape, surroundings.relations);
    case 'pic':
      return pictureBlocks(shape);
    case 'graphicFrame':
      return frameBlocks(shape, surroundings);
    case 'grpSp':
      return slideBlocks(shape, surroundings);
    case 'AlternateContent':
      return alternative(shape, (branch) => slideBlocks(branch, surroundings));
    default:
      return [];
  }
}

/** Of what is drawn in several ways for readers of several ages, the first that says something. */
function alternative<Item>(element: Element, read: (branch: Element) => Item[]): Item[] {
  for (const branch of element.children) {
    const items = read(branch);
    if (items.length > 0) return items;
  }
  return [];
}

/** The alternative text of a picture, as Markdown writes one. */
function pictureBlocks(picture: Element): ShapeBlock[] {
  const text = pictureText(firstNamed(picture, 'cNvPr')?.attributes['descr']);
  return text === '' ? [] : [{ isItem: false, text: `![${text}]()` }];
}

function frameBlocks(frame: Element, { relations, drawn }: SlideContext): ShapeBlock[] {
  const data = firstNamed(frame, 'relIds');
  const chart = firstNamed(frame, 'chart');
  const part = relations.get((data && referenceOf(data, 'dm')) ?? (chart && referenceOf(chart)) ?? '')?.target;
  if (part !== undefined) return drawn(part);
  const table = firstNamed(frame, 'tbl');
  if (!table) return [];
  const rows = childrenNamed(table, 'tr').map((row) => childrenNamed(row, 'tc').map((cell) => paragraphsOf(cell, relations).join(' ')));
  return [{ isItem: false, text: tableLines(rows).join('\n') }];
}

/** The words of the paragraphs of a shape or a cell. */
const paragraphsOf = (holder: Element, relations: SlideContext['relations']): string[] => {
  const body = childNamed(holder, 'txBody');
  return body ? childrenNamed(body, 'p').map((paragraph) => wordsOf(paragraph, relations)) : [];
};

/** The words of all shapes: what is said on a page of notes. */
export const spokenIn = (tree: Element, relations: SlideContext['relations']): string[] =>
  tree.children
    .flatMap((shape) => (shape.name === 'grpSp' ? spokenIn(shape, relations) : paragraphsOf(shape, relations)))
    .filter((text) => text !== '');

function textBlocks(shape: Element, relations: SlideContext['relations']): ShapeBlock[] {
  const placeholder = firstNamed(shape.children[0] ?? shape, 'ph')?.attributes['type'];
  const isTitle = placeholder === 'title' || placeholder === 'ctrTitle';
  const body = childNamed(shape, 'txBody');
  const count = counter();
  return (body ? childrenNamed(body, 'p') : []).map((paragraph) => {
    const text = wordsOf(paragraph, relations);
    if (text === '') return { isItem: false, text };
    if (isTitle) return { isItem: false, text: heading(2, text) };
    const bullet = count(paragraph);
    return bullet === undefined ? { isItem: false, text: escapeLine(text) } : { isItem: true, text: `${bullet} ${text}` };
  });
}

/** Gives the bullet or number of each paragraph in turn, indented by its level; undefined for one that is no item. Only its own properties are asked. */
function counter(): (paragraph: Element) => string | undefined {
  let numbers: number[] = [];
  return (paragraph) => {
    const properties = childNamed(paragraph, 'pPr');
    const number = properties && childNamed(properties, 'buAutoNum');
    const isItem = number ?? properties?.children.find(({ name }) => name === 'buChar' || name === 'buBlip');
    if (!isItem) {
      numbers = [];
      return undefined;
    }
    const level = Math.min(8, Math.max(0, Math.trunc(Number(properties?.attributes['lvl'])) || 0));
    numbers = numbers.slice(0, number ? level + 1 : level);
    if (number) numbers[level] = (numbers[level] ?? (Number(number.attributes['startAt']) || 1) - 1) + 1;
    return `${'  '.repeat(level)}${number ? `${numbers[level]}.` : '-'}`;
  };
}

/** The words of a paragraph on one line, links as Markdown; an equation is the letters that it is made of. */
const wordsOf = (paragraph: Element, relations: SlideContext['relations']): string =>
  oneLine(paragraph.children.flatMap((child) => runOf(child, relations)).join(''));

function runOf(run: Element, relations: SlideContext['relations']): string[] {
  switch (run.name) {
    case 'r':
    case 'fld':
      return [linked(textWithin(run, 't'), run, relations)];
    case 'br':
      return ['\n'];
    case 'm':
    case 'oMath':
    case 'oMathPara':
      return [textWithin(run, 't')].filter(Boolean);
    case 'AlternateContent':
      return alternative(run, (branch) => branch.children.flatMap((child) => runOf(child, relations)));
    default:
      return [];
  }
}

function linked(text: string, run: Element, relations: SlideContext['relations']): string {
  const properties = childNamed(run, 'rPr');
  const click = properties && childNamed(properties, 'hlinkClick');
  const relation = click && relations.get(referenceOf(click) ?? '');
  return relation?.type === 'hyperlink' && text.trim() !== '' ? `[${text}](${relation.target})` : text;
}

/** A chart as its title and a table of its values. */
export async function chartBlocks(part: Element): Promise<ShapeBlock[]> {
  const { title, rows } = await readChart(part);
  return [title === '' ? '' : `**${escapeLine(title)}**`, tableLines(rows).join('\n')]
    .filter(Boolean)
    .map((text) => ({ isItem: false, text }));
}

/** Deeper items stand under the last that is indented. */
const MOST_INDENTED = 8;

/** The points of a diagram (SmartArt, ECMA-376 part 1, 21.4) as the items of a list, nested as its connections nest them. */
export function diagramItems(data: Element): ShapeBlock[] {
  const points = new Map((childNamed(data, 'ptLst')?.children ?? []).map((point) => [point.attributes['modelId'] ?? '', point]));
  const below = Map.groupBy(connectionsOf(data), ({ from }) => from);
  const seen = new Set<string>();
  const items: ShapeBlock[] = [];
  const visit = (root: string, depth: number): void => {
    const pending = [{ id: root, depth }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const point = points.get(next.id);
      if (!point || seen.has(next.id)) continue;
      seen.add(next.id);
      items.push(...linesOf(point, Math.max(0, next.depth)));
      const inner = (below.get(next.id) ?? []).toSorted((a, b) => b.order - a.order); // the last is taken first
      for (const { to } of inner) pending.push({ id: to, depth: next.depth + 1 });
    }
  };
  for (const [id, point] of points) if (point.attributes['type'] === 'doc') visit(id, -1);
  for (const id of points.keys()) visit(id, 0);
  return items;
}

const connectionsOf = (data: Element) =>
  (childNamed(data, 'cxnLst')?.children ?? [])
    .filter(({ attributes }) => (attributes['type'] ?? 'parOf') === 'parOf')
    .map(({ attributes: { srcId = '', destId = '', srcOrd } }) => ({ from: srcId, to: destId, order: Number(srcOrd) || 0 }));

/** What a point says; connectors and what arranges the points say nothing. */
function linesOf(point: Element, depth: number): ShapeBlock[] {
  const type = point.attributes['type'] ?? 'node';
  const said = childNamed(point, 't');
  if (!said || (type !== 'node' && type !== 'asst')) return [];
  const indent = '  '.repeat(Math.min(MOST_INDENTED, depth));
  return childrenNamed(said, 'p')
    .map((paragraph) => textWithin(paragraph, 't').replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .map((text) => ({ isItem: true, text: `${indent}- ${text}` }));
}
