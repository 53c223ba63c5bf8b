interface TokenWindow {
  start: number;
  end: number;
}

/**
 * Divides `count` tokens into as few windows of at most `limit` tokens as possible, of about the same length. A window begins at the start of a word if
 * `isInWord` (whether a token continues the word before it) allows that.
 */
export function windows(count: number, limit: number, isInWord: (index: number) => boolean): TokenWindow[] {
  const found: TokenWindow[] = [];
  for (let start = 0; start < count || found.length === 0;) {
    const left = count - start;
    const even = start + Math.ceil(left / Math.max(1, Math.ceil(left / limit)));
    const end = even < count ? wordStart(even, start + Math.ceil((even - start) / 2), isInWord) : count;
    found.push({ start, end });
    start = end;
  }
  return found;
}

/** Finds the last start of a word at or before `at`, no earlier than `lowest`; `at` itself if there is none. */
function wordStart(at: number, lowest: number, isInWord: (index: number) => boolean): number {
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
