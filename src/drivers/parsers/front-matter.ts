import type { Metadata } from '../../schema/items.ts';

/** Values in one front matter. YAML's aliases can make a million out of a few lines. */
const MOST_VALUES = 10_000;

export interface FrontMatter {
  data: Metadata;
  /** Where the body begins: offset, and line from 1. */
  start: number;
  line: number;
}

/** The lines around front matter. A word behind the first names a language: only YAML is read, and gray-matter would run `---js` as a program. */
const FRONT_MATTER = /^---[ \t]*(?:ya?ml[ \t]*)?\n(?:[^]*?\n)?---[ \t]*(?:\n|$)/i;

/** The YAML block at the beginning of a text; undefined where there is none, or none that can be read: then it is part of the body. */
export async function readFrontMatter(text: string): Promise<FrontMatter | undefined> {
  if (!FRONT_MATTER.test(text)) return undefined;
  const { default: matter } = await import('gray-matter');
  try {
    const { data, content } = matter(text, { language: 'yaml' });
    if (typeof data !== 'object' || data === null || Array.isArray(data) || content.length === text.length) return undefined;
    const start = text.length - content.length;
    return { data: plainData(data), start, line: text.slice(0, start).split('\n').length };
  } catch {
    return undefined;
  }
}

/** As JSON can hold it: dates as ISO strings, a date without a time as one without. Throws beyond MOST_VALUES. */
function plainData(data: Metadata): Metadata {
  let values = 0;
  const plain = (value: unknown): unknown => {
    if (++values > MOST_VALUES) throw new Error('too many values');
    if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  };
  return plain(data) as Metadata;
}
