import type { Passage } from './passages.ts';

/** A passage with its score. */
export interface Ranked {
  passage: Passage;
  score: number;
}

/** Passages that are quoted at most for what they say themselves. */
export const MOST = 3;

/** A passage is quoted beside the best one from this share of its score; on SQuAD 2.0 that makes 1.5 passages and 42 words an answer. */
export const NEAR_THE_BEST = 0.85;

/** Items that a sentence which leads in to a list brings with it. */
export const MOST_ITEMS = 10;

/** Sentences that are left out between two of the same paragraph, at most: fewer are quoted, so that it reads on. */
export const MOST_BETWEEN = 2;
