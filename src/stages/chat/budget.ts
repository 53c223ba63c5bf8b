import { truncateToTokens } from '../../text/truncate.ts';
import type { GroundingSource } from '../../ports/models.ts';
import type { LlmConfig } from '../../schema/config-chat.ts';
import type { HistoryEntry } from '../../schema/items.ts';

/** Tokens that a model reads and writes at once where nobody knows it. */
const UNKNOWN_WINDOW = 8000;

/** Tokens that every message costs beyond its text: role and marks. */
const MESSAGE = 5;

/** Tokens of the two lines around a source. */
const FENCE = 70;

/** Least tokens of a source that is cut. */
const LEAST_SOURCE = 60;

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;
const FOREIGN = /[^\p{ASCII}]/gu;

/**
 * Tokens of a text, rather too many than too few: ASCII has 3.5 characters a token (English text about four and a half, code and figures about three), a letter of an unspaced script is one, of any
 * other script half a one. No tokenizer is asked, since each model has its own.
 */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  const foreign = (text.match(FOREIGN)?.length ?? 0) - dense;
  return Math.ceil((text.length - dense - foreign) / 3.5 + dense + foreign / 2);
}

/** How the window is divided: what may be sent, and what is kept free for the answer. */
export interface TokenBudget {
  /** All of it, in tokens. */
  tokens: number;
  /** Tokens for the answer: `max_tokens`, at most half of the window. */
  answer: number;
  /** Tokens for everything that is sent. */
  prompt: number;
}

/** The window of a model. Where nobody knows its size, it is taken to hold at least twice the answer that is asked for. */
export function windowOf({ context_window, max_tokens }: Pick<LlmConfig, 'context_window' | 'max_tokens'>): TokenBudget {
  const tokens = context_window ?? Math.max(UNKNOWN_WINDOW, 2 * max_tokens);
  const answer = Math.min(max_tokens, Math.floor(tokens / 2));
  return { tokens, answer, prompt: tokens - answer };
}

const messageTokens = ({ content }: { content: string }): number => MESSAGE + estimateTokens(content);
const sourceTokens = ({ title, text }: GroundingSource): number => FENCE + estimateTokens(`${title}\n${text}`);
const besideTokens = ({ before = '', after = '' }: GroundingSource): number => estimateTokens(before) + estimateTokens(after);
const alone = ({ before: _before, after: _after, ...source }: GroundingSource): GroundingSource => source;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Tokens of messages, with what each costs beside its text. */
export const tokensOfMessages = (messages: readonly { content: string }[]): number => sum(messages.map(messageTokens));

/** What a prompt is filled with. */
export interface Filling {
  history: readonly HistoryEntry[];
  sources: readonly GroundingSource[];
}

/**
 * As much of the history and the sources as fits into `room` tokens: first the messages before the `keep_recent` newest go, the oldest first, then the
 * sources, the weakest first, down to one; then the oldest of the newest messages; at last the end of the one source. What stands beside the sources comes
 * with the best of them, as far as there is room left.
 */
export function fitted({ history, sources }: Filling, { room, keep_recent }: { room: number; keep_recent: number }): Filling {
  const messages = history.map(messageTokens);
  const passages = sources.map(sourceTokens);
  let total = sum(messages) + sum(passages);
  let from = 0;
  let count = sources.length;
  const drop = (isLeft: () => boolean, next: () => number) => {
    while (total > room && isLeft()) total -= next();
  };
  drop(
    () => from < history.length - keep_recent,
    () => messages[from++]!,
  );
  drop(
    () => count > 1,
    () => passages[--count]!,
  );
  drop(
    () => from < history.length,
    () => messages[from++]!,
  );
  const kept = sources.slice(0, count).map((source) => {
    const beside = besideTokens(source);
    if (beside === 0 || total + beside > room) return alone(source);
    total += beside;
    return source;
  });
  if (total > room && kept[0]) kept[0] = shortened(kept[0], Math.max(LEAST_SOURCE, room - FENCE));
  return { history: history.slice(from), sources: kept };
}

/** Half of the messages, the newest, and half of the sources, the best; of a single source the first half. */
export function halved({ history, sources }: Filling): Filling {
  const [first] = sources;
  return {
    history: history.slice(Math.ceil(history.length / 2)),
    sources:
      sources.length > 1 || !first
        ? sources.slice(0, Math.ceil(sources.length / 2)).map(alone)
        : [shortened(alone(first), estimateTokens(first.text) / 2)],
  };
}

/** The beginning of a text that has at most so many tokens, ending with a word, and a mark that it goes on. */
export function beginning(text: string, tokens: number): string {
  const begun = truncateToTokens(text, tokens, estimateTokens);
  if (begun === text) return text;
  return `${withoutLastWord(begun)} …`;
}

/** The text up to its last run of blanks; all of it where it has none. Read from its end, since a regex would try every blank of a long run. */
function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && !/\s/.test(text[end - 1]!)) end--;
  if (end === 0) return text;
  while (end > 0 && /\s/.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

const shortened = (source: GroundingSource, tokens: number): GroundingSource => ({ ...source, text: beginning(source.text, tokens) });

/** Messages for a model to read about: each long one by its beginning, and where that is not enough, the newest of them. */
export function quotable(history: readonly HistoryEntry[], room: number): HistoryEntry[] {
  let kept = [...history];
  for (const most of [2000, 1000, 500, 250, 120, 60]) {
    if (tokensOfMessages(kept) <= room) return kept;
    kept = history.map((entry) => ({ ...entry, content: beginning(entry.content, most) }));
  }
  return [...fitted({ history: kept, sources: [] }, { room, keep_recent: 0 }).history];
}
