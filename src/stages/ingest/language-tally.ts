import { languageOf } from '../../languages/detect.ts';
import type { IngestDocument } from './read-documents.ts';

/** Counts the passages that an ingest reads, and those whose document is not in English, told by one passage from its middle. */
export class LanguageTally {
  #passages = 0;
  #foreign = 0;

  /** The share of the passages that are not in English, 0 to 1. Text whose language can't be told, as code, counts as English. */
  get foreign_share(): number {
    return this.#passages === 0 ? 0 : this.#foreign / this.#passages;
  }

  add(chunks: IngestDocument['chunks']): void {
    const middle = chunks[Math.floor(chunks.length / 2)];
    const language = middle && languageOf(middle.text);
    this.#passages += chunks.length;
    if (language !== undefined && language !== 'en') this.#foreign += chunks.length;
  }

  async *counted(works: AsyncIterable<IngestDocument>): AsyncGenerator<IngestDocument, void, void> {
    for await (const work of works) {
      this.add(work.chunks);
      yield work;
    }
  }
}
