/**
 * A whole text of a model without the thoughts before it, which some open models write as `<think>…</think>`: of some, the first mark stands in the prompt,
 * so that only the last one comes.
 */
export const stripReasoning = (text: string): string => text.split('</think>').at(-1)!;

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Makes a filter that removes the reasoning (`<think>…</think>`) which some open models write before their answer, if the server does not
 * separate it. It takes the pieces of the answer, and holds back only what may be the beginning of a mark.
 */
export function reasoningFilter(): (piece: string) => string {
  let state: 'before' | 'thinking' | 'answering' = 'before';
  let held = '';
  return (piece) => {
    if (state === 'answering') return piece;
    held += piece;
    if (state === 'before') {
      const begun = held.trimStart();
      if (OPENING.startsWith(begun)) return '';
      state = begun.startsWith(OPENING) ? 'thinking' : 'answering';
    }
    const end = state === 'thinking' ? held.indexOf(CLOSING) : 0;
    if (end < 0) {
      held = held.slice(-CLOSING.length);
      return '';
    }
    const rest = state === 'thinking' ? held.slice(end + CLOSING.length).trimStart() : held;
    state = 'answering';
    held = '';
    return rest;
  };
}
