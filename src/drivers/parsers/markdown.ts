import type { ParsedDocument, Parser } from '../../ports/reading.ts';
import { decodeText } from './encoding.ts';
import { readFrontMatter } from './front-matter.ts';
import { firstHeading } from './title.ts';

/** Markdown: kept as it is; its front matter becomes metadata. */
export const markdownParser: Parser = {
  file_type: 'markdown',
  extensions: ['.md', '.markdown', '.mdown', '.mkd'],
  async parse(bytes): Promise<ParsedDocument> {
    const source = await decodeText(bytes);
    const { data, start, line } = (await readFrontMatter(source)) ?? { data: {}, start: 0, line: 1 };
    const body = source.slice(start);
    const blank = /^(?:[ \t]*\n)*/.exec(body)![0];
    const text = body.slice(blank.length);
    const { title: given, ...metadata } = data;
    const title = (typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '') || firstHeading(text);
    return { text, title, metadata, marks: [{ at: 0, line: line + blank.split('\n').length - 1 }] };
  },
};
