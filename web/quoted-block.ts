const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The share of a statement's words that a block must hold to be what it rests on. */
const ENOUGH = 0.3;

/** The words of a text in small letters, of scripts without spaces too. */
export const wordsOf = (text: string): string[] =>
  Array.from(SEGMENTER.segment(text.toLowerCase()), ({ segment, isWordLike }) => (isWordLike ? segment : '')).filter(Boolean);

/** Letters and figures alone: what two renderings of a text have in common. */
export const bareText = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * The index of the block that a statement most likely rests on; -1 if none does. Words that few blocks hold count more; among blocks that hold as much,
 * the one with less beside it wins.
 */
export function findQuotedBlock(blocks: readonly string[], statement: string): number {
  const wanted = new Set(wordsOf(statement));
  const held = blocks.map((block) => new Set(wordsOf(block)));
  const weights = new Map(
    [...wanted].map((word) => [word, Math.log(1 + blocks.length / (1 + held.filter((words) => words.has(word)).length))]),
  );
  const weightOf = (words: Iterable<string>): number => [...words].reduce((sum, word) => sum + weights.get(word)!, 0);
  const whole = weightOf(wanted);
  if (whole === 0) return -1;
  const shares = held.map((words) => weightOf([...wanted].filter((word) => words.has(word))) / whole - words.size / 10_000);
  const best = shares.indexOf(Math.max(...shares));
  return shares[best]! >= ENOUGH ? best : -1;
}
