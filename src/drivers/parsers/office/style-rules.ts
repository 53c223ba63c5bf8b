import { createRequire } from 'node:module';

type Mammoth = typeof import('mammoth');
type ReadRule = (rule: string) => unknown;

/** Documents may bring rules of their own: more than these are forgotten. */
const MOST_KNOWN = 1_000;

let mammoth: Promise<Mammoth> | undefined;

/** mammoth, reading each of its sixty rules for styles once instead of for every document: that took a quarter of the time of a short one. */
export const loadMammoth = (): Promise<Mammoth> => (mammoth ??= loadWithRules());

async function loadWithRules(): Promise<Mammoth> {
  rememberRules(); // before mammoth is loaded, which takes its reader of rules then
  const { default: library } = (await import('mammoth')) as unknown as { default: Mammoth };
  return library;
}

/** A version of mammoth that has its reader of rules elsewhere reads them each time, as before. */
function rememberRules(): void {
  try {
    const reader = createRequire(import.meta.url)('mammoth/lib/style-reader.js') as { readStyle: ReadRule };
    const { readStyle } = reader;
    const known = new Map<string, unknown>();
    reader.readStyle = (rule) => {
      if (known.size > MOST_KNOWN) known.clear();
      if (!known.has(rule)) known.set(rule, readStyle(rule));
      return known.get(rule);
    };
  } catch {
    // nothing but time is lost
  }
}
