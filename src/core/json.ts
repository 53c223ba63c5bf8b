/** Says in words where `text` stops being JSON, after a subject: `is not JSON: it ends too early`. `cause`: what JSON.parse threw, whose message is for programmers. */
export function explainJsonError(text: string, cause: unknown): string {
  const { message } = cause as Error;
  const position = /position (\d+)/.exec(message)?.[1];
  if (/end of JSON|Unterminated/.test(message) || Number(position) >= text.length) return 'is not JSON: it ends too early';
  return position === undefined ? 'is not JSON' : `is not JSON at character ${Number(position) + 1}`;
}
