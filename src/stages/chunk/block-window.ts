import type { Block } from '@citekb/documents/markdown';

/** The blocks of a document by their index, of which those that are not needed any more can be forgotten: a document may have millions. */
export class BlockWindow {
  readonly #blocks: Iterator<Block>;
  readonly #kept: Block[] = [];
  /** Index of the first kept block. */
  #first = 0;

  constructor(blocks: Iterable<Block>) {
    this.#blocks = blocks[Symbol.iterator]();
  }

  /** Index of the first block that is not forgotten. */
  get first(): number {
    return this.#first;
  }

  /** Returns a block; undefined for one that is forgotten, and beyond the last. */
  at(index: number): Block | undefined {
    while (index >= this.#first + this.#kept.length) {
      const { done, value } = this.#blocks.next();
      if (done) return undefined;
      this.#kept.push(value);
    }
    return index < this.#first ? undefined : this.#kept[index - this.#first];
  }

  /** Forgets the blocks before an index. */
  forget(index: number): void {
    const count = Math.min(this.#kept.length, index - this.#first);
    if (count <= 0) return;
    this.#kept.splice(0, count);
    this.#first += count;
  }
}
