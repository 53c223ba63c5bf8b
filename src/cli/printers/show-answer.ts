import type { Event } from '../../schema/results.ts';
import type { ChatResult } from '../../schema/answers.ts';
import type { FallbackMessages } from '../../languages/language.ts';
import { fallbacksFor } from '../../languages/detect.ts';
import { count } from '../../text/count.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';
import { wrapSpans, unstyled, wrapText } from '../markdown/line-wrapper.ts';
import { MarkdownStream } from '../markdown/stream.ts';
import { makePrintable, createPrintableFilter, type Screen } from '../screen.ts';
import { explainLines } from './show-hits.ts';
import { locationText } from '../../text/passage-location.ts';
import { formatFailure } from './show-ingest.ts';

/** Says why an answer is less reliable; undefined if there is no doubt, or no answer from sources. */
function explainDoubt(
  { answer, sources, answer_confidence: { level, reason }, retrieval_quality }: ChatResult,
  messages: FallbackMessages,
): string | undefined {
  if (answer === '' || level === 'none' || reason === 'errors') return undefined; // an answer that declines explains itself
  if (!sources.some((source) => source.cited)) return messages.uncited;
  if (reason === 'citations_unsupported') return messages.unsupported;
  if (level !== 'low') return undefined;
  return retrieval_quality.passed_chunks ? messages.uncertain : messages.little;
}

/** Maximum passages shown with a doubtful answer, including cited ones. */
const MAX_SHOWN_SOURCES = 3;

type DisplayedSource = Pick<Source, 'title' | 'metadata' | 'location' | 'collection'> & { citation?: number };

const placeKey = ({ title, metadata, location, collection }: DisplayedSource): string =>
  [title, collection, metadata.source, locationText(location, metadata.file_type)].join('\0');

/** Lists places that an answer does not cite, best first, each once: of the sources of its prompt, and of the other hits. */
function listUncited({ sources, retrieval: { outputs } }: ChatResult, cited: readonly DisplayedSource[]): DisplayedSource[] {
  const found = outputs.filter(({ id }) => sources.every((source) => source.id !== id));
  const titleOf = ({ title, source }: RetrievedItem['metadata']) => String(title ?? source);
  const others: DisplayedSource[] = [
    ...sources.filter((source) => !source.cited).map(({ citation: _citation, ...source }) => source),
    ...found.map(({ metadata, collection }) => ({
      title: titleOf(metadata),
      metadata,
      collection,
      location: Location.safeParse(metadata.location).data ?? {},
    })),
  ];
  const seen = new Set(cited.map(placeKey));
  return others.filter((other) => seen.size < seen.add(placeKey(other)).size);
}

/** Prints what follows an answer, in the language of the question: its confidence, its sources, and what failed. */
export function showSources(result: ChatResult, screen: Screen): void {
  const { color } = screen;
  const cited = result.sources.filter((source) => source.cited);
  const messages = fallbacksFor(result.retrieval.query, result.history);
  const doubt = explainDoubt(result, messages);
  if (doubt && !result.answer.includes(doubt)) screen.print(color.dim(wrapText(`\n${doubt}`, screen.columns)));
  const isDeclined = result.answer_confidence.reason === 'retrieval_quality_low_confidence' && result.answer_confidence.level === 'none';
  const others = (doubt || isDeclined) && !screen.quiet ? listUncited(result, cited).slice(0, MAX_SHOWN_SOURCES - cited.length) : [];
  if (cited.length > 0) screen.print('');
  for (const source of cited) screen.print(sourceLine(source, screen));
  if (others.length > 0) screen.print(color.dim(`\n${messages.see_also}`));
  for (const source of others) screen.print(sourceLine(source, screen));
  // an unreachable model fails both at the search query and at the answer
  for (const line of new Set(result.errors.map((error) => formatFailure(error))))
    screen.warn(wrapText(`${result.answer ? 'Note' : 'Error'}: ${line}`, screen.columns));
}

/** Writes a source as `[1] Operator Manual — manual.md · Maintenance › Filter, lines 20–24`, and a remark; "–" instead of a number if the answer does not use it. */
export function sourceLine(
  { citation, title, metadata, location, collection }: DisplayedSource,
  { color, columns }: Pick<Screen, 'color' | 'columns'>,
  remark = '',
): string {
  const headings = location?.headings?.filter((heading) => heading !== title) ?? [];
  const place = [collection, String(metadata.source), locationText({ ...location, headings }, metadata.file_type)]
    .filter(Boolean)
    .join(' · ');
  const spans = [
    { text: citation === undefined ? '–' : `[${citation}]`, paint: color.bold },
    { text: ` ${makePrintable(title)} — `, paint: unstyled },
    { text: makePrintable(place), paint: color.cyan },
    { text: remark, paint: color.dim },
  ].filter(({ text }) => text !== '');
  if (columns === undefined) return spans.map(({ text, paint }) => paint(text)).join('');
  return wrapSpans(spans, { hang: '    ', columns });
}

/** Whether the exit code is a failure: there is no answer, or errors instead. */
export const hasNoAnswer = ({ answer, answer_confidence }: ChatResult): boolean => answer === '' || answer_confidence.reason === 'errors';

/** Prints streamed Markdown: drawn on a terminal, unchanged elsewhere, without control sequences. */
export function markdownPrinter({ columns, color, write }: Screen): Pick<MarkdownStream, 'push' | 'end' | 'isAtLineStart'> {
  const clean = createPrintableFilter();
  const stream = new MarkdownStream({ columns: columns ?? Infinity, color, write });
  let last = '\n';
  const print = (text: string): void => {
    if (text === '') return;
    last = text.at(-1)!;
    if (columns === undefined) write(text);
    else stream.push(text);
  };
  return {
    get isAtLineStart() {
      return columns === undefined ? last === '\n' : stream.isAtLineStart;
    },
    push: (piece) => print(clean(piece)),
    end() {
      print(clean('', true));
      if (columns !== undefined) stream.end();
      else if (last !== '\n') print('\n');
    },
  };
}

/** Whether an event is a pause before another attempt (core/retry.ts). */
const isRetryPause = ({ type, data }: Pick<Event, 'type' | 'data'>): boolean => type === 'progress' && data.wait !== undefined;

/** Returns the status text for an event; undefined if the status stays. */
function statusOf(event: Pick<Event, 'type' | 'stage' | 'data' | 'message'>): string | undefined {
  const { type, stage, data, message } = event;
  if (type === 'token') return 'Writing…';
  if (type !== 'progress') return undefined;
  if (isRetryPause(event)) return makePrintable(message);
  if (stage === 'chat') return data.search_query === undefined ? 'Reading the question…' : 'Searching…';
  return stage === 'generation' ? `Reading ${count(Number(data.sources), 'passage')}…` : undefined;
}

/** Prints a chat while it runs: its stage, the answer word by word, then its sources. `end` always leaves the cursor at the beginning of a line. */
export function answerPrinter(screen: Screen) {
  let answer = markdownPrinter(screen);
  let hasTokens = false;
  return {
    onEvent(event: Event): void {
      if (screen.json) return;
      if (event.type === 'token') {
        hasTokens = true;
        if (event.data.reset === true) {
          answer.end();
          screen.print(screen.color.dim('(The model was thinking aloud. Its answer follows.)\n'));
          answer = markdownPrinter(screen);
        }
        answer.push(String(event.data.text));
      }
      const status = statusOf(event);
      if (status === undefined || !answer.isAtLineStart) return;
      if (isRetryPause(event) && !screen.isTerminal) screen.note(status);
      else screen.status(status);
    },
    result(result: ChatResult): void {
      if (!hasTokens) answer.push(result.answer);
      answer.end();
      screen.status();
      if (hasTokens && result.answer === '') screen.print(screen.color.dim('… (the answer broke off)'));
      showSources(result, screen);
      if (!result.explain) return;
      const explained = explainLines(result.retrieval, result.explain).join('\n');
      screen.print(screen.color.dim(`\n${wrapText(explained, screen.columns)}`));
    },
    end(): void {
      answer.end();
      screen.status();
    },
    hasFailed: hasNoAnswer,
  };
}
