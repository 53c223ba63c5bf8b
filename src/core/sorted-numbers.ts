/** The index of a number in a list that ascends; -1 if it is not there. */
export function findSorted(sorted: Uint32Array, number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === number ? low : -1;
}
