import { lastAsked, subjectTerms } from '../../base/asked.ts';
import type { Embedder, GroundingSource } from '../../ports/models.ts';
import { blocksOf, countWords, type QuoteBlock } from './blocks.ts';
import { grow, passageOf, type QuotedPassage } from './passages.ts';
import { rankPassages, type Candidate } from './rank.ts';

/** Words of an answer at most, with the headings that it stands under. */
export const MOST_WORDS = 120;

/**
 * Two passages whose scores differ by less are both quoted, each in half of the words: nothing tells which of them answers. Of .03 to .2 it is where
 * most questions about real documentation and most of SQuAD's are answered.
 */
const NEAR_TIE = 0.08;

/** A passage to quote, under its path. */
export interface Quotation extends QuotedPassage {
  source: number;
  path: string;
}

/** What is quoted for one question, best first, and what it was chosen from. */
export interface Choice {
  quotations: readonly Quotation[];
  ranked: readonly Candidate[];
}

export interface ChooseOptions {
  sources: readonly GroundingSource[];
  /** Words of all that is quoted. */
  words?: number;
  /** What was quoted before and is not to be quoted again. */
  said?: string | undefined;
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** As words stand in a quotation and in what it is taken from: without marks, numbers of sources and differences of white space. */
const bare = (text: string): string =>
  text
    .replace(/\[\d+\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

/** A block that nothing begins with or grows over. */
const leftOut = (block: QuoteBlock): QuoteBlock => ({ ...block, isRetrieved: false, section: -1 });

/** Chooses what to quote: the passage that fits best, and the next where both fit alike. */
export async function choose(query: string, { sources, words = MOST_WORDS, said = '', embedder, signal }: ChooseOptions): Promise<Choice> {
  const before = bare(said);
  const blocks = sources.flatMap(blocksOf).map((block) => (before !== '' && before.includes(bare(block.text)) ? leftOut(block) : block));
  const ranked = await rankPassages(query, blocks, { sources, words, embedder, signal });
  const [best, next] = ranked;
  if (!best) return { quotations: [], ranked };
  const isTie = next !== undefined && best.score - next.score < NEAR_TIE;
  const wanted = new Set(subjectTerms(lastAsked(query)));
  const chosen = isTie ? [best, next] : [best];
  return { quotations: chosen.map((candidate) => quotationOf(candidate, { blocks, words: words / chosen.length, wanted })), ranked };
}

/** A candidate in so many words, its path included. */
function quotationOf(
  { seed }: Candidate,
  { blocks, words, wanted }: { blocks: readonly QuoteBlock[]; words: number; wanted: ReadonlySet<string> },
): Quotation {
  const path = seed.path.join(' › ');
  const room = Math.max(words / 2, words - countWords(path));
  const own = blocks.filter(({ source }) => source === seed.source);
  const worth = (block: QuoteBlock) => block.own.intersection(wanted).size;
  return { source: seed.source, path, ...passageOf(grow(own, seed, { room, worth }), { room, wanted }) };
}
