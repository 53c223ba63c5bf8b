interface TokenWindow {
  start: number;
  end: number;
}

/**
 * Divides `count` tokens into as few windows of at most `limit` tokens as possible, of about the same length. A window begins at the start of a word if
 * `isInWord` (whether a token continues the word before it) allows that.
 */
export function splitIntoWindows(count: number, limit: number, isInWord: (index: number) => boolean): TokenWindow[] {
  const windows: TokenWindow[] = [];
  for (let start = 0; start < count || windows.length === 0;) {
    const remaining = count - start;
    const evenEnd = start + Math.ceil(remaining / Math.max(1, Math.ceil(remaining / limit)));
    const end = evenEnd < count ? findWordStart(evenEnd, start + Math.ceil((evenEnd - start) / 2), isInWord) : count;
    windows.push({ start, end });
    start = end;
  }
  return windows;
}

/** Finds the last start of a word at or before `at`, no earlier than `lowest`; `at` itself if there is none. */
function findWordStart(at: number, lowest: number, isInWord: (index: number) => boolean): number {
  for (let index = at; index >= lowest; index--) if (!isInWord(index)) return index;
  return at;
}

/** Computes the weighted mean of unit vectors, scaled to unit length. */
export function weightedMean(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const [i, vector] of vectors.entries()) {
    for (const [axis, value] of vector.entries()) sum[axis]! += value * weights[i]!;
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (value) => value / length);
}
