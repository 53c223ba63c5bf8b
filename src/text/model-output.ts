/** Matches citations in an answer: `[1]`, `[1, 3]`, `[1; 3]` or `[2-4]`, and captures their list. Escaped brackets (`\[1\]`) do not count. */
export const CITATIONS = /(?<!\\)\[([\d\s,;–-]{1,50})\]/g;

/** Maximum digits of a source number: longer ones are years or something else in brackets. */
const MAX_DIGITS = 3;

/** A range of citations may end at this number although there are fewer sources, or at twice their number if that is more. */
const MIN_RANGE_LIMIT = 30;

/** An entry of the list: a number or a range. */
const PART = new RegExp(String.raw`^\s*(\d{1,${MAX_DIGITS}})\s*(?:[-–]\s*(\d{1,${MAX_DIGITS}})\s*)?$`);

/**
 * Parses the list of a citation in an answer with `count` sources; undefined if it is none: a range far beyond them (`[1-50]`), a year, an
 * interval (`[0, 1]`). No source has the number 0, so it stands alone or not at all.
 */
export function numbersCited(list: string, count: number): number[] | undefined {
  const numbers: number[] = [];
  for (const part of list.split(/[,;]/)) {
    const [, first, last = first] = PART.exec(part) ?? [];
    if (first === undefined || last === undefined) return undefined;
    if (first !== last && Number(last) > Math.max(MIN_RANGE_LIMIT, 2 * count)) return undefined;
    for (let number = Number(first); number <= Number(last); number++) numbers.push(number);
  }
  return numbers.length === 0 || (numbers.length > 1 && numbers.includes(0)) ? undefined : numbers;
}

/**
 * Removes the reasoning (`<think>…</think>`) that some open models write before a text. Only the closing mark is required: for some models the
 * opening mark is part of the prompt.
 */
export const stripReasoning = (text: string): string => text.split('</think>').at(-1)!;

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Creates a filter that removes the reasoning (`<think>…</think>`) that some open models write before their answer, if the server does not
 * separate it. It takes pieces of the answer and holds back only a possible beginning of a mark.
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
