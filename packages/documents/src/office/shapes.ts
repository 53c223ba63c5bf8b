import { escapeTags, oneLine, tableLines } from '../markdown/write.ts';
import { allText, childElementsOf, childNamed, childrenNamed, findElement, localName, textWithin, type XmlElement } from '../xml.ts';
import { firstAlternative, readPart, referenceOf, type Relations } from './xml.ts';
import { pictureText } from '../parsed-document.ts';
import { spanOf } from '../table.ts';
import type { Archive } from './archive.ts';
import { type Block, escapeLines, heading, item, paragraph, type Run, table, writeRuns } from './blocks.ts';
import { readChart } from './chart.ts';
import { formatNumber } from './list-numbers.ts';

/** What the shapes of a part refer to. */
export interface ShapeContext {
  relations: Relations;
  included: Included;
}

/** Content of diagrams (SmartArt), charts and the like by relation. Each is taken once. */
export type Included = Map<string, readonly Block[]>;

export function takeIncluded(included: Included, id: string | undefined): readonly Block[] {
  const blocks = included.get(id ?? '') ?? [];
  included.delete(id ?? '');
  return blocks;
}

type Reader = (part: XmlElement) => Block[] | Promise<Block[]>;

interface IncludedOptions {
  /** Names of parts that are read already: each belongs to the first part that names it. */
  taken?: Set<string>;
  chart?: Reader;
}

/** Reads the diagrams and charts that a part refers to. */
export async function includedIn(
  archive: Archive,
  relations: Relations,
  { taken = new Set(), chart = chartBlocks }: IncludedOptions = {},
): Promise<Included> {
  const readers: Readonly<Record<string, Reader>> = { diagramData: diagramItems, chart, chartEx: chart };
  const included: Included = new Map();
  for (const [id, { type, target }] of relations) {
    const read = readers[type];
    if (!read || taken.has(target)) continue;
    taken.add(target);
    const part = await readPart(archive, target);
    if (part) included.set(id, await read(part));
  }
  return included;
}

/** Reads shapes (DrawingML, ECMA-376 part 1, 20) in the order of the file, which screen readers use too. Unknown elements may contain shapes. */
export const shapeBlocks = (tree: XmlElement, context: ShapeContext): Block[] =>
  childElementsOf(tree).flatMap((shape) => blocksOf(shape, context));

function blocksOf(shape: XmlElement, context: ShapeContext): Block[] {
  const name = localName(shape);
  switch (name) {
    case 'sp':
      return placeholderOf(shape) === 'title' ? titleBlocks(shape, context) : shapeBlocks(shape, context);
    case 'txBody':
      return textBlocks(shape, context);
    case 'pic':
      return pictureBlocks(shape);
    case 'tbl':
      return tableBlocks(shape, context);
    case 'relIds':
      return [...takeIncluded(context.included, referenceOf(shape, 'dm'))];
    case 'chart':
      return [...takeIncluded(context.included, referenceOf(shape))];
    case 'AlternateContent':
      return firstAlternative(shape, (branch) => shapeBlocks(branch, context));
    default:
      return name.endsWith('Pr') ? [] : shapeBlocks(shape, context);
  }
}

/** The kind of a placeholder of a slide: `title`, `body`, `ftr`. Empty for other shapes. */
export const placeholderOf = (shape: XmlElement): string => {
  const type = findElement(childElementsOf(shape)[0], 'ph')?.attributes['type'] ?? '';
  return type === 'ctrTitle' ? 'title' : type;
};

/** Writes the alternative text of a picture as Markdown. */
function pictureBlocks(picture: XmlElement): Block[] {
  const text = pictureText(findElement(picture, 'cNvPr')?.attributes['descr']);
  return text === '' ? [] : [paragraph(`![${text}]()`)];
}

function titleBlocks(shape: XmlElement, context: ShapeContext): Block[] {
  const lines = childElementsOf(shape).flatMap((body) => childrenNamed(body, 'p').map((line) => textOf(line, context)));
  const text = lines.filter(Boolean).join(' ');
  return text === '' ? [] : [heading(2, text)];
}

function textBlocks(body: XmlElement, context: ShapeContext): Block[] {
  const nextLabel = createLabels();
  return childrenNamed(body, 'p').flatMap((line) => {
    const text = textOf(line, context);
    const label = nextLabel(line);
    if (text === '') return [];
    return [label ? item(text, label) : paragraph(escapeLines(text))];
  });
}

/** Kinds of numbers: their format in Word, and what stands around them. */
const NUMBERED = /^(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)$/;
const FORMATS: Readonly<Record<string, string>> = {
  alphaLc: 'lowerLetter',
  alphaUc: 'upperLetter',
  romanLc: 'lowerRoman',
  romanUc: 'upperRoman',
};
const AROUND: Readonly<Record<string, [string, string]>> = { ParenR: ['', ')'], ParenBoth: ['(', ')'], Plain: ['', ''] };
/** Maximum depth of items; deeper ones stand under the last that is indented. */
const MAX_DEPTH = 8;

/** Creates a function that returns depth and label of each paragraph in turn; undefined for one that is not an item. */
function createLabels(): (line: XmlElement) => { depth: number; label: string } | undefined {
  let numbers: number[] = [];
  return (line) => {
    const properties = childNamed(line, 'pPr');
    const number = childNamed(properties, 'buAutoNum');
    if (!number && !childNamed(properties, 'buChar') && !childNamed(properties, 'buBlip')) {
      numbers = [];
      return undefined;
    }
    const depth = Math.min(MAX_DEPTH, Math.max(0, Math.trunc(Number(properties?.attributes['lvl'])) || 0));
    numbers = numbers.slice(0, number ? depth + 1 : depth);
    if (!number) return { depth, label: '' };
    numbers[depth] = (numbers[depth] ?? (Number(number.attributes['startAt']) || 1) - 1) + 1;
    const [, kind = '', sign = ''] = NUMBERED.exec(number.attributes['type'] ?? '') ?? [];
    const [before, after] = AROUND[sign] ?? ['', '.'];
    return { depth, label: `${before}${formatNumber(numbers[depth], FORMATS[kind] ?? 'decimal')}${after} ` };
  };
}

function tableBlocks(element: XmlElement, context: ShapeContext): Block[] {
  const isCovered = ({ attributes: { hMerge = '0', vMerge = '0' } }: XmlElement): boolean =>
    [hMerge, vMerge].some((value) => value !== '0' && value !== 'false');
  return table(
    childrenNamed(element, 'tr').map((row) =>
      childrenNamed(row, 'tc')
        .filter((cell) => !isCovered(cell))
        .map((cell) => ({
          blocks: shapeBlocks(cell, context),
          columns: spanOf(cell.attributes['gridSpan']),
          rows: spanOf(cell.attributes['rowSpan']),
        })),
    ),
  );
}

/** Reads a paragraph as one line, with links as Markdown and equations as their letters. */
export const textOf = (line: XmlElement, { relations }: ShapeContext): string =>
  oneLine(writeRuns(childElementsOf(line).flatMap((child) => runsOf(child, relations))));

function runsOf(run: XmlElement, relations: Relations): Run[] {
  switch (localName(run)) {
    case 't':
      return [{ text: allText(run) }];
    case 'r': {
      const relation = relations.get(referenceOf(childNamed(childNamed(run, 'rPr'), 'hlinkClick')) ?? '');
      return [{ text: textWithin(run, 't'), href: relation?.type === 'hyperlink' ? relation.target : undefined }];
    }
    case 'fld':
      return run.attributes['type'] === 'slidenum' ? [] : [{ text: textWithin(run, 't') }];
    case 'br':
      return [{ text: ' ' }];
    case 'AlternateContent':
      return firstAlternative(run, (branch) => childElementsOf(branch).flatMap((child) => runsOf(child, relations)));
    default:
      return childElementsOf(run).flatMap((child) => runsOf(child, relations));
  }
}

/** Writes a chart as its title and a table of its values. */
async function chartBlocks(part: XmlElement): Promise<Block[]> {
  const { title, rows } = await readChart(part);
  const lines = tableLines(rows).join('\n');
  return [
    ...(title === '' ? [] : [paragraph(`**${escapeTags(title)}**`)]),
    ...(lines === '' ? [] : [{ kind: 'table' as const, text: lines }]),
  ];
}

/** Writes the points of a diagram (SmartArt, ECMA-376 part 1, 21.4) as a list, nested by its connections. */
function diagramItems(data: XmlElement): Block[] {
  const points = new Map(childrenNamed(childNamed(data, 'ptLst'), 'pt').map((point) => [point.attributes['modelId'] ?? '', point]));
  const below = Map.groupBy(connectionsOf(data), ({ from }) => from);
  const items: Block[] = [];
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

/** Writes the text of a point; those that only lay out the diagram have none. */
const pointItems = (point: XmlElement, depth: number): Block[] =>
  childrenNamed(childNamed(point, 't'), 'p')
    .map((line) => oneLine(textWithin(line, 't')))
    .filter(Boolean)
    .map((text) => item(escapeTags(text), { depth: Math.min(MAX_DEPTH, depth) }));
