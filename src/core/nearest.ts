/** How many letters must be inserted, removed, changed or swapped with their neighbour to make one word of another (Damerau and Levenshtein, restricted). */
export function distance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, previous[j - 2]! + 1);
      next.push(best);
    }
    previous = row;
    row = next;
  }
  return row[b.length]!;
}

/** The number of letters in the longer of two words between those that both begin and end with. */
function differing(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let [first, last] = [0, 0];
  while (first < shorter && a[first] === b[first]) first++;
  while (last < shorter - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  return Math.max(a.length, b.length) - first - last;
}

/** Letters that may all be wrong; of more, some have to be right: «faq/nope.md» is not meant for «faq/cost.md». */
const MOST_WRONG = 2;
/** Letters up to which a word is so short that two wrong ones make it another: «nope» is not meant for «pipe». */
const SHORT = 4;

/**
 * Finds the word that was probably meant; undefined if none is near (at most two letters in five may differ, but not all between the common
 * beginning and end).
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  const most = word.length <= SHORT ? 1 : Math.max(MOST_WRONG, Math.floor(word.length * 0.4));
  return known
    .map((candidate) => ({ candidate, far: distance(asked, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= most && (far <= MOST_WRONG || far < differing(asked, candidate.toLowerCase())))
    .toSorted((a, b) => a.far - b.far)[0]?.candidate;
}

/** Asks whether the nearest word was meant; undefined if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(word, known);
  return meant === undefined ? undefined : `Did you mean «${meant}»?`;
}
