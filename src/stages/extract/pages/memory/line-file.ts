import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';

/** Position of a line, in bytes. */
export interface LinePosition {
  offset: number;
  length: number;
}

/** Maximum bytes of a line; kb writes no longer one. */
export const LONGEST_LINE = 1 << 20;
const PIECE = 1 << 20;

/** A file of lines that grows at its end. A line is with the system when `append` returns, and outlives the process. */
export class LineFile {
  readonly #file: number;
  /** Bytes of the lines that were read and written. */
  size = 0;
  #isOpen = true;

  /** `a+`: created if missing; `r`: read only; `w+`: emptied. Readable by this user only. Throws the error of the system. */
  constructor(path: string, flags: 'a+' | 'r' | 'w+') {
    this.#file = openSync(path, flags, 0o600);
  }

  /** Yields all complete lines; a last one that was cut off is dropped. Throws if a line is too long. */
  async *lines(): AsyncGenerator<{ text: string; place: LinePosition }, void, void> {
    this.size = 0;
    const piece = Buffer.alloc(PIECE);
    for (let rest = Buffer.alloc(0); ; await nextTick()) {
      const read = readSync(this.#file, piece, 0, PIECE, this.size + rest.length);
      if (read === 0) return;
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const place = { offset: this.size, length: end - from };
        yield { text: bytes.toString('utf8', from, end), place };
        this.size += place.length + 1;
        from = end + 1;
      }
      rest = Buffer.from(bytes.subarray(from));
      if (rest.length > LONGEST_LINE) throw new Error('A line is too long.');
    }
  }

  /** Removes what comes after the bytes that are to stay. */
  cut(size = this.size): void {
    ftruncateSync(this.#file, size);
    this.size = size;
  }

  append(text: string): LinePosition {
    const bytes = Buffer.from(`${text}\n`);
    for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
    const place = { offset: this.size, length: bytes.length - 1 };
    this.size += bytes.length;
    return place;
  }

  at({ offset, length }: LinePosition): string {
    const bytes = Buffer.alloc(length);
    const read = readSync(this.#file, bytes, 0, length, offset);
    return bytes.toString('utf8', 0, read);
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file); // once: by then the number may be another file's
    this.#isOpen = false;
  }
}
