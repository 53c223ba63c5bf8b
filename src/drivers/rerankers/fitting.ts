import { upTo, withinTokens } from '../../base/cut.ts';
import { gradingPrompt, LONGEST_PASSAGE } from './grading.ts';

/** What a model reads and writes at once. */
export interface GradingWindow {
  /** All of it, in tokens. */
  tokens: number;
  /** Tokens of a text, rather too many than too few. */
  estimate(text: string): number;
}

/** Tokens of a line that grades («Passage 12 - 7.5/10»), and of what is said around all of them. */
const LINE = 12;
const AROUND = 100;
/** Tokens of the two lines around a passage: the marker, twice, is 48 digits that are no words. */
const FENCE = 80;
/** Least tokens of a passage that are shown. */
const LEAST_PASSAGE = 60;

/**
 * The texts in portions, in their order, each of which fits into the window beside the query and the answer; and the tokens of that answer: a line for
 * each passage, or `max_tokens` for a model that thinks before, as long as that leaves three quarters of the window. A text that does not fit alone is cut.
 */
export function fitting(
  query: string,
  texts: readonly string[],
  { window, max_tokens }: { window: GradingWindow; max_tokens: number },
): { portions: string[][]; answer: number } {
  const needed = AROUND + LINE * texts.length;
  const answer = Math.min(Math.max(needed, Math.min(max_tokens, Math.floor(window.tokens / 4))), Math.floor(window.tokens / 2));
  const taken = gradingPrompt(query, []).reduce((sum, { content }) => sum + window.estimate(content), 0);
  const room = Math.max(FENCE + LEAST_PASSAGE, window.tokens - answer - taken - FENCE);
  const portions: string[][] = [];
  let left = 0;
  for (const text of texts) {
    const shown = withinTokens(upTo(text, LONGEST_PASSAGE), room - FENCE, (part) => window.estimate(part));
    const cost = FENCE + window.estimate(shown);
    if (cost > left) {
      portions.push([]);
      left = room;
    }
    portions.at(-1)!.push(shown);
    left -= cost;
  }
  return { portions, answer };
}
