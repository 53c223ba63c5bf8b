import { basename } from 'node:path/posix';
import { oneLine, scriptText } from '../../markdown/write.ts';
import { allText, childElementsOf, childNamed, childrenNamed, findElement, localName, type XmlElement } from '../../xml.ts';
import { firstAlternative, isOn, referenceOf, type Relations, valueOf } from '../xml.ts';
import { pictureText } from '../../parsed-document.ts';
import { spanOf } from '../../table.ts';
import {
  type Block,
  type BlockCell,
  comment,
  escapeLines,
  heading,
  item,
  type Notes,
  paragraph,
  type Run,
  table,
  writeBlocks,
  writeRuns,
} from '../blocks.ts';
import { type Included, takeIncluded } from '../shapes.ts';
import { equationText } from './equation.ts';
import { Fields, linkOf, writeCheckBox } from './fields.ts';
import type { Numbering } from './numbering.ts';
import { headingLevel, type Styles } from './styles.ts';

/** A part with text, and what its relations lead to. */
export interface DocxPart {
  root: XmlElement;
  relations: Relations;
  /** Content of charts, diagrams and documents that it takes in, by relation. */
  included: Included;
}

/** What the parts of a document share. */
export interface DocxContext {
  styles: Styles;
  numbering: Numbering;
  /** Footnotes, endnotes and comments that the text has yet to refer to, by kind and id: `footnote 2`. */
  notes: Map<string, DocxPart>;
  /** Notes that the text has referred to. */
  written: Notes;
  /** Returns the character of a font of symbols, by its code. */
  symbolOf(font: string, code: number): string | undefined;
}

/** Elements without text of the document: properties, deleted and moved text, and marks. */
const LEFT_OUT = /^(?:(?!docPr$|cNvPr$)\w*Pr|del|moveFrom|delText|delInstrText|sectPr|posOffset|pctWidth|pctHeight|fldData)$/;

/** Inline content that is collected for a paragraph. */
interface Inline {
  runs: Run[];
  /** Blocks that stand in the paragraph, such as text boxes: they follow it. */
  after: Block[];
}

interface Format extends Omit<Run, 'text' | 'isMarkdown'> {
  script?: '^' | '_' | undefined;
  font?: string | undefined;
}

/** Reads a part of a Word document (WordprocessingML, ECMA-376 part 1, 17). Text of unknown elements is kept. */
export class DocxReader {
  readonly #context: DocxContext;
  readonly #part: DocxPart;
  readonly #fields = new Fields();
  /** Runs that belong to the next paragraph: a drop cap, or text before a paragraph mark that is deleted. */
  #carried: Run[] = [];

  constructor(part: DocxPart, context: DocxContext) {
    this.#part = part;
    this.#context = context;
  }

  /** Reads all blocks of the part. */
  readAll(): Block[] {
    const blocks = this.#blocksIn(this.#part.root);
    const left = writeRuns(this.#carried);
    return left === '' ? blocks : [...blocks, paragraph(escapeLines(left))];
  }

  #blocksIn(element: XmlElement): Block[] {
    return childElementsOf(element).flatMap((child) => this.#blocksOf(child));
  }

  #blocksOf(element: XmlElement): Block[] {
    const name = localName(element);
    switch (name) {
      case 'p':
        return this.#paragraph(element);
      case 'tbl':
        return this.#table(element);
      case 'altChunk':
        return [...takeIncluded(this.#part.included, referenceOf(element))];
      case 'AlternateContent':
        return firstAlternative(element, (branch) => this.#blocksIn(branch));
      default:
        if (LEFT_OUT.test(name)) return [];
        return BLOCKS.test(name) ? this.#blocksIn(element) : this.#paragraph({ ...element, content: [element] });
    }
  }

  #paragraph(element: XmlElement): Block[] {
    const properties = childNamed(element, 'pPr');
    const style = this.#context.styles.get(valueOf(childNamed(properties, 'pStyle')));
    const inline: Inline = { runs: this.#carried.splice(0), after: [] };
    for (const child of childElementsOf(element)) this.#read(child, {}, inline);
    const isDropCap = /^(?:drop|margin)$/.test(childNamed(properties, 'framePr')?.attributes['w:dropCap'] ?? '');
    if (isDropCap || childNamed(childNamed(properties, 'rPr'), 'del')) {
      this.#carried = inline.runs;
      return inline.after;
    }
    const { label, gap, depth, isBullet } = this.#context.numbering.next(properties, style) ?? NO_NUMBER;
    const level = headingLevel('', properties) ?? style.heading;
    // emphasis adds nothing to a heading
    const text = writeRuns(level > 0 ? inline.runs.map((run) => ({ ...run, isBold: false, isItalic: false })) : inline.runs);
    if (text === '' || style.isContents) return inline.after;
    if (level > 0) return [heading(level, `${label.replace(/\.$/, '')}${label && gap}${text}`), ...inline.after];
    const block = isBullet || label !== '' ? item(text, { depth, label: label && label + gap }) : paragraph(escapeLines(text));
    return [block, ...inline.after];
  }

  #table(element: XmlElement): Block[] {
    const rows = within(element, 'tr').filter((row) => !childNamed(childNamed(row, 'trPr'), 'del'));
    const open = new Map<number, BlockCell>();
    const headers = rows.findIndex((row) => !childNamed(childNamed(row, 'trPr'), 'tblHeader'));
    return table(
      rows.map((row) => this.#cells(row, open)),
      headers < 0 ? rows.length : headers,
    );
  }

  /** Reads the cells of a row; `open` holds the cells above that may go on, by column. */
  #cells(row: XmlElement, open: Map<number, BlockCell>): BlockCell[] {
    const cells: BlockCell[] = [];
    let column = Number(valueOf(childNamed(childNamed(row, 'trPr'), 'gridBefore'))) || 0;
    if (column > 0) cells.push({ blocks: [], columns: column });
    for (const cell of within(row, 'tc')) {
      const properties = childNamed(cell, 'tcPr');
      const columns = spanOf(valueOf(childNamed(properties, 'gridSpan')));
      const merge = childNamed(properties, 'vMerge');
      const above = merge && valueOf(merge) !== 'restart' ? open.get(column) : undefined;
      const blocks = this.#blocksIn(cell);
      if (above) {
        above.rows = (above.rows ?? 1) + 1;
        above.blocks = [...above.blocks, ...blocks];
      } else cells.push({ blocks, columns });
      if (merge) open.set(column, above ?? cells.at(-1)!);
      else open.delete(column);
      column += columns;
    }
    return cells;
  }

  /** Reads an element within a paragraph. */
  #read(element: XmlElement, format: Format, inline: Inline): void {
    const name = localName(element);
    const readInside = (inside: Format = format): void => {
      for (const child of childElementsOf(element)) this.#read(child, inside, inline);
    };
    const { attributes } = element;
    if (name === 'r') readInside({ ...format, ...this.#formatOf(childNamed(element, 'rPr')) });
    else if (name === 'hyperlink') readInside({ ...format, href: this.#address(element) });
    else if (name === 'fldSimple') readInside({ ...format, href: linkOf(attributes['w:instr'] ?? '') ?? format.href });
    else if (name === 'instrText') this.#fields.add(allText(element));
    else if (name === 'AlternateContent') this.#readAlternative(element, format, inline);
    else if (name === 'p' || name === 'tbl') inline.after.push(...this.#blocksOf(element));
    else if (this.#readReference(element, inline) || LEFT_OUT.test(name)) return;
    else {
      const text = this.#textOf(element, format);
      if (text === undefined) readInside();
      else this.#write(text, format, inline);
    }
  }

  #formatOf(properties: XmlElement | undefined): Format {
    const style = valueOf(childNamed(properties, 'rStyle'));
    return { ...formatOf(this.#context.styles.runProperties(style)), ...formatOf(properties) };
  }

  #write(run: Pick<Run, 'text' | 'isMarkdown'>, { script, font: _, href, ...format }: Format, { runs }: Inline): void {
    if (run.isMarkdown && runs.at(-1)?.text === run.text) return; // a picture and its frame have the same description
    const text = script ? scriptText(script, run.text, runs.at(-1)?.text ?? '') : run.text;
    runs.push({ ...format, ...run, text, href: href ?? this.#fields.href });
  }

  #readAlternative(element: XmlElement, format: Format, inline: Inline): void {
    const [content] = firstAlternative(element, (branch) => {
      const inside: Inline = { runs: [], after: [] };
      for (const child of childElementsOf(branch)) this.#read(child, format, inside);
      return inside.runs.length + inside.after.length > 0 ? [inside] : [];
    });
    inline.runs.push(...(content?.runs ?? []));
    inline.after.push(...(content?.after ?? []));
  }

  /** Reads an element that refers to content elsewhere, which follows the paragraph; false for another one. */
  #readReference(element: XmlElement, inline: Inline): boolean {
    const name = localName(element);
    const id = element.attributes['w:id'] ?? '';
    if (name === 'chart' || name === 'relIds')
      inline.after.push(...takeIncluded(this.#part.included, referenceOf(element, name === 'chart' ? 'id' : 'dm')));
    else if (name === 'commentReference') inline.after.push(...this.comments([`comment ${id}`]));
    else if (name === 'OLEObject') inline.after.push(...this.#embedded(element));
    else return false;
    return true;
  }

  /** Takes comments, each of which is written once. */
  comments(keys: readonly string[]): Block[] {
    return keys.flatMap((key) => {
      const text = this.#noteText(key);
      return text === undefined ? [] : [comment(text.author, text.text)];
    });
  }

  #noteText(key: string): { text: string; author: string | undefined } | undefined {
    const part = this.#context.notes.get(key);
    if (!part) return undefined;
    this.#context.notes.delete(key); // also ends a note that refers to itself
    const text = oneLine(writeBlocks(new DocxReader(part, this.#context).readAll()));
    return text === '' ? undefined : { text, author: part.root.attributes['w:author'] };
  }

  /** Takes a footnote or endnote; returns its mark. */
  takeNote(key: string): string {
    return this.#context.written.add(this.#noteText(key)?.text ?? '');
  }

  #embedded(element: XmlElement): Block[] {
    const target = this.#part.relations.get(referenceOf(element) ?? '')?.target;
    const { ProgID: program = '' } = element.attributes;
    if (target === undefined || program.startsWith('Equation.')) return [];
    const name = /\.bin$/i.test(target) ? program : basename(target);
    return name === '' ? [] : [paragraph(escapeLines(`Embedded file: ${name}`))];
  }

  /** The text that an element stands for, without the content of unknown ones: undefined for these. */
  #textOf(element: XmlElement, { font = '' }: Format): Pick<Run, 'text' | 'isMarkdown'> | undefined {
    const { attributes } = element;
    switch (localName(element)) {
      case 't':
        return { text: allText(element).replace(PRIVATE, (sign) => this.#context.symbolOf(font, sign.charCodeAt(0)) ?? sign) };
      case 'sym':
        return { text: this.#context.symbolOf(attributes['w:font'] ?? '', Number.parseInt(attributes['w:char'] ?? '', 16)) ?? '' };
      case 'tab':
      case 'ptab':
        return { text: ' ' };
      case 'br':
      case 'cr':
        return { text: '\n' };
      case 'noBreakHyphen':
        return { text: '\u2011' };
      case 'footnoteReference':
      case 'endnoteReference':
        return { text: this.takeNote(`${localName(element).replace('Reference', '')} ${attributes['w:id'] ?? ''}`) };
      case 'fldChar':
        return { text: this.#fields.mark(element) };
      case 'oMath':
        return { text: `$${equationText(element)}$`.replace(/^\$\$$/, '') };
      case 'docPr':
      case 'cNvPr':
        return pictureRun(attributes['descr']);
      case 'imagedata':
        return pictureRun(attributes['o:title']);
      case 'textpath':
        return { text: attributes['string'] ?? '' };
      case 'ruby':
        return { text: rubyText(element) };
      case 'sdt': {
        const box = findElement(childNamed(element, 'sdtPr'), 'checkbox');
        return box && { text: writeCheckBox(childNamed(box, 'checked')) };
      }
      default:
        return undefined;
    }
  }

  /** The address of a link; undefined for a place in the same document. */
  #address(link: XmlElement): string | undefined {
    const target = this.#part.relations.get(referenceOf(link) ?? '')?.target;
    const anchor = link.attributes['w:anchor'];
    return target && target + (anchor && !target.includes('#') ? `#${anchor}` : '');
  }
}

/** Elements that contain paragraphs; others stand in one. */
const BLOCKS = /^(?:document|body|hdr|ftr|footnote|endnote|comment|sdt|sdtContent|customXml|ins|moveTo|tc|txbxContent)$/;
const NO_NUMBER = { label: '', gap: '', depth: 0, isBullet: false };
/** Characters of fonts of symbols. */
const PRIVATE = /[\uf020-\uf0ff]/g;

/** Lists the elements of a name in another one, also in wrappers. */
const within = (element: XmlElement, name: string): XmlElement[] =>
  childElementsOf(element).flatMap((child) =>
    localName(child) === name ? child : BLOCKS.test(localName(child)) ? within(child, name) : [],
  );

/** Reads the format of a run, without what its properties leave open. */
function formatOf(properties: XmlElement | undefined): Format {
  const format: Format = {};
  for (const property of properties ? childElementsOf(properties) : []) {
    const name = localName(property);
    const key = FORMATS[name];
    if (key) format[key] = isOn(property);
    else if (name === 'vertAlign') format.script = ({ superscript: '^', subscript: '_' } as const)[valueOf(property) ?? ''];
    else if (name === 'rFonts') format.font = property.attributes['w:ascii'];
  }
  return format;
}

const FORMATS: Readonly<Record<string, 'isBold' | 'isItalic' | 'isStruck'>> = {
  b: 'isBold',
  i: 'isItalic',
  strike: 'isStruck',
  dstrike: 'isStruck',
};

function pictureRun(description: string | undefined): Pick<Run, 'text' | 'isMarkdown'> {
  const text = pictureText(description);
  return { text: text === '' ? '' : `![${text}]()`, isMarkdown: true };
}

/** Writes the base of a ruby, then the text above it in brackets. */
function rubyText(element: XmlElement): string {
  const textOf = (name: string): string => childrenNamed(element, name).map(allText).join('').trim();
  const [base, above] = [textOf('rubyBase'), textOf('rt')];
  return above === '' ? base : `${base}(${above})`;
}
