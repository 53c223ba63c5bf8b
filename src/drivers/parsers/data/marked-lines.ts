import type { Mark } from '../../../schema/items.ts';

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
