import { queryTerms, terms } from '../base/terms.ts';
import type { Location, RetrievedItem } from '../schema/items.ts';
import type { RetrieveResult } from '../schema/answers.ts';
import { folded, wrappedText } from './markdown/flow.ts';
import { width } from './markdown/width.ts';
import { armsOf } from './show-explain.ts';
import { failureLine } from './show-ingest.ts';
import { printable, type Screen } from './screen.ts';
import { snippetOf } from './snippet.ts';

/** Where a passage stands, as a person would look it up: `page 4`, `sheet Prices, rows 12–18`, `Maintenance › Filter, lines 20–24`. */
export function placeText(location: Location = {}): string {
  const { page, sheet, row_start, row_end, headings, line_start, line_end, anchor } = location;
  const range = (name: string, from: number | undefined, to: number | undefined) =>
    from === undefined ? undefined : to === undefined || to === from ? `${name} ${from}` : `${name}s ${from}–${to}`;
  const parts = [
    headings?.length ? headings.join(' › ') : undefined,
    page === undefined ? undefined : `page ${page}`,
    sheet === undefined ? undefined : `sheet ${sheet}`,
    range('row', row_start, row_end),
    row_start === undefined ? range('line', line_start, line_end) : undefined,
    anchor === undefined ? undefined : `#${anchor}`,
  ];
  return printable(parts.filter((part) => part !== undefined).join(', '));
}

/** The passage with the words that match the query marked. */
export function marked(text: string, query: string, mark: (word: string) => string): string {
  const wanted = new Set(queryTerms(query));
  return printable(text).replace(/[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.\-']*[\p{L}\p{M}\p{N}_])?/gu, (word) =>
    terms(word).some((term) => wanted.has(term)) ? mark(word) : word,
  );
}

/** A line in pieces that fit, broken between words. A row of a table and code that is indented stay whole. */
export function wrapped(line: string, columns: number): string[] {
  const isWhole = line.startsWith('|') || /^(?: {4}|\t)(?!\s*(?:[-*+•]|\d+[.)])\s)/.test(line) || width(line) <= columns;
  return isWhole ? [line] : wrappedText(line, columns).split('\n');
}

/** Every hit with its title, place, score and passage: on a terminal a snippet of that, unless it is `full`. */
export function showHits(result: RetrieveResult, screen: Screen, { full = false }: { full?: boolean } = {}): void {
  for (const error of result.errors) screen.warn(`Error: ${failureLine(error)}`);
  if (result.items.length === 0 && result.failed === 0)
    screen.print(wrappedText(printable(['Nothing was found.', result.notice].filter(Boolean).join(' ')), screen.columns));
  for (const [i, item] of result.items.entries()) showHit(item, i + 1, { query: result.search_query, screen, full });
}

/** Title and score, in one line where they fit into it. */
function headingLine(title: string, score: string, { color, columns }: Screen): string {
  const fits = columns === undefined || width(`${title}  ${score}`) <= columns;
  if (fits) return `${color.bold(title)}  ${color.dim(score)}`;
  return folded(
    [
      { text: title, paint: color.bold },
      { text: ` ${score}`, paint: color.dim },
    ],
    { hang: '   ', columns },
  );
}

function showHit(item: RetrievedItem, rank: number, { query, screen, full }: { query: string; screen: Screen; full: boolean }): void {
  const { color, columns } = screen;
  const { title, source, location } = item.metadata as { title?: string; source: string; location?: Location };
  const score =
    item.rerank_score === undefined ? item.score.toFixed(2) : `${item.score.toFixed(2)}, reranked ${item.rerank_score.toFixed(2)}`;
  const place = [printable(source), placeText(location)].filter(Boolean).join(' · ');
  if (rank > 1) screen.print('');
  screen.print(headingLine(`${rank}. ${printable(title ?? source)}`, score, screen));
  screen.print(color.cyan(wrappedText(`   ${place}`, columns)));
  const shown =
    columns === undefined || full
      ? item.text
          .trim()
          .split('\n')
          .flatMap((line) => wrapped(line, (columns ?? Infinity) - 3))
      : snippetOf(printable(item.text), query, columns - 3);
  for (const line of shown) screen.print(line ? `   ${marked(line, query, (word) => color.bold.yellow(word))}` : '');
  for (const told of armsOf(item.explain)) screen.print(color.dim(wrappedText(`   ${told}`, columns)));
}
