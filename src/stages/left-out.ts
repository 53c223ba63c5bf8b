import type { Metadata } from '../schema/items.ts';

/** Pages that a notice names. */
const NAMED = 3;

/** What a report says of a document of which more was left out than navigation. */
export const leftOutOf = ({ left_out }: Metadata = {}): { left_out?: number } => (typeof left_out === 'number' ? { left_out } : {});

/** Collects the documents of which more was left out than navigation (`left_out` in their metadata), for one notice at the end. */
export class LeftOut {
  readonly #pages: { source: string; share: number }[] = [];

  add(source: string, metadata: Metadata): void {
    const { left_out } = leftOutOf(metadata);
    if (left_out !== undefined) this.#pages.push({ source, share: left_out });
  }

  /** What to tell of them; undefined where there are none. */
  notice(): string | undefined {
    const pages = this.#pages.toSorted((a, b) => b.share - a.share);
    if (pages.length === 0) return undefined;
    const named = pages.slice(0, NAMED).map(({ source, share }) => `${source} (${Math.round(share * 100)} %)`);
    const others = pages.length - named.length;
    const list = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ');
    return `Of ${pages.length === 1 ? 'one page' : `${pages.length} pages`} only the story was read, and more than a tenth of the words left out as teasers, comments and the like: ${list}.`;
  }
}
