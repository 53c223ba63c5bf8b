/** Writes page numbers as ascending ranges: `2-5, 9`. */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range?.[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}
