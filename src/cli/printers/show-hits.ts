import { width, clip, wrapSpans, wrapText } from '../markdown/line-wrapper.ts';
import { lineKind } from '@citekb/documents/markdown';
import { queryTerms, terms } from '../../text/terms.ts';
import { locationText } from '../../text/passage-location.ts';
import type { Location, RetrievedItem } from '../../schema/items.ts';
import type { ChatExplain, ChatResult, RetrieveResult } from '../../schema/answers.ts';
import { formatFailure } from './show-ingest.ts';
import { makePrintable, type Screen } from '../screen.ts';

/** Maximum lines of a snippet. */
const MAX_LINES = 3;

const SENTENCE_END = /(?<=[.!?][)"”»’]?)\s+|(?<=[。！？])/u;

/** A sentence, a row of a table or a line of code. */
interface Piece {
  text: string;
  /** Index of its line in the passage. */
  line: number;
}

function splitPieces(passage: string): Piece[] {
  const lines = passage.split('\n').filter((line) => line.trim());
  const body = lines.filter((line) => lineKind(line) !== 'heading');
  return (body.length > 0 ? body : lines).flatMap((text, line) =>
    /^(?:\||\s{4})/.test(text) ? [{ text, line }] : text.split(SENTENCE_END).map((sentence) => ({ text: sentence, line })),
  );
}

function layOut(pieces: readonly Piece[], columns: number): string[] {
  const lines = [...Map.groupBy(pieces, ({ line }) => line).values()].map((parts) => parts.map(({ text }) => text).join(' '));
  return lines.flatMap((line) => (/^(?:\||\s{4})/.test(line) ? [clip(line, columns)] : wrapText(line, columns).split('\n')));
}

/** Finds where the `count` consecutive texts begin that hold most of the wanted terms; the first of several. */
function findBestStart(texts: readonly string[], wanted: ReadonlySet<string>, count: number): number {
  const found = texts.map((text) => new Set(terms(text).filter((term) => wanted.has(term))));
  const countTerms = (start: number) => new Set(found.slice(start, start + count).flatMap((own) => [...own])).size;
  let best = 0;
  for (let start = 1; start + count <= texts.length; start++) if (countTerms(start) > countTerms(best)) best = start;
  return best;
}

/** Cuts a snippet of a passage: the sentence with most words of the query and its surroundings, in three lines of `columns` characters. */
export function cutSnippet(passage: string, query: string, columns: number): string[] {
  const pieces = splitPieces(passage);
  const wanted = new Set(queryTerms(query));
  const texts = pieces.map(({ text }) => text);
  let start = findBestStart(texts, wanted, 1);
  let end = start + 1;
  const fits = (from: number, to: number) => layOut(withEllipses(pieces, from, to), columns).length <= MAX_LINES;
  while (end < pieces.length && fits(start, end + 1)) end++;
  while (start > 0 && fits(start - 1, end)) start--;
  const lines = layOut(withEllipses(pieces, start, end), columns);
  const first = findBestStart(lines, wanted, MAX_LINES);
  return lines.length > MAX_LINES ? lines.slice(first, first + MAX_LINES) : lines;
}

function withEllipses(pieces: readonly Piece[], start: number, end: number): Piece[] {
  const shown = pieces.slice(start, end);
  if (start > 0) shown[0] = { ...shown[0]!, text: `… ${shown[0]!.text}` };
  const last = shown.length - 1;
  if (end < pieces.length) shown[last] = { ...shown[last]!, text: `${shown[last]!.text} …` };
  return shown;
}

const WORDS = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.\-']*[\p{L}\p{M}\p{N}_])?/gu;
const hasDigit = (text: string): boolean => /\p{N}/u.test(text);

/** Marks the words of a passage that match the query. */
export function markWords(text: string, query: string, mark: (word: string) => string): string {
  const letters = (query.match(WORDS) ?? []).filter(hasDigit).flatMap((code) => terms(code).filter((term) => !hasDigit(term)));
  const wanted = new Set(queryTerms(query)).difference(new Set(letters)); // "L" of "L-210" does not match "L-300"
  return makePrintable(text).replace(WORDS, (word) => (terms(word).some((term) => wanted.has(term)) ? mark(word) : word));
}

/** Wraps a line between words. Rows of tables and indented code stay whole. */
export function wrapLine(line: string, columns: number): string[] {
  const isWhole = line.startsWith('|') || /^(?: {4}|\t)(?!\s*(?:[-*+•]|\d+[.)])\s)/.test(line) || width(line) <= columns;
  return isWhole ? [line] : wrapText(line, columns).split('\n');
}

/** Prints each hit with title, score, location and passage; on a terminal a snippet of the passage, unless `full`. */
export function showHits(result: RetrieveResult, screen: Screen, { full = false }: { full?: boolean } = {}): void {
  for (const error of result.errors) screen.warn(`Error: ${formatFailure(error)}`);
  if (result.items.length === 0 && result.failed === 0)
    screen.print(wrapText(makePrintable(['Nothing was found.', result.notice].filter(Boolean).join(' ')), screen.columns));
  else if (result.notice !== undefined) screen.note(makePrintable(result.notice));
  for (const [i, item] of result.items.entries()) showHit(item, i + 1, { query: result.search_query, screen, full });
  if (isFused(result.items)) screen.note(FUSED_NOTE);
}

const FUSED_NOTE = 'Several collections: the first hits of each come before its further ones, whatever their scores.';

/** Whether hits of several collections were fused by rank, so that a lower score may stand above a higher one. */
const isFused = (items: RetrieveResult['items']): boolean =>
  items.some(
    ({ collection, rerank_score, score }, i) =>
      collection !== undefined && rerank_score === undefined && score > (items[i - 1]?.score ?? 1),
  );

function headingLine(title: string, score: string, { color, columns }: Screen): string {
  const fits = columns === undefined || width(`${title}  ${score}`) <= columns;
  if (fits) return `${color.bold(title)}  ${color.dim(score)}`;
  return wrapSpans(
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
  const place = [item.collection ?? '', makePrintable(source), makePrintable(locationText(location, item.metadata.file_type))]
    .filter(Boolean)
    .join(' · ');
  if (rank > 1) screen.print('');
  screen.print(headingLine(`${rank}. ${makePrintable(title ?? source)}`, score, screen));
  screen.print(color.cyan(wrapText(`   ${place}`, columns)));
  const shown =
    columns === undefined || full
      ? item.text
          .trim()
          .split('\n')
          .flatMap((line) => wrapLine(line, (columns ?? Infinity) - 3))
      : cutSnippet(makePrintable(item.text), query, columns - 3);
  for (const line of shown) screen.print(line ? `   ${markWords(line, query, (word) => color.bold.yellow(word))}` : '');
  for (const line of formatArms(item.explain)) screen.print(color.dim(wrapText(`   ${line}`, columns)));
}

/** Explanation of a rank: figures of each search arm, and the fused score. */
type Arms = Readonly<Record<string, unknown>>;

type Passage = ChatExplain['passages'][number];

const formatNumber = (value: unknown): string => (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value));

const formatPairs = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${formatNumber(value)}`)
    .join(' ');

/** Writes the explanation of a rank, one text per arm: `text weight 0.500 rank 1 score 7.210`, `fused_score 0.981`. */
const formatArms = (arms: Arms = {}): string[] =>
  Object.entries(arms).map(([name, value]) =>
    makePrintable(`${name} ${typeof value === 'object' && value !== null ? formatPairs(value) : formatNumber(value)}`),
  );

function describeUse({ rejected, citation, cited }: Passage): string {
  if (rejected === 'room' && citation === undefined) return 'left out: no room';
  const weak = rejected && rejected !== 'room' ? `below ${rejected}` : '';
  const given = citation === undefined ? '' : `given as [${citation}]${cited ? ', cited' : ''}`;
  return [weak, given].filter(Boolean).join(', ');
}

function passageLine(passage: Passage): string {
  const { rank, title, source, score, rerank_score, arms } = passage;
  const scores = [
    `score ${formatNumber(score)}`,
    ...(rerank_score === undefined ? [] : [`reranked ${formatNumber(rerank_score)}`]),
    ...formatArms(arms),
  ];
  return [`  ${rank}. ${makePrintable(title)} — ${makePrintable(source)}`, scores.join('; '), describeUse(passage)]
    .filter(Boolean)
    .join(': ');
}

function promptLines({ provider, messages }: ChatExplain['calls'][number]): string[] {
  if (messages?.length === 0) return [`    ${makePrintable(provider)} quotes the passages and is sent no prompt`];
  return (messages ?? []).flatMap(({ role, content }) => [
    `    ${role}:`,
    ...makePrintable(content)
      .split('\n')
      .map((line) => `      ${line}`),
  ]);
}

/** Prints the search query if it differs from the question: the rewritten follow-up, or each of the questions in it. */
function searchLines({ search_query, query }: SearchedQuery, searched: readonly string[] = []): string[] {
  const [only, ...others] = searched.length > 0 ? searched : search_query === query ? [] : [search_query];
  if (only === undefined) return [];
  const lines = [only, ...others].map((text) => makePrintable(text).replace(/\s+/g, ' '));
  return others.length === 0 ? [`searched for: ${lines[0]}`] : ['searched for:', ...lines.map((text) => `  ${text}`)];
}

/** A question with the query that was searched for. */
type SearchedQuery = Pick<ChatResult['retrieval'], 'query' | 'search_query'>;

/** Explains a turn, one line each: the searches, thresholds, passages, calls of the model (with the prompt, if present), and durations. */
export function explainLines(
  asked: SearchedQuery,
  { thresholds, searched, passages, declined, stages, calls, window }: ChatExplain,
): string[] {
  const questions = calls.flatMap((call) => [
    `  ${call.stage}: ${makePrintable(`${call.provider} / ${call.model}`)}, ${call.input_tokens} tokens in, ${call.output_tokens} out, ${call.milliseconds} ms`,
    ...promptLines(call),
  ]);
  return [
    ...searchLines(asked, searched),
    ...(Object.keys(thresholds).length > 0 ? [`thresholds: ${formatPairs(thresholds)}`] : []),
    ...(passages.length > 0 ? ['passages:', ...passages.map(passageLine)] : []),
    ...(declined === undefined ? [] : [`declined: ${makePrintable(declined)}`]),
    ...(window ? [`window: ${window.context_window} tokens, ${window.max_tokens} of them for the answer`] : []),
    ...(questions.length > 0 ? ['asked:', ...questions] : []),
    ...(stages.length > 0 ? [`time: ${stages.map(({ stage, milliseconds }) => `${stage} ${milliseconds} ms`).join(', ')}`] : []),
  ];
}
