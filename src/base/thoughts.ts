/**
 * A whole text of a model without the thoughts before it, which some open models write as `<think>…</think>`: of some, the first mark stands in the prompt,
 * so that only the last one comes.
 */
export const withoutThoughts = (text: string): string => text.split('</think>').at(-1)!;
