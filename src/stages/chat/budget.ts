import { truncateToTokens } from '../../text/truncate.ts';
import type { GroundingSource } from '../../ports/models.ts';
import type { LlmConfig } from '../../schema/config-chat.ts';
import type { HistoryEntry } from '../../schema/items.ts';

/** Assumed context window of an unknown model, in tokens. */
const UNKNOWN_WINDOW = 8000;

/** Overhead of a message, in tokens. */
const MESSAGE_TOKENS = 5;

/** Tokens of the two marker lines around a source. */
const FENCE_TOKENS = 70;

/** Minimum tokens of a truncated source. */
const MIN_SOURCE_TOKENS = 60;

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;
const NON_ASCII = /[^\p{ASCII}]/gu;

/**
 * Estimates the tokens of a text, rather too high: a token for 3.5 ASCII characters (English prose has about 4.5, code about 3), one letter of an
 * unspaced script, or two other characters. Models have different tokenizers, so none is used.
 */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  const foreign = (text.match(NON_ASCII)?.length ?? 0) - dense;
  return Math.ceil((text.length - dense - foreign) / 3.5 + dense + foreign / 2);
}

/** How the context window is divided. */
export interface TokenBudget {
  /** The whole window, in tokens. */
  tokens: number;
  /** Tokens for the answer: `max_tokens`, at most half of the window. */
  answer: number;
  prompt: number;
}

/** The token budget of a model. An unknown window is assumed to hold at least twice `max_tokens`. */
export function windowOf({ context_window, max_tokens }: Pick<LlmConfig, 'context_window' | 'max_tokens'>): TokenBudget {
  const tokens = context_window ?? Math.max(UNKNOWN_WINDOW, 2 * max_tokens);
  const answer = Math.min(max_tokens, Math.floor(tokens / 2));
  return { tokens, answer, prompt: tokens - answer };
}

const messageTokens = ({ content }: { content: string }): number => MESSAGE_TOKENS + estimateTokens(content);
const sourceTokens = ({ title, text }: GroundingSource): number => FENCE_TOKENS + estimateTokens(`${title}\n${text}`);
const neighbourTokens = ({ before = '', after = '' }: GroundingSource): number => estimateTokens(before) + estimateTokens(after);
const withoutNeighbours = ({ before: _before, after: _after, ...source }: GroundingSource): GroundingSource => source;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Estimated tokens of messages, including overhead. */
export const tokensOfMessages = (messages: readonly { content: string }[]): number => sum(messages.map(messageTokens));

/** The variable parts of a prompt. */
export interface PromptContent {
  history: readonly HistoryEntry[];
  sources: readonly GroundingSource[];
}

/**
 * Fits history and sources into `room` tokens. It drops, in this order: the oldest messages down to `keep_recent`, the weakest sources down to one,
 * the remaining messages, the end of the last source. The best sources keep their neighbouring text as far as it fits.
 */
export function fitPrompt(
  { history, sources }: PromptContent,
  { room, keep_recent }: { room: number; keep_recent: number },
): PromptContent {
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
    const beside = neighbourTokens(source);
    if (beside === 0 || total + beside > room) return withoutNeighbours(source);
    total += beside;
    return source;
  });
  if (total > room && kept[0]) kept[0] = shortenSource(kept[0], Math.max(MIN_SOURCE_TOKENS, room - FENCE_TOKENS));
  return { history: history.slice(from), sources: kept };
}

/** Halves a prompt: keeps the newer half of the messages and the better half of the sources, or the first half of a single source. */
export function halvePrompt({ history, sources }: PromptContent): PromptContent {
  const [first] = sources;
  return {
    history: history.slice(Math.ceil(history.length / 2)),
    sources:
      sources.length > 1 || !first
        ? sources.slice(0, Math.ceil(sources.length / 2)).map(withoutNeighbours)
        : [shortenSource(withoutNeighbours(first), estimateTokens(first.text) / 2)],
  };
}

/** Truncates a text to `tokens`, at a word, with an ellipsis. */
export function truncateWords(text: string, tokens: number): string {
  const beginning = truncateToTokens(text, tokens, estimateTokens);
  return beginning === text ? text : `${beginning.replace(/\s\S*$/, '').trimEnd()} …`;
}

const shortenSource = (source: GroundingSource, tokens: number): GroundingSource => ({
  ...source,
  text: truncateWords(source.text, tokens),
});

/** Fits messages into `room` tokens: truncates long ones, then drops the oldest. */
export function fitMessages(history: readonly HistoryEntry[], room: number): HistoryEntry[] {
  let kept = [...history];
  for (const most of [2000, 1000, 500, 250, 120, 60]) {
    if (tokensOfMessages(kept) <= room) return kept;
    kept = history.map((entry) => ({ ...entry, content: truncateWords(entry.content, most) }));
  }
  return [...fitPrompt({ history: kept, sources: [] }, { room, keep_recent: 0 }).history];
}
