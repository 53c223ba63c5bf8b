import type { Location } from '../schema/items.ts';

/** Kinds of files whose pages are slides. */
const SLIDES = /^(?:pptx|odp)$/;

/** Writes a location as a person would look it up: `page 4`, `sheet Prices, rows 12–18`, `Maintenance › Filter, lines 20–24`. */
export function locationText(location: Location = {}, file_type?: unknown): string {
  const { member, page, page_end, sheet, row_start, row_end, headings, line_start, line_end, anchor, time_start, time_end } = location;
  const range = (name: string, from: number | undefined, to: number | undefined) =>
    from === undefined ? undefined : to === undefined || to === from ? `${name} ${from}` : `${name}s ${from}–${to}`;
  const parts = [
    member,
    headings?.filter((heading) => heading !== sheet).join(' › ') || undefined, // a sheet is named once
    range(SLIDES.test(String(file_type)) ? 'slide' : 'page', page, page_end),
    sheet === undefined ? undefined : `sheet ${sheet}`,
    range('row', row_start, row_end),
    row_start === undefined ? range('line', line_start, line_end) : undefined,
    anchor === undefined ? undefined : `#${anchor}`,
    time_start === time_end ? time_start : `${time_start}–${time_end}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Whether some of a passage stands on a page. */
export const isOnPage = ({ page, page_end = page }: Location, wanted: number): boolean =>
  page !== undefined && page_end !== undefined && page <= wanted && wanted <= page_end;

/** Numbers of pages in ascending order as people write them: `2-5, 9`. */
export function pageRanges(pages: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range?.[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}

/** How many pages such ranges name. */
export const pagesIn = (ranges: string): number =>
  ranges.split(', ').reduce((sum, range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);
