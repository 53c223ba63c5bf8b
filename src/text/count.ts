/** `1 document`, `1,200 documents`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** `1 of 1 chunk`, `990 of 1,200 chunks`. */
export const countOf = (part: number, whole: number, one: string): string => `${part.toLocaleString('en')} of ${count(whole, one)}`;

/** The first of many names: `a, b, c and 1,200 more`. */
export function listNames(names: readonly string[], most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '');
}
