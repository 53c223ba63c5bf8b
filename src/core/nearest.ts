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

/** Differences up to which the whole differing part may be wrong. Beyond, a part of it must match: "faq/nope.md" does not suggest "faq/cost.md". */
const MAX_DIFFERENCES = 2;
/** Maximum letters of a word that may differ in one letter only: "nope" does not suggest "pipe". */
const SHORT_WORD_LENGTH = 4;

/** Maximum characters of a word that is compared: a caller may send a name of any length. */
const MAX_COMPARED_LENGTH = 256;
/** Maximum pairs of letters that one call compares, some tenths of a second of work; further candidates are ignored. */
const MAX_COMPARISONS = 20_000_000;

/** Whether two words differ in at most `limit` letters. Only words of similar length are compared letter by letter. */
export const isWithinDistance = (a: string, b: string, limit: number): boolean =>
  Math.max(a.length, b.length) <= MAX_COMPARED_LENGTH && Math.abs(a.length - b.length) <= limit && editDistance(a, b) <= limit;

/**
 * Finds the word that was probably meant; undefined if none is near (at most two letters in five may differ, but not all between the common
 * beginning and end), or if the word has more than MAX_COMPARED_LENGTH characters.
 */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_COMPARED_LENGTH) return undefined;
  const lowerCaseWord = word.toLowerCase();
  const maxDifference = word.length <= SHORT_WORD_LENGTH ? 1 : Math.max(MAX_DIFFERENCES, Math.floor(word.length * 0.4));
  let [nearest, least, comparisons]: [string | undefined, number, number] = [undefined, Infinity, 0];
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > maxDifference) continue;
    if ((comparisons += candidate.length * word.length) > MAX_COMPARISONS) break;
    const lowerCaseCandidate = candidate.toLowerCase();
    const difference = editDistance(lowerCaseWord, lowerCaseCandidate);
    if (difference >= least || difference > maxDifference) continue;
    if (difference > MAX_DIFFERENCES && difference >= differingLength(lowerCaseWord, lowerCaseCandidate)) continue;
    [nearest, least] = [candidate, difference];
  }
  return nearest;
}

/** Asks whether the nearest word was meant; undefined if none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const meant = findNearest(word, known);
  return meant === undefined ? undefined : `Did you mean "${meant}"?`;
}
