import type { Mark, Metadata } from '../../schema/items.ts';
import { type NumberedRow, numberedTable, oneLine, escapeLine } from '../../text/markdown/write.ts';
import { readBlocks } from '../../text/markdown/blocks.ts';

/** Lines of text, each with the line of the source that it was made from. */
export class MarkedLines {
  readonly marks: Mark[] = [];
  #pieces: string[] = [];
  #length = 0;
  #expected = 0;

  /** Adds a line, which stands at `line` in the source. */
  add(text: string, line: number): void {
    if (line !== this.#expected) this.marks.push({ at: this.#length, line });
    this.#pieces.push(text);
    this.#length += text.length + 1;
    this.#expected = line + 1;
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    return this.#pieces.join('\n');
  }
}

/** Blocks of Markdown with blank lines between, and marks of places in the source. */
export class MarkedBlocks {
  readonly marks: Mark[] = [];
  #text = '';

  /** Adds a block; `place` is its place in the source. */
  add(block: string, place?: Omit<Mark, 'at'>): void {
    const at = this.end;
    if (place) this.marks.push({ at, ...place });
    this.#text += '\n'.repeat(at - this.#text.length) + block;
  }

  /** Adds a block with marks of its own, whose `at` counts from its beginning; behind a `joint` to the block before, if there is one. */
  addMarked(block: string, marks: readonly Mark[], joint?: string): void {
    const begin = joint === undefined ? this.end : this.#text.length + joint.length;
    for (const mark of marks) this.marks.push({ ...mark, at: begin + mark.at });
    if (joint === undefined) this.add(block);
    else this.#text += joint + block;
  }

  /** Adds a table of the rows of a source, which `place` names. */
  addTable(rows: readonly NumberedRow[], place: Omit<Mark, 'at' | 'row'> = {}): void {
    const { text, marks } = numberedTable(rows, { at: this.end, ...place });
    for (const mark of marks) this.marks.push(mark);
    this.add(text);
  }

  /** Where the next block begins. */
  get end(): number {
    return this.#text === '' ? 0 : this.#text.length + 2;
  }

  get text(): string {
    return this.#text;
  }
}

/** How far into a text its first heading is looked for, in characters. */
const HEAD = 20_000;

/** Emphasis by one mark. */
const EMPHASIS = /(?<![\p{L}\p{N}])([*_])(\S(?:.{0,200}?\S)?)\1(?![\p{L}\p{N}])/gu;

/** The words of the first heading of a Markdown text; undefined if there is none near the beginning. */
export function firstHeading(markdown: string): string | undefined {
  const titles = readBlocks(markdown.slice(0, HEAD)).map(({ title }) => title.replace(EMPHASIS, '$2'));
  return titles.find((title) => title !== '');
}

/** The properties of a document without those that it does not give. */
export const givenProperties = (properties: Metadata): Metadata =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

/** The name of a file, which programs write where nobody described a picture. */
const FILE_NAME = /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)$/i;
/** What Office writes about a picture by itself. */
const UNWRITTEN = /AI-generated content|automatically generated|automatisch generiert/i;

/** The alternative text of a picture as it stands in Markdown; empty where it is the name of its file. */
export function altText(description: string | null | undefined): string {
  const text = oneLine((description ?? '').replace(/[[\]]/g, ' '));
  return FILE_NAME.test(text) ? '' : text;
}

/** The alternative text of a picture of Office that somebody has written; empty where nobody has. */
export function pictureText(description: string | undefined): string {
  const text = altText(description);
  return UNWRITTEN.test(text) ? '' : text;
}

/** Writes facts about a document as a list, without those that are not given. */
export const factList = (facts: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(facts)
    .flatMap(([name, value]) => (value ? [`- ${name}: ${escapeLine(oneLine(value))}`] : []))
    .join('\n');

const isWords = (cell: string): boolean => !/\d/.test(cell);

/** Whether the cells of a row name the columns of the rows below: words alone, above something else than words. */
export const namesColumns = (cells: readonly string[], below: readonly (readonly string[])[]): boolean =>
  cells.length > 1 &&
  cells.every((cell) => isWords(cell) && cell.trim() !== '') &&
  below.length > 0 &&
  !below.every((row) => row.every(isWords));

/** The line that names a box: its title as it is written. */
export const boxTitle = (title: string): string => `**${title}${/[.:?!]$/.test(title) ? '' : ':'}**`;

/** A paragraph of an admonition («note», «warning») in Markdown: its name, then what stands in its first line. */
export const admonition = (name: string, text: string): string =>
  `**${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}:**${text === '' ? '' : ` ${text}`}`;

/** Where a line begins: its indentation in columns, a tab counted as one. */
export const indentOf = (line: string): number => line.length - line.trimStart().length;
