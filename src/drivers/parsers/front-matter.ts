import type { Metadata } from '../../schema/items.ts';

/** Values in one front matter, characters of all of them, and values within values, at most. YAML's aliases can make a million out of a few lines. */
const MOST_VALUES = 10_000;
const MOST_CHARACTERS = 100_000;
const DEEPEST = 32;

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

/** As JSON can hold it: dates as ISO strings, a date without a time as one without. Throws beyond the bounds. */
function plainData(data: Metadata): Metadata {
  let [values, characters] = [0, 0];
  const counted = (text: string): string => {
    characters += text.length;
    if (characters > MOST_CHARACTERS) throw new Error('too many characters');
    return text;
  };
  const plain = (value: unknown, depth: number): unknown => {
    if (++values > MOST_VALUES || depth > DEEPEST) throw new Error('too many values');
    if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
    if (typeof value === 'string') return counted(value);
    if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [counted(key), plain(item, depth + 1)]));
  };
  return plain(data, 0) as Metadata;
}
