/** Bytes of a block that small pieces are copied into. */
const BLOCK_SIZE = 65_536;
/** Pieces from this size on are kept as they are. */
const LARGE_PIECE = 16_384;

/** Collects bytes that arrive in pieces. Small pieces are copied together, because a Buffer of one byte takes 370 bytes of memory. */
export class ByteCollector {
  /** Number of bytes so far. */
  length = 0;
  readonly #pieces: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #used = 0;

  add(piece: Uint8Array): void {
    this.length += piece.length;
    if (piece.length >= LARGE_PIECE) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafe(BLOCK_SIZE);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** Returns all bytes, or the first `length` of them. */
  concat(length = this.length): Buffer {
    this.#closeBlock();
    return Buffer.concat(this.#pieces, length);
  }

  /** Number of buffers that hold the bytes. */
  get pieceCount(): number {
    return this.#pieces.length;
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
