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

/** The word of a list that was probably meant; undefined where none is near (at most two letters in five differ). */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.far - b.far);
  const [best] = ranked;
  return best && best.far <= Math.max(2, Math.floor(word.length * 0.4)) ? best.candidate : undefined;
}

/** The question whether the nearest word was meant; undefined where none is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(word, known);
  return meant === undefined ? undefined : `Did you mean «${meant}»?`;
}
