/** Counts the letters to insert, remove, change or swap with a neighbour to turn one word into the other (restricted Damerau-Levenshtein distance). */
export function editDistance(a: string, b: string): number {
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

/** The length of the longer word without the common beginning and end of both. */
function differingLength(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let [first, last] = [0, 0];
  while (first < shorter && a[first] === b[first]) first++;
  while (last < shorter - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  return Math.max(a.length, b.length) - first - last;
}

/** Differences up to which the whole differing part may be wrong. Beyond, a part of it must match: «faq/nope.md» does not suggest «faq/cost.md». */
const MAX_DIFFERENCES = 2;
/** Maximum letters of a word that may differ in one letter only: «nope» does not suggest «pipe». */
const SHORT_WORD_LENGTH = 4;

/**
 * Finds the word that was probably meant; undefined if none is near (at most two letters in five may differ, but not all between the common
 * beginning and end).
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const lowerCaseWord = word.toLowerCase();
  const maxDifference = word.length <= SHORT_WORD_LENGTH ? 1 : Math.max(MAX_DIFFERENCES, Math.floor(word.length * 0.4));
  return known
    .map((candidate) => ({ candidate, difference: editDistance(lowerCaseWord, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, difference }) =>
        difference <= maxDifference &&
        (difference <= MAX_DIFFERENCES || difference < differingLength(lowerCaseWord, candidate.toLowerCase())),
    )
    .toSorted((a, b) => a.difference - b.difference)[0]?.candidate;
}

/** Asks whether the nearest word was meant; undefined if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const meant = findNearest(word, known);
  return meant === undefined ? undefined : `Did you mean «${meant}»?`;
}
