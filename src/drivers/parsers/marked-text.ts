import type { Mark } from '../../schema/items.ts';
import { type NumberedRow, numberedTable } from '../../text/markdown/write.ts';

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
