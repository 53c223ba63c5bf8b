import type { Mark, Metadata } from './types.ts';
import { type NumberedRow, numberedTable, oneLine, escapeLine } from './markdown/write.ts';
import { readBlocks } from './markdown/blocks.ts';

/** Lines of text, with marks that map them to lines of the source. */
export class MarkedLines {
  readonly marks: Mark[] = [];
  #pieces: string[] = [];
  #length = 0;
  #expected = 0;

  /** Adds a line that was made from `line` of the source. */
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

/** Blocks of Markdown with blank lines between, and marks that map them to locations in the source. */
export class MarkedBlocks {
  readonly marks: Mark[] = [];
  #text = '';

  /** Adds a block; `place` is its place in the source. */
  add(block: string, place?: Omit<Mark, 'at'>): void {
    this.addMarked(block, place ? [{ at: 0, ...place }] : []);
  }

  /** Adds a block with its marks, whose `at` counts from its beginning; `joint` replaces the blank line before it. */
  addMarked(block: string, marks: readonly Mark[], joint = this.#text === '' ? '' : '\n\n'): void {
    this.#text += joint;
    for (const mark of marks) this.marks.push({ ...mark, at: this.#text.length + mark.at });
    this.#text += block;
  }

  /** Adds a table of the rows of a source, which `place` names. */
  addTable(rows: readonly NumberedRow[], place: Omit<Mark, 'at' | 'row'> = {}): void {
    const { text, marks } = numberedTable(rows, place);
    this.addMarked(text, marks);
  }

  /** Offset at which the next block will begin. */
  get end(): number {
    return this.#text === '' ? 0 : this.#text.length + 2;
  }

  get text(): string {
    return this.#text;
  }
}

/** Characters in which the first heading of a text is searched. */
const HEAD = 20_000;

/** Emphasis by one mark. */
const EMPHASIS = /(?<![\p{L}\p{N}])([*_])(\S(?:.{0,200}?\S)?)\1(?![\p{L}\p{N}])/gu;

/** Finds the words of the first heading of a Markdown text; undefined if there is none near the beginning. */
export function firstHeading(markdown: string): string | undefined {
  const titles = readBlocks(markdown.slice(0, HEAD)).map(({ title }) => title.replace(EMPHASIS, '$2'));
  return titles.find((title) => title !== '');
}

/** Drops the properties that a document does not have. */
export const removeUndefined = (properties: Metadata): Metadata =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));

/** Matches the name of a file, which programs write if the author did not describe a picture. */
const FILE_NAME = /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)$/i;
/** Descriptions of pictures that Office generates. */
const GENERATED = /AI-generated content|automatically generated|automatisch generiert/i;

/** Writes the alternative text of a picture for Markdown; empty if it is the name of its file. */
export function altText(description: string | null | undefined): string {
  const text = oneLine((description ?? '').replace(/[[\]]/g, ' '));
  return FILE_NAME.test(text) ? '' : text;
}

/** Writes the alternative text of a picture of Office; empty if a program wrote it. */
export function pictureText(description: string | undefined): string {
  const text = altText(description);
  return GENERATED.test(text) ? '' : text;
}

/** Writes facts about a document as a list, without those that are not given. */
export const factList = (facts: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(facts)
    .flatMap(([name, value]) => (value ? [`- ${name}: ${escapeLine(oneLine(value))}`] : []))
    .join('\n');

/** Writes the title of a box. */
export const boxTitle = (title: string): string => `**${title}${/[.:?!]$/.test(title) ? '' : ':'}**`;

/** Writes the first paragraph of an admonition ("note", "warning"): its name, then the text of its first line. */
export const admonition = (name: string, text: string): string =>
  `**${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}:**${text === '' ? '' : ` ${text}`}`;

/** Counts the characters of indentation of a line. */
export const indentOf = (line: string): number => line.length - line.trimStart().length;
