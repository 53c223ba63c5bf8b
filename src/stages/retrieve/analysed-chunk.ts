import { findSorted } from '../../core/sorted-numbers.ts';
import { languageOf } from '../../languages/detect.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { hashTerm, ownTerms, terms } from '../../text/terms.ts';
import { indexedText } from './similarity.ts';

/** What the ranking compares chunks by, found out when it is first asked for. Chunks stay in the cache of their store, and this with them. */
class AnalysedChunk {
  readonly #chunk: StoredChunk;
  #own: Uint32Array | undefined;
  #held: Uint32Array | undefined;
  #language: { code: string | undefined } | undefined;

  constructor(chunk: StoredChunk) {
    this.#chunk = chunk;
  }

  /** Hashes of the terms that say what it is about, in order. */
  get own(): Uint32Array {
    return (this.#own ??= Uint32Array.from(ownTerms(indexedText(this.#chunk)), hashTerm));
  }

  /** The language of its text; undefined if it can't be told. */
  get language(): string | undefined {
    this.#language ??= { code: languageOf(this.#chunk.text) };
    return this.#language.code;
  }

  /** Whether a term stands anywhere in it. */
  holds(term: string): boolean {
    this.#held ??= Uint32Array.from(new Set(terms(indexedText(this.#chunk)).map(hashTerm))).toSorted();
    return findSorted(this.#held, hashTerm(term)) >= 0;
  }
}

const known = new WeakMap<StoredChunk, AnalysedChunk>();

/** The analysis of a chunk, made once for as long as the chunk lives. */
export function analyseChunk(chunk: StoredChunk): AnalysedChunk {
  const found = known.get(chunk) ?? new AnalysedChunk(chunk);
  known.set(chunk, found);
  return found;
}
