import { queryTerms, terms } from '../../../base/terms.ts';
import type { Passage } from './passages.ts';

/** What is quoted together from one source, in reading order. */
export interface Quotation {
  source: number;
  passages: Passage[];
}

/** Passages that are quoted at most for what they say themselves. */
const MOST = 3;

/** A passage is quoted beside the best one from this share of its score; on SQuAD 2.0 that makes 1.5 passages and 42 words an answer. */
const NEAR_THE_BEST = 0.85;

/** Items that a sentence which leads in to a list brings with it. */
const MOST_ITEMS = 10;

/** How far back a sentence that cannot stand alone is followed. */
const MOST_BEFORE = 2;

/** Terms of the question that the sentence beside the best one has to add, to be quoted with it. */
const LEAST_MORE = 2;

/** Beginnings that lean on the sentence before. */
const LEANING =
  /^(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|theirs|such|however|therefore|thus|hence|but|and|so|also|then|instead|otherwise|both|neither|moreover|furthermore|besides|additionally|there|here|er|sie|es|dies|diese|dieser|dieses|dabei|dadurch|daher|deshalb|jedoch|außerdem|dort|il|elle|ils|elles|cela|ceci|cette|ces|celui-ci|celle-ci|cependant|ainsi|ello|esto|eso|este|esta|estos|estas|ellos|ellas|además|sin embargo|por eso|questo|questa|questi|queste|esso|essa|tuttavia|inoltre|ele|ela|eles|elas|isso|isto|contudo)(?![\p{L}\p{N}])/iu;

/** The best passages: never the same words twice, nothing far behind the best. */
function best(passages: readonly Passage[], scores: readonly number[]): Passage[] {
  const ranked = passages.map((passage, i) => ({ passage, score: scores[i]! })).toSorted((a, b) => b.score - a.score);
  const found = new Map<string, Passage>();
  for (const { passage, score } of ranked) {
    if (found.size >= MOST || score < NEAR_THE_BEST * ranked[0]!.score) break;
    if (!found.has(passage.text)) found.set(passage.text, passage);
  }
  return [...found.values()];
}

/** The places (in the source of `passage`) that have to be quoted with it, so that it can be understood. */
function companions(passage: Passage, all: readonly Passage[]): number[] {
  const { at, kind, text, block } = passage;
  const places = [at];
  for (let i = at; kind === 'sentence' && i > 0 && at - i < MOST_BEFORE && LEANING.test(all[i]!.text) && all[i - 1]!.block === block; i--)
    places.push(i - 1);
  const leads = all.filter((other) => other.lead === at).slice(0, MOST_ITEMS);
  places.push(...leads.map((other) => other.at));
  if (passage.lead !== undefined) places.push(passage.lead);
  if (/[?？]$/.test(text) && at + 1 < all.length) places.push(at + 1);
  return places;
}

/** The sentence beside the best one that says more of what is asked than it does, where there is one: the one behind it first. */
function completing({ at, block, kind, text }: Passage, all: readonly Passage[], question: string): number[] {
  const own = new Set(terms(text));
  const lacking = queryTerms(question).filter((term) => !own.has(term));
  const beside = [all[at + 1], all[at - 1]].filter((other) => kind === 'sentence' && other?.kind === 'sentence' && other.block === block);
  const counts = beside.map((other) => {
    const held = new Set(terms(other!.text));
    return lacking.filter((term) => held.has(term)).length;
  });
  const most = Math.max(0, ...counts);
  return most >= LEAST_MORE ? [beside[counts.indexOf(most)]!.at] : [];
}

/** What to quote: the best passages with what they need to be understood; the source with the best first, reading order within a source. */
export function choose(passages: readonly Passage[], scores: readonly number[], question: string): Quotation[] {
  const places = new Map<number, Set<number>>();
  const of = (source: number) => passages.filter((passage) => passage.source === source);
  for (const [rank, passage] of best(passages, scores).entries()) {
    const wanted = places.get(passage.source) ?? new Set();
    const all = of(passage.source);
    for (const place of companions(passage, all)) wanted.add(place);
    if (rank === 0) for (const place of completing(passage, all, question)) wanted.add(place);
    places.set(passage.source, wanted);
  }
  return [...places].map(([source, wanted]) => ({ source, passages: of(source).filter(({ at }) => wanted.has(at)) }));
}
