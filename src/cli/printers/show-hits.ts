import { width, clip, foldSpans, wrapText } from '../markdown/flow.ts';
import { lineKind } from '../../text/markdown/lines.ts';
import { queryTerms, terms } from '../../text/terms.ts';
import { locationText } from '../../text/passage-location.ts';
import type { Location, RetrievedItem } from '../../schema/items.ts';
import type { ChatExplain, ChatResult, RetrieveResult } from '../../schema/answers.ts';
import { failureLine } from './show-ingest.ts';
import { printable, type Screen } from '../screen.ts';

/** Lines of a snippet at most. */
const LINES = 3;

const SENTENCE_END = /(?<=[.!?][)"”»’]?)\s+|(?<=[。！？])/u;

/** A sentence, a row of a table or a line of code. */
interface Piece {
  text: string;
  /** The line of the passage that it stands on. */
  line: number;
}

function piecesOf(passage: string): Piece[] {
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
function bestStart(texts: readonly string[], wanted: ReadonlySet<string>, count: number): number {
  const held = texts.map((text) => new Set(terms(text).filter((term) => wanted.has(term))));
  const worth = (start: number) => new Set(held.slice(start, start + count).flatMap((own) => [...own])).size;
  let best = 0;
  for (let start = 1; start + count <= texts.length; start++) if (worth(start) > worth(best)) best = start;
  return best;
}

/** Cuts a snippet of a passage: the sentence with most words of the query and its surroundings, in three lines of `columns` characters. */
export function snippetOf(passage: string, query: string, columns: number): string[] {
  const pieces = piecesOf(passage);
  const wanted = new Set(queryTerms(query));
  const texts = pieces.map(({ text }) => text);
  let start = bestStart(texts, wanted, 1);
  let end = start + 1;
  const fits = (from: number, to: number) => layOut(withEllipses(pieces, from, to), columns).length <= LINES;
  while (end < pieces.length && fits(start, end + 1)) end++;
  while (start > 0 && fits(start - 1, end)) start--;
  const lines = layOut(withEllipses(pieces, start, end), columns);
  const first = bestStart(lines, wanted, LINES);
  return lines.length > LINES ? lines.slice(first, first + LINES) : lines;
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

/** The passage with the words that match the query marked. */
export function markWords(text: string, query: string, mark: (word: string) => string): string {
  const letters = (query.match(WORDS) ?? []).filter(hasDigit).flatMap((code) => terms(code).filter((term) => !hasDigit(term)));
  const wanted = new Set(queryTerms(query)).difference(new Set(letters)); // «L-210» is not in «L-300»
  return printable(text).replace(WORDS, (word) => (terms(word).some((term) => wanted.has(term)) ? mark(word) : word));
}

/** Wraps a line between words. Rows of tables and indented code stay whole. */
export function wrapLine(line: string, columns: number): string[] {
  const isWhole = line.startsWith('|') || /^(?: {4}|\t)(?!\s*(?:[-*+•]|\d+[.)])\s)/.test(line) || width(line) <= columns;
  return isWhole ? [line] : wrapText(line, columns).split('\n');
}

/** Prints each hit with title, score, location and passage; on a terminal a snippet of the passage, unless `full`. */
export function showHits(result: RetrieveResult, screen: Screen, { full = false }: { full?: boolean } = {}): void {
  for (const error of result.errors) screen.warn(`Error: ${failureLine(error)}`);
  if (result.items.length === 0 && result.failed === 0)
    screen.print(wrapText(printable(['Nothing was found.', result.notice].filter(Boolean).join(' ')), screen.columns));
  else if (result.notice !== undefined) screen.note(printable(result.notice));
  for (const [i, item] of result.items.entries()) showHit(item, i + 1, { query: result.search_query, screen, full });
  if (isFused(result.items)) screen.note(FUSED);
}

const FUSED = 'Several collections: the first hits of each come before its further ones, whatever their scores.';

/** Whether hits of several collections were fused by rank, so that a lower score may stand above a higher one. */
const isFused = (items: RetrieveResult['items']): boolean =>
  items.some(
    ({ collection, rerank_score, score }, i) =>
      collection !== undefined && rerank_score === undefined && score > (items[i - 1]?.score ?? 1),
  );

function headingLine(title: string, score: string, { color, columns }: Screen): string {
  const fits = columns === undefined || width(`${title}  ${score}`) <= columns;
  if (fits) return `${color.bold(title)}  ${color.dim(score)}`;
  return foldSpans(
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
  const place = [item.collection ?? '', printable(source), printable(locationText(location, item.metadata.file_type))]
    .filter(Boolean)
    .join(' · ');
  if (rank > 1) screen.print('');
  screen.print(headingLine(`${rank}. ${printable(title ?? source)}`, score, screen));
  screen.print(color.cyan(wrapText(`   ${place}`, columns)));
  const shown =
    columns === undefined || full
      ? item.text
          .trim()
          .split('\n')
          .flatMap((line) => wrapLine(line, (columns ?? Infinity) - 3))
      : snippetOf(printable(item.text), query, columns - 3);
  for (const line of shown) screen.print(line ? `   ${markWords(line, query, (word) => color.bold.yellow(word))}` : '');
  for (const told of armsOf(item.explain)) screen.print(color.dim(wrapText(`   ${told}`, columns)));
}

/** Explanation of a rank: figures of each search arm, and the fused score. */
type Arms = Readonly<Record<string, unknown>>;

type Passage = ChatExplain['passages'][number];

const figure = (value: unknown): string => (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value));

const pairs = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(' ');

/** Writes the explanation of a rank, one text per arm: `text weight 0.500 rank 1 score 7.210`, `fused_score 0.981`. */
const armsOf = (arms: Arms = {}): string[] =>
  Object.entries(arms).map(([name, value]) =>
    printable(`${name} ${typeof value === 'object' && value !== null ? pairs(value) : figure(value)}`),
  );

function fate({ rejected, citation, cited }: Passage): string {
  if (rejected === 'room' && citation === undefined) return 'left out: no room';
  const weak = rejected && rejected !== 'room' ? `below ${rejected}` : '';
  const given = citation === undefined ? '' : `given as [${citation}]${cited ? ', cited' : ''}`;
  return [weak, given].filter(Boolean).join(', ');
}

function passageLine(passage: Passage): string {
  const { rank, title, source, score, rerank_score, arms } = passage;
  const scores = [`score ${figure(score)}`, ...(rerank_score === undefined ? [] : [`reranked ${figure(rerank_score)}`]), ...armsOf(arms)];
  return [`  ${rank}. ${printable(title)} — ${printable(source)}`, scores.join('; '), fate(passage)].filter(Boolean).join(': ');
}

function promptLines({ provider, messages }: ChatExplain['calls'][number]): string[] {
  if (messages?.length === 0) return [`    ${printable(provider)} quotes the passages and is sent no prompt`];
  return (messages ?? []).flatMap(({ role, content }) => [
    `    ${role}:`,
    ...printable(content)
      .split('\n')
      .map((line) => `      ${line}`),
  ]);
}

/** Prints the search query if it differs from the question: the rewritten follow-up, or each of the questions in it. */
function searchLines({ search_query, query }: Asked, searched: readonly string[] = []): string[] {
  const [only, ...others] = searched.length > 0 ? searched : search_query === query ? [] : [search_query];
  if (only === undefined) return [];
  const lines = [only, ...others].map((text) => printable(text).replace(/\s+/g, ' '));
  return others.length === 0 ? [`searched for: ${lines[0]}`] : ['searched for:', ...lines.map((text) => `  ${text}`)];
}

/** The question, and the query that was searched for. */
type Asked = Pick<ChatResult['retrieval'], 'query' | 'search_query'>;

/** Explains a turn, one line each: the searches, thresholds, passages, calls of the model (with the prompt, if present), and durations. */
export function explainLines(asked: Asked, { thresholds, searched, passages, declined, stages, calls, window }: ChatExplain): string[] {
  const questions = calls.flatMap((call) => [
    `  ${call.stage}: ${printable(`${call.provider} / ${call.model}`)}, ${call.input_tokens} tokens in, ${call.output_tokens} out, ${call.milliseconds} ms`,
    ...promptLines(call),
  ]);
  return [
    ...searchLines(asked, searched),
    ...(Object.keys(thresholds).length > 0 ? [`thresholds: ${pairs(thresholds)}`] : []),
    ...(passages.length > 0 ? ['passages:', ...passages.map(passageLine)] : []),
    ...(declined === undefined ? [] : [`declined: ${printable(declined)}`]),
    ...(window ? [`window: ${window.context_window} tokens, ${window.max_tokens} of them for the answer`] : []),
    ...(questions.length > 0 ? ['asked:', ...questions] : []),
    ...(stages.length > 0 ? [`time: ${stages.map(({ stage, milliseconds }) => `${stage} ${milliseconds} ms`).join(', ')}`] : []),
  ];
}
