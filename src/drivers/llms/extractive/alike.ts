import { lastAsked } from '../../../base/asked.ts';
import { MOST, MOST_ITEMS, NEAR_THE_BEST, type Ranked } from './limits.ts';
import type { Passage } from './passages.ts';

/** Asks for one that only stands out among the others: nothing in its own row says that it does. English and German. */
const SUPERLATIVE =
  /(?<!\p{L})(?:most|least|fewest|first|last|best|worst|(?!(?:te|re|we|gu|qu|fo|ha|inter|requ|inv|harv|prot|cont|sugg|arr|hon|mod|dig)est)\p{L}{2,}est|meisten?|wenigsten?|am \p{L}+sten|(?:höchst|größt|kleinst|teuerst|billigst|schnellst|längst|kürzest|ältest|neu?est|jüngst|schwerst|leichtest|best|erst|letzt)e[nrsm]?)(?!\p{L})/iu;

/**
 * The rows or items of the best one's block, where nothing in the question tells them apart: more of them are near the best than would be quoted, or one is asked
 * for by what it is beside the others («Which is the highest?»). Of a block that is too long to be quoted whole those near the best.
 */
export function alike(passages: readonly Passage[], ranked: readonly Ranked[], question: string): Passage[] | undefined {
  const first = ranked[0]?.passage;
  if (first?.kind !== 'row' && first?.kind !== 'item') return undefined;
  const isBeside = ({ source, block, kind }: Passage) => source === first.source && block === first.block && kind === first.kind;
  const near = ranked.filter(({ passage, score }) => isBeside(passage) && score >= NEAR_THE_BEST * ranked[0]!.score);
  const all = passages.filter(isBeside);
  if (all.length <= MOST || (near.length < MOST && !SUPERLATIVE.test(lastAsked(question)))) return undefined;
  return all.length <= MOST_ITEMS ? all : near.slice(0, MOST_ITEMS).map(({ passage }) => passage);
}
