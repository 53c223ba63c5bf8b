/** Finds the index of a number in an ascending list by binary search; -1 if it is absent. */
export function findSorted(sorted: Uint32Array, number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === number ? low : -1;
}
