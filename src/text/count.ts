/** `1 document`, `1,200 documents`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** `1 of 1 chunk`, `990 of 1,200 chunks`. */
export const countOf = (part: number, whole: number, one: string): string => `${part.toLocaleString('en')} of ${count(whole, one)}`;
