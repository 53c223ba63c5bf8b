import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** What takes one column each: letters, digits and marks of western Europe, and nothing that moves the cursor or joins with its neighbour. */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/;

let wide: ((text: string) => number) | undefined;

/** Columns that a text takes on a terminal; colours take none. The library is loaded with the first text that needs it: its expressions take 25 ms to compile. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  wide ??= (require('string-width') as { default: (text: string) => number }).default;
  return wide(text);
}
