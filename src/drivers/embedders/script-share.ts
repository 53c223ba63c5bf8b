const LETTERS = /\p{L}/gu;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The share of a text's letters that `letters` (with the flag g) matches, 0 to 1; 1 where the text has no letters. */
export function scriptShare(text: string, letters: RegExp): number {
  const all = count(text, LETTERS);
  return all === 0 ? 1 : count(text, letters) / all;
}
