/** The first `length` UTF-16 units of a text, without half a letter at the end, which some servers refuse. */
export function truncate(text: string, length: number): string {
  const end = Math.max(0, Math.floor(length));
  const last = text.charCodeAt(end - 1);
  return text.slice(0, end < text.length && last >= 0xd8_00 && last <= 0xdb_ff ? end - 1 : end);
}

/** The beginning of a text that has at most so many tokens, as `estimate` counts them. */
export function truncateToTokens(text: string, tokens: number, estimate: (text: string) => number): string {
  let shown = text;
  for (let all = estimate(shown); all > tokens && shown !== ''; all = estimate(shown)) {
    shown = truncate(shown, Math.min(shown.length - 1, (shown.length * Math.max(0, tokens)) / all));
  }
  return shown;
}
