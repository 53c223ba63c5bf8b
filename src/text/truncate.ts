/** Truncates a text to `length` UTF-16 units without splitting a surrogate pair, which some servers refuse. */
export function truncate(text: string, length: number): string {
  const end = Math.max(0, Math.floor(length));
  const last = text.charCodeAt(end - 1);
  return text.slice(0, end < text.length && last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end);
}

/** Truncates a text to at most `tokens` tokens, as counted by `estimate`. */
export function truncateToTokens(text: string, tokens: number, estimate: (text: string) => number): string {
  let shown = text;
  for (let all = estimate(shown); all > tokens && shown !== ''; all = estimate(shown)) {
    shown = truncate(shown, Math.min(shown.length - 1, (shown.length * Math.max(0, tokens)) / all));
  }
  return shown;
}

/** Maximum characters of a query that are searched for and analyzed, some 800 words: as much as the bundled embedder reads. A longer text takes seconds, and finds nothing else. */
const MAX_SEARCHED_LENGTH = 5_000;

/** The part of a query that is searched for and analyzed: a short query unchanged, else its beginning, in which a run of white space counts as one blank. */
export const searchedText = (query: string): string =>
  query.length <= MAX_SEARCHED_LENGTH ? query : truncate(query.trim().replace(/\s+/g, ' '), MAX_SEARCHED_LENGTH);
