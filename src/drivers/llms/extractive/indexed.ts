import { terms } from '../../../base/terms.ts';
import { standsInFor } from './dangling.ts';
import type { Passage } from './passages.ts';
import { figureTerms, wantedFigure } from './wanted.ts';

/** A passage by its words, as terms. */
export interface Indexed {
  passage: Passage;
  /** What it says; of a row with a figure that is asked for, with what stands above its table: without that it is a figure of nothing. */
  own: Set<string>;
  /** Of those the words that only its columns have. */
  labels: Set<string>;
  context: Set<string>;
}

/** A passage with its words. What names the figure that is asked for in one way names it in all. */
export function indexedFor(question: string): (passage: Passage) => Indexed {
  const figure = wantedFigure(question);
  const named = figureTerms(question);
  const termsOf = (text: string) => {
    const found = new Set(terms(text));
    return named.some((term) => found.has(term)) ? new Set([...found, ...named]) : found;
  };
  return (passage) => {
    const { kind, text, heading, context, cells = text, labels = '' } = passage;
    const said = kind === 'row' && figure?.test(text) ? `${heading}\n${cells}` : cells;
    const own = termsOf(said);
    return {
      passage,
      own: termsOf(`${said}\n${labels}`),
      labels: new Set([...termsOf(labels)].filter((term) => !own.has(term))),
      context: new Set(terms(context)),
    };
  };
}

/**
 * Whether a sentence is about something that the question does not name: its subject is a pronoun, and what stands before it and above it adds no word of
 * the question.
 */
export function isOfUnasked(
  { passage, own, context }: Indexed,
  before: Indexed | undefined,
  weights: ReadonlyMap<string, number>,
): boolean {
  if (passage.kind !== 'sentence' || !standsInFor(passage.text)) return false;
  const earlier = before?.passage.source === passage.source && before.passage.block === passage.block ? before.own : undefined;
  return ![...weights.keys()].some((term) => !own.has(term) && (earlier?.has(term) || context.has(term)));
}
