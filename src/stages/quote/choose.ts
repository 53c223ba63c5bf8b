import { lastQuestion, subjectTerms } from '../../languages/question.ts';
import type { Embedder, GroundingSource } from '../../ports/models.ts';
import { type Comparison, createComparison } from '../../text/compare-meaning.ts';
import { plainText } from '../../text/markdown/plain-text.ts';
import { countWords, type QuoteBlock, quoteBlocks } from './quote-blocks.ts';
import { headingOf, type RankedCandidate, rankPassages, saysTheSame } from './rank.ts';
import { grow, passageOf, type QuotedPassage } from './passages.ts';
import { alternatives, LANGUAGES } from '../../languages/languages.ts';
import { ownTerms } from '../../text/terms.ts';

/** Maximum words of an answer, including headings. */
export const MOST_WORDS = 120;

/**
 * If two passages differ by less in score, both are quoted, with half of the words each. Chosen between .08 and .16 on questions about real
 * documentation, manuals of other projects and SQuAD's.
 */
const NEAR_TIE = 0.12;

/** Number of passages to try before one is truncated. */
const MOST_TRIED = 5;

/** A passage to quote, under its path. */
export interface Quotation extends QuotedPassage {
  source: number;
  /** The path in one line. */
  path: string;
}

/** The quotations for a question, best first, and the candidates. */
interface Choice {
  quotations: readonly Quotation[];
  ranked: readonly RankedCandidate[];
  /** Compares texts with the question. */
  compare: Comparison;
}

interface ChooseOptions {
  sources: readonly GroundingSource[];
  /** Maximum words of all quotations. */
  words?: number;
  /** Earlier answers, which are not repeated. */
  said?: string | undefined;
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** Normalizes a text for comparing it with a quotation: without marks, citation numbers and white space. */
const bare = (text: string): string =>
  text
    .replace(/\[\d+\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();

const leftOut = (block: QuoteBlock): QuoteBlock => ({ ...block, isRetrieved: false, section: -1 });

/**
 * Chooses what to quote: the best passage, and the next if both fit equally. In a comparison of two things, one passage about each unless one is
 * about both.
 */
export async function chooseQuotations(
  query: string,
  { sources, words = MOST_WORDS, said = '', embedder, signal }: ChooseOptions,
): Promise<Choice> {
  const before = bare(said);
  const blocks = sources.flatMap(quoteBlocks).map((block) => (before !== '' && before.includes(bare(block.text)) ? leftOut(block) : block));
  const compare = createComparison(query, { embedder, signal });
  const ranked = await rankPassages(query, blocks, { sources, words, compare });
  const [best] = ranked;
  if (!best) return { quotations: [], ranked, compare };
  const next = ranked.slice(1).find((candidate) => !saysTheSame(candidate, best));
  const second = otherSide(lastQuestion(query), ranked) ?? (next && best.score - next.score < NEAR_TIE ? next : undefined);
  const wanted = new Set(subjectTerms(lastQuestion(query)));
  const quote = (candidate: RankedCandidate, most: number) => quotationOf(candidate, { blocks, words: most, wanted });
  const both = second ? [best, second].map((candidate) => quote(candidate, Math.floor(words / 2))) : [];
  if (second && !both.some(({ isBroken, isOpen }) => isBroken || isOpen)) return { quotations: both, ranked, compare };
  const one = ranked.slice(0, MOST_TRIED).values().map((candidate) => quote(candidate, words)); // prettier-ignore
  return { quotations: [one.find(({ isBroken }) => !isBroken) ?? quote(best, words)], ranked, compare };
}

/** A candidate in at most so many words, including its path; below the term that it defines, also where the definition begins in the middle. */
function quotationOf(
  { seed }: RankedCandidate,
  { blocks, words, wanted }: { blocks: readonly QuoteBlock[]; words: number; wanted: ReadonlySet<string> },
): Quotation {
  const path = headingOf(seed.path, words);
  const own = blocks.filter(({ source }) => source === seed.source);
  const worth = (block: QuoteBlock) => block.own.intersection(wanted).size;
  const passage = (term: string): QuotedPassage => {
    const room = words - countWords(path) - (term === '' ? 0 : countWords(`${term} …`));
    const { text, ...more } = passageOf(grow(own, seed, { room, worth }), { all: own, room, wanted });
    const isNext = own[more.blocks[0]!.at - 1]?.kind === 'term';
    const lead = term === '' ? '' : `${plainText(term)}\n\n${isNext || text.startsWith('…') ? '' : '…\n\n'}`;
    return { ...more, text: lead + text };
  };
  const quoted = passage('');
  const { kind, term } = quoted.blocks[0]!;
  return { source: seed.source, path, ...(kind === 'term' || term === '' ? quoted : passage(term)) };
}

/** The end of the second thing: «json and jsonb in Postgres». */
const WHERE = new RegExp(String.raw`(?<!\s)\s+(?:${alternatives(({ questions }) => questions.where)})\s.*$|(?<![?？.!])[?？.!]+$`, 'giu');

const termsOf = (thing: string): Set<string> => new Set(ownTerms(thing.replace(WHERE, '')));

/** The terms that distinguish two compared things: none and `full` for VACUUM and VACUUM FULL; undefined if nothing is compared. */
export function comparedIn(question: string): readonly [ReadonlySet<string>, ReadonlySet<string>] | undefined {
  const asked = question.trim().replace(/(?<![?？.!\s])[?？.!\s]+$/u, '');
  const patterns = LANGUAGES.flatMap(({ questions }) => questions.compares);
  const { one, other, from } = patterns.map((pattern) => pattern.exec(asked)?.groups).find(Boolean) ?? {};
  if (one === undefined) return undefined;
  const [first, second] = [termsOf(one), termsOf(other ?? from ?? '')];
  return [first.difference(second), second.difference(first)];
}

/** Whether a passage or its titles mention a thing. */
const speaksOf = ({ blocks }: RankedCandidate, thing: ReadonlySet<string>): boolean =>
  thing.size === 0 || blocks.some(({ own, context }) => [...thing].some((term) => own.has(term) || context.has(term)));

/** The best passage about the thing that the best candidate does not mention; undefined if it mentions both or none. */
function otherSide(question: string, ranked: readonly RankedCandidate[]): RankedCandidate | undefined {
  const [best] = ranked;
  const compared = comparedIn(question);
  if (!best || !compared) return undefined;
  const missing = compared.filter((thing) => !speaksOf(best, thing));
  return missing.length === 1 ? ranked.find((candidate) => speaksOf(candidate, missing[0]!)) : undefined;
}
