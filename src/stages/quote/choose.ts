import { lastQuestion, subjectTerms } from '../../languages/question.ts';
import type { Embedder, GroundingSource } from '../../ports/models.ts';
import { countWords, type QuoteBlock, quoteBlocks } from './quote-blocks.ts';
import { otherSide } from './comparison.ts';
import { type Compare, compareTo, headingOf, type RankedCandidate, rankPassages } from './rank.ts';
import { grow, passageOf, type QuotedPassage } from './passages.ts';

/** Words of an answer at most, with the headings that it stands under. */
export const MOST_WORDS = 120;

/**
 * Two passages whose scores differ by less are both quoted, each in half of the words: nothing tells which of them answers. Of .03 to .2 it is where
 * most questions about real documentation and most of SQuAD's are answered.
 */
const NEAR_TIE = 0.08;

/** Passages that are tried for one that fits without being broken off. */
const MOST_TRIED = 5;

/** A passage to quote, under its path. */
export interface Quotation extends QuotedPassage {
  source: number;
  /** In one line. */
  path: string;
  /** The same for all passages of one section of a document. */
  section: string;
}

/** What is quoted for one question, best first, and what it was chosen from. */
interface Choice {
  quotations: readonly Quotation[];
  ranked: readonly RankedCandidate[];
  /** Compares texts with the question. */
  compare: Compare;
}

interface ChooseOptions {
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

/** Chooses what to quote: the passage that fits best, and the next where both fit alike; of two things that are compared, one about each where none is about both. */
export async function chooseQuotations(
  query: string,
  { sources, words = MOST_WORDS, said = '', embedder, signal }: ChooseOptions,
): Promise<Choice> {
  const before = bare(said);
  const blocks = sources.flatMap(quoteBlocks).map((block) => (before !== '' && before.includes(bare(block.text)) ? leftOut(block) : block));
  const compare = compareTo(query, { embedder, signal });
  const ranked = await rankPassages(query, blocks, { sources, words, compare });
  const [best] = ranked;
  if (!best) return { quotations: [], ranked, compare };
  const second = otherSide(lastQuestion(query), ranked) ?? ranked.slice(1, 2).find(({ score }) => best.score - score < NEAR_TIE);
  const wanted = new Set(subjectTerms(lastQuestion(query)));
  const quote = (candidate: RankedCandidate, most: number) => quotationOf(candidate, { sources, blocks, words: most, wanted });
  const both = second ? [best, second].map((candidate) => quote(candidate, Math.floor(words / 2))) : [];
  if (second && !both.some(({ isBroken }) => isBroken)) return { quotations: both, ranked, compare };
  const one = ranked.slice(0, MOST_TRIED).values().map((candidate) => quote(candidate, words)); // prettier-ignore
  return { quotations: [one.find(({ isBroken }) => !isBroken) ?? quote(best, words)], ranked, compare };
}

/** A candidate in so many words, its path included. */
function quotationOf(
  { seed }: RankedCandidate,
  {
    sources,
    blocks,
    words,
    wanted,
  }: { sources: readonly GroundingSource[]; blocks: readonly QuoteBlock[]; words: number; wanted: ReadonlySet<string> },
): Quotation {
  const path = headingOf(seed.path, words);
  const room = words - countWords(path);
  const own = blocks.filter(({ source }) => source === seed.source);
  const worth = (block: QuoteBlock) => block.own.intersection(wanted).size;
  const section = JSON.stringify([sources[seed.source]!.document ?? seed.source, ...seed.path]);
  return { source: seed.source, path, section, ...passageOf(grow(own, seed, { room, worth }), { room, wanted }) };
}
