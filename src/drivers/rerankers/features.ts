import { queryTerms, searchedTerms, terms } from '../../base/terms.ts';
import type { RerankPassage } from '../../ports/models.ts';

/** What a passage shares with a query; each number is 0 to 1. */
export interface Features {
  /** The retrieval score. */
  retrieval: number;
  /** Weighted share of the query's terms that it holds, title and headings included. */
  coverage: number;
  /** The most of them within 30 words. */
  window: number;
  /** Share of the query's pairs of neighbouring terms that are neighbours in it, function words aside. */
  pairs: number;
  /** Weighted share of the query's terms in its title and headings. */
  title: number;
}

/** Words of the window in which terms count as standing together. */
const WINDOW = 30;

/** The features of each passage. A term weighs the more the fewer of the passages hold it, as in BM25. */
export function featuresOf(query: string, passages: readonly RerankPassage[]): Features[] {
  const asked = searchedTerms(query);
  const wanted = [...new Set(asked)];
  const wantedPairs = pairsOf(asked);
  const read = passages.map(({ text, metadata }) => {
    const title = titleOf(metadata);
    const words = terms(`${title}\n${text}`);
    return { words, held: new Set(words), title: new Set(terms(title)), pairs: pairsOf(queryTerms(`${title}\n${text}`)) };
  });
  const weights = weigh(wanted, read);
  const total = wanted.reduce((sum, term) => sum + weights.get(term)!, 0) || 1;
  const share = (held: ReadonlySet<string>) => wanted.reduce((sum, term) => sum + (held.has(term) ? weights.get(term)! : 0), 0) / total;
  return read.map(({ words, held, title, pairs }, i) => ({
    retrieval: passages[i]!.score,
    coverage: share(held),
    window: bestWindow(words, weights) / total,
    pairs: [...wantedPairs].filter((pair) => pairs.has(pair)).length / (wantedPairs.size || 1),
    title: share(title),
  }));
}

function titleOf({ title, location }: RerankPassage['metadata']): string {
  const headings = (location as { headings?: unknown } | undefined)?.headings;
  return [title, ...(Array.isArray(headings) ? headings : [])].filter((part) => typeof part === 'string').join('\n');
}

const pairsOf = (words: readonly string[]): Set<string> => new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`));

function weigh(wanted: readonly string[], read: readonly { held: ReadonlySet<string> }[]): Map<string, number> {
  const weight = (holding: number) => Math.log(1 + (read.length - holding + 0.5) / (holding + 0.5));
  return new Map(wanted.map((term) => [term, weight(read.filter(({ held }) => held.has(term)).length)]));
}

/** The greatest weight of different terms within WINDOW words. */
function bestWindow(words: readonly string[], weights: ReadonlyMap<string, number>): number {
  const inside = new Map<string, number>();
  let sum = 0;
  let best = 0;
  for (const [end, word] of words.entries()) {
    if (weights.has(word)) {
      const before = inside.get(word) ?? 0;
      if (before === 0) sum += weights.get(word)!;
      inside.set(word, before + 1);
    }
    const left = words[end - WINDOW];
    if (left !== undefined && weights.has(left)) {
      const rest = inside.get(left)! - 1;
      if (rest === 0) sum -= weights.get(left)!;
      inside.set(left, rest);
    }
    best = Math.max(best, sum);
  }
  return best;
}
