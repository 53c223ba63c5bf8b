import type { RetrievedItem } from '../../schema/items.ts';

/**
 * Merges items with the same text, white space aside, into the best of them, which lists the sources of the others in `also_in`: copies of a passage would
 * take the room of others that answer.
 */
export function mergeIdentical(items: readonly RetrievedItem[]): RetrievedItem[] {
  const merged = new Map<string, RetrievedItem>();
  for (const item of items) {
    const key = item.text.replace(/\s+/g, ' ').trim();
    const best = merged.get(key);
    merged.set(key, best ? withSources(best, item) : item);
  }
  return [...merged.values()];
}

function withSources(best: RetrievedItem, copy: RetrievedItem): RetrievedItem {
  const source = String(best.metadata.source);
  const others = new Set([...(best.also_in ?? []), String(copy.metadata.source), ...(copy.also_in ?? [])]);
  others.delete(source);
  return others.size > 0 ? { ...best, also_in: [...others] } : best;
}

/** Minimum words of a passage that is compared: short ones ("Yes, since version 3.") are alike by chance. */
const MIN_WORDS = 20;
/** Two passages are nearly identical if they share this part of their words, and all words with digits. */
const MIN_SHARED = 0.9;

/** Items that are compared, each with all better ones: more would take seconds, and nobody reads so far. */
const MAX_COMPARED = 60;

/** Maximum characters of a text that is compared. */
const MAX_COMPARED_LENGTH = 20_000;

const wordsOf = ({ text }: RetrievedItem): Set<string> =>
  new Set(text.length > MAX_COMPARED_LENGTH ? [] : text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu));

function areNearlyIdentical(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (Math.min(one.size, other.size) < MIN_WORDS || Math.min(one.size, other.size) < MIN_SHARED * Math.max(one.size, other.size))
    return false;
  const different = one.symmetricDifference(other);
  const shared = (one.size + other.size - different.size) / 2;
  return shared >= MIN_SHARED * (shared + different.size) && ![...different].some((word) => /\p{N}/u.test(word));
}

/**
 * Takes the first `limit` items that say something new. An item that is nearly identical to a better one comes behind them, if there is room, with a score of
 * at most theirs.
 */
export function takeDistinct(items: readonly RetrievedItem[], limit: number): RetrievedItem[] {
  const distinct: { item: RetrievedItem; words: Set<string> }[] = [];
  const repeated: RetrievedItem[] = [];
  for (const [rank, item] of items.entries()) {
    if (distinct.length === limit) break;
    const words = rank < MAX_COMPARED ? wordsOf(item) : new Set<string>();
    if (rank < MAX_COMPARED && distinct.some((better) => areNearlyIdentical(better.words, words))) repeated.push(item);
    else distinct.push({ item, words });
  }
  const least = distinct.at(-1)?.item.score ?? 0;
  const behind = repeated.slice(0, limit - distinct.length).map((item) => ({ ...item, score: Math.min(item.score, least) }));
  return [...distinct.map(({ item }) => item), ...behind];
}
