import { basename, extname } from 'node:path';
import { oneLine } from '../../markdown/write.ts';
import { allText, childElementsOf, childrenNamed, findElement, findText, localName, type XmlElement } from '../../xml.ts';
import { altText } from '../../parsed-document.ts';
import {
  type Block,
  comment,
  escapeLines,
  heading,
  item,
  Notes,
  paragraph,
  type Run,
  table,
  type BlockCell,
  writeBlocks,
  writeRuns,
} from '../blocks.ts';
import { spanOf } from '../../table.ts';
import { ListCounters, type ListLevels } from '../list-numbers.ts';
import { startOf } from './lists.ts';

/** The styles of a document. */
export interface Styles {
  lists: ReadonlyMap<string, ListLevels>;
  /** The levels of headings, if they are numbered. */
  outline: ListLevels;
  /** The paragraph styles of code. */
  code: ReadonlySet<string>;
}

/** Maximum repetitions of a cell, and spaces; more cells are the empty rest of a row. */
const MAX_REPEATED = 100;

/** Elements with deleted text, with text of the program, or with a table of contents, which repeats headings. */
const LEFT_OUT =
  /^(?:text:tracked-changes|text:(?:table-of-content|illustration-index|table-index|object-index|user-index|alphabetical-index)|text:[\w-]+-decls?|office:(?:forms|event-listeners|binary-data)|text:[\w-]+-source|text:note-citation|presentation:notes|svg:title|svg:desc|style:[\w-]+|number:[\w-]+|math:annotation|draw:(?:glue-point|image))$/;

interface Inline {
  runs: Run[];
  /** Blocks that stand in the paragraph: they follow it. */
  after: Block[];
}

interface ListPlace {
  style: ListLevels;
  depth: number;
  counters: ListCounters;
}

/** Reads the text of an OpenDocument file (OpenDocument 1.3 part 3). Text of unknown elements is kept. */
export class OdfReader {
  readonly #styles: Styles;
  /** Objects in the file, such as formulas and charts, by the names of their folders. Each is read once. */
  readonly #objects: Map<string, XmlElement>;
  readonly #outline = new ListCounters();
  /** ListCounters of lists by their ids, and by the name of their style. */
  readonly #counters = new Map<string, ListCounters>();
  readonly notes = new Notes();

  constructor(styles: Styles, objects: ReadonlyMap<string, XmlElement>) {
    this.#styles = styles;
    this.#objects = new Map(objects);
  }

  /** Reads all blocks in an element. */
  blocks(element: XmlElement): Block[] {
    return childElementsOf(element).flatMap((child) => this.#blocksOf(child));
  }

  #blocksOf(element: XmlElement, list?: ListPlace): Block[] {
    const { name } = element;
    if (LEFT_OUT.test(name)) return [];
    if (name === 'text:p' || name === 'text:h') return this.#paragraph(element, list);
    if (name === 'text:list') return this.#list(element, list);
    if (name === 'table:table') return this.#table(element);
    if (name === 'office:annotation') return annotation(element);
    if (name === 'draw:frame') return this.#frame(element);
    if (name === 'draw:object') return this.#object(element);
    if (name === 'math:math') return formula(element);
    if (element.content.some((child) => typeof child === 'string' && child.trim() !== '')) return this.#paragraph(element, list);
    return childElementsOf(element).flatMap((child) => this.#blocksOf(child, list));
  }

  #paragraph(element: XmlElement, list?: ListPlace): Block[] {
    const { name, attributes } = element;
    const style = attributes['text:style-name'] ?? '';
    if (this.#styles.code.has(style) && name === 'text:p') return [{ kind: 'code', text: codeOf(element) }];
    const inline: Inline = { runs: [], after: [] };
    this.#readInside(element, inline);
    const text = writeRuns(inline.runs);
    if (name === 'text:h') {
      const level = Math.min(6, Math.max(1, Number(attributes['text:outline-level']) || 1));
      const isNumbered = attributes['text:is-list-header'] !== 'true' && text !== '';
      const label = isNumbered ? this.#outline.next(this.#styles.outline, level - 1, startOf(attributes['text:start-value'])) : '';
      return text === '' ? inline.after : [heading(level, `${label.replace(/\.$/, '')} ${text}`), ...inline.after];
    }
    if (text === '') return inline.after;
    if (style === 'Title') return [heading(1, text), ...inline.after];
    return [list ? { kind: 'paragraph', text } : paragraph(escapeLines(text)), ...inline.after];
  }

  #list(element: XmlElement, parent?: ListPlace): Block[] {
    const { attributes } = element;
    const name = attributes['text:style-name'] ?? '';
    const key = attributes['text:continue-list'] ?? (attributes['text:continue-numbering'] === 'true' ? `style ${name}` : '');
    const place: ListPlace = {
      style: this.#styles.lists.get(name) ?? parent?.style ?? new Map(),
      depth: parent ? parent.depth + 1 : 0,
      counters: parent?.counters ?? (key === '' ? undefined : this.#counters.get(key)) ?? new ListCounters(),
    };
    if (!parent) for (const id of [`style ${name}`, attributes['xml:id'] ?? '']) this.#counters.set(id, place.counters);
    return childElementsOf(element).flatMap((child) => this.#item(child, place));
  }

  /** Reads an item. It counts if it begins with a paragraph: one that begins with a list only continues. */
  #item(element: XmlElement, place: ListPlace): Block[] {
    const [first, ...others] = childElementsOf(element).filter(({ name }) => name !== 'text:number');
    if (!first) return [];
    if (first.name !== 'text:p') return [first, ...others].flatMap((child) => this.#blocksOf(child, place));
    const [text, ...after] = this.#paragraph(first, place);
    const isHeader = element.name === 'text:list-header';
    const label = isHeader ? '' : place.counters.next(place.style, place.depth, startOf(element.attributes['text:start-value']));
    const inner = [...after, ...others.flatMap((child) => this.#blocksOf(child, place))];
    if (!text) return inner;
    if (text.kind !== 'paragraph') return [text, ...inner];
    return [isHeader ? paragraph(escapeLines(text.text)) : item(text.text, { depth: place.depth, label: label && `${label} ` }), ...inner];
  }

  /** Reads a table, also with grouped rows. */
  #table(element: XmlElement): Block[] {
    const rows: { cells: BlockCell[]; isHeader: boolean }[] = [];
    const visit = (parent: XmlElement, isHeader: boolean): void => {
      for (const child of childElementsOf(parent)) {
        if (localName(child) === 'table-row') rows.push({ cells: childElementsOf(child).flatMap((cell) => this.#cells(cell)), isHeader });
        else if (/rows|row-group/.test(child.name)) visit(child, isHeader || localName(child) === 'table-header-rows');
      }
    };
    visit(element, false);
    const headers = rows.findIndex(({ isHeader }) => !isHeader);
    return table(
      rows.map(({ cells }) => cells),
      headers < 0 ? rows.length : headers,
    );
  }

  #cells(cell: XmlElement): BlockCell[] {
    if (localName(cell) !== 'table-cell') return [];
    const { attributes } = cell;
    const repeated = Number(attributes['table:number-columns-repeated']) || 1;
    const value = attributes['office:string-value'];
    const blocks = childElementsOf(cell).length === 0 && value ? [paragraph(escapeLines(value))] : this.blocks(cell);
    const tableCell = {
      blocks,
      columns: spanOf(attributes['table:number-columns-spanned']),
      rows: spanOf(attributes['table:number-rows-spanned']),
    };
    return Array.from({ length: repeated > MAX_REPEATED ? 1 : repeated }, () => tableCell);
  }

  /** Reads a frame: the content of a text box, or the description of a picture. */
  #frame(element: XmlElement): Block[] {
    const role = element.attributes['presentation:class'];
    if (role === 'page-number') return [];
    if (role === 'title') {
      const text = oneLine(writeRuns(this.#inlineOf(element).runs));
      return text === '' ? [] : [heading(2, text)];
    }
    return [...this.blocks(element), ...describe(element)];
  }

  #inlineOf(element: XmlElement): Inline {
    const inline: Inline = { runs: [], after: [] };
    this.#readInside(element, inline);
    return inline;
  }

  #object({ attributes }: XmlElement): Block[] {
    const name = (attributes['xlink:href'] ?? '').replace(/^\.\//, '');
    const root = this.#objects.get(name);
    this.#objects.delete(name);
    if (!root) return [];
    return root.name === 'math:math' || root.name === 'math' ? formula(root) : this.blocks(root);
  }

  /** Reads the content of an element within a paragraph. */
  #readInside({ content }: XmlElement, inline: Inline, href?: string): void {
    for (const child of content)
      if (typeof child === 'string') inline.runs.push({ text: child.replace(/\s+/g, ' '), href });
      else this.#readInline(child, inline, href);
  }

  #readInline(element: XmlElement, inline: Inline, href?: string): void {
    const { name, attributes } = element;
    const write = (text: string): void => void inline.runs.push({ text, href });
    if (LEFT_OUT.test(name)) return;
    if (name === 'text:line-break') write('\n');
    else if (name === 'text:tab' || name === 'text:s') write(' ');
    else if (name === 'text:a') this.#readInside(element, inline, linkOf(attributes['xlink:href']));
    else if (name === 'text:note') write(this.#note(element));
    else if (name === 'text:ruby-text') write(`(${allText(element)})`);
    else if (name === 'text:p') {
      if (inline.runs.length > 0) write(' ');
      this.#readInside(element, inline, href);
    } else if (/^draw:(?!text-box$|a$)|^table:|^text:list$|^office:annotation$|^math:math$/.test(name))
      inline.after.push(...this.#blocksOf(element));
    else this.#readInside(element, inline, href);
  }

  #note(element: XmlElement): string {
    return this.notes.add(oneLine(writeBlocks(this.blocks(findElement(element, 'note-body') ?? element))));
  }
}

/** The address of a link; undefined for a place in the same document. */
const linkOf = (address = ''): string | undefined => (address === '' || address.startsWith('#') ? undefined : address);

/** The text of a line of code, with its spaces. */
const codeOf = ({ content }: XmlElement): string =>
  content
    .map((child) => {
      if (typeof child === 'string') return child;
      if (child.name === 'text:line-break') return '\n';
      if (child.name === 'text:tab') return '\t';
      return child.name === 'text:s' ? ' '.repeat(Math.min(MAX_REPEATED, Number(child.attributes['text:c']) || 1)) : codeOf(child);
    })
    .join('');

/** The description of a picture or an object, as Markdown. */
function describe(frame: XmlElement): Block[] {
  const texts = ['desc', 'title'].flatMap((name) => childrenNamed(frame, name)).map((child) => oneLine(allText(child)));
  const text = altText(texts.find((description) => description !== '' && !isFileName(description)));
  return text === '' ? [] : [paragraph(`![${text}]()`)];
}

const isFileName = (text: string): boolean => extname(basename(text)) !== '';

function annotation(element: XmlElement): Block[] {
  const lines = childElementsOf(element).filter(({ name }) => name.startsWith('text:'));
  const text = oneLine(lines.map(allText).join(' '));
  return text === '' ? [] : [comment(findText(element, 'creator'), text)];
}

/** A formula in the notation that its editor keeps, or else its letters. */
function formula(element: XmlElement): Block[] {
  const text = findText(element, 'annotation') ?? oneLine(allText(element));
  return text === '' ? [] : [paragraph(`$${text}$`)];
}
