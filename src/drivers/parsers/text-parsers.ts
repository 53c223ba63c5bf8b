import type { Metadata } from '../../schema/items.ts';
import { GIVEN_TYPES, type ParsedDocument } from '../../ports/reading.ts';
import type { ParserRow } from './parser-row.ts';
import { markHeadings } from './light-markup/plain-headings.ts';
import { isMdxName, readDialects } from './light-markup/markdown-dialects.ts';
import { withoutTablePadding } from './light-markup/padded-tables.ts';
import { decodeText } from './encoding.ts';
import { readManualPage } from './light-markup/manual-page.ts';
import { firstHeading } from './title.ts';

/** Values in one front matter, characters of all of them, and values within values, at most. YAML's aliases can make a million out of a few lines. */
const MOST_VALUES = 10_000;
const MOST_CHARACTERS = 100_000;
const DEEPEST = 32;

interface FrontMatter {
  data: Metadata;
  /** Offset and line (from 1) at which the body begins. */
  start: number;
  line: number;
}

/** The lines around front matter. A word behind the first names a language: only YAML is read, and gray-matter would run `---js` as a program. */
const FRONT_MATTER = /^---[ \t]*(?:ya?ml[ \t]*)?\n(?:[^]*?\n)?---[ \t]*(?:\n|$)/i;

/** The YAML block at the beginning of a text; undefined where there is none, or none that can be read: then it is part of the body. */
async function readFrontMatter(text: string): Promise<FrontMatter | undefined> {
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

/** Markdown: its front matter becomes metadata, its dialects plain Markdown. */
export const markdownParser: ParserRow = {
  file_type: GIVEN_TYPES.markdown,
  name: 'a Markdown file',
  extensions: ['.md', '.markdown', '.mdown', '.mkd', '.mdx'],
  media_types: ['text/markdown', 'text/x-markdown', 'text/mdx'],
  is_text: true,
  is_quick: true,
  async parse(bytes, { source: name }): Promise<ParsedDocument> {
    const source = withoutTablePadding(await decodeText(bytes));
    const { data, start, line } = (await readFrontMatter(source)) ?? { data: {}, start: 0, line: 1 };
    const body = source.slice(start);
    const blank = /^(?:[ \t]*\n)*/.exec(body)![0];
    const { text, marks } = await readDialects(body.slice(blank.length), {
      line: line + blank.split('\n').length - 1,
      isMdx: isMdxName(name),
    });
    const { title: given, ...metadata } = data;
    const title = (typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '') || firstHeading(text);
    return { text, title, metadata, marks };
  },
};

/** Plain text: kept as it is, line by line; a printed manual page becomes Markdown. */
export const textParser: ParserRow = {
  file_type: 'text',
  name: 'a text file',
  extensions: ['.txt', '.text', '.log'],
  media_types: ['text/*'],
  is_text: true,
  is_quick: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const text = await decodeText(bytes);
    const page = readManualPage(text);
    if (page) return page;
    const read = /\.log$/i.test(source) ? { text } : markHeadings(text);
    return { ...read, metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};
