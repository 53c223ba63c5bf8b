import { listNames } from '../../text/count.ts';
import { KbError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import type { GetSourceRequest } from '../../schema/stored/stored-sources.ts';
import { joinChunks, type JoinedText, type Passage } from '../../stages/chunk/join-chunks.ts';
import { readBlocks } from '../../text/markdown/blocks.ts';

type Part = Pick<GetSourceRequest, 'lines' | 'page' | 'heading'>;

/** The text of a source, or the requested part. Throws a KbError: `usage` for an invalid range, `not_found` for a part that does not exist. */
export function narrowText({ lines, page, heading }: Part, documents: readonly (readonly Passage[])[], source: string): string {
  if ([lines, page, heading].filter((part) => part !== undefined).length > 1)
    throw new KbError('usage', 'Only one of lines, page and heading can be given.');
  if (page !== undefined) return pageOf(page, documents, source);
  const range = lines === undefined ? undefined : rangeOf(lines);
  const joined = documents.map(joinChunks);
  if (range) return linesOf(range, joined, source);
  if (heading !== undefined) return sectionOf(heading, joined, source);
  return joined.map(({ text }) => text).join('\n\n');
}

type LineRange = readonly [first: number, last: number];

function rangeOf(lines: string): LineRange {
  const [, first, last = first] = /^\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?$/.exec(lines) ?? [];
  const range = [Number(first), Number(last)] as const;
  if (range[0] >= 1 && range[1] >= range[0]) return range;
  throw new KbError('usage', 'lines: a line or a range of lines such as 10-40 is expected.');
}

/** Each of several documents has its own line numbers. */
function linesOf([first, last]: LineRange, joined: readonly JoinedText[], source: string): string {
  const parts = joined.flatMap(({ text, lines }) => {
    const found = text.split('\n').slice(indexOf(first, lines), indexOf(last + 1, lines));
    return found.length > 0 ? [found.join('\n')] : [];
  });
  if (parts.length > 0) return parts.join('\n\n');
  const end = Math.max(...joined.map(({ lines }) => lines.at(-1)!.line - 1));
  throw missing(`${source} has no lines ${first}–${last}.`, `Its last line is ${end}.`);
}

/** Where a line of the source is in the text: as far behind the last known line as in the source, and not behind the next. */
function indexOf(line: number, lines: JoinedText['lines']): number {
  const next = lines.findIndex((known) => known.line > line);
  const known = lines.at(next < 0 ? -1 : next - 1)!;
  if (next === 0) return 0;
  return Math.min(known.at + line - known.line, lines[next]?.at ?? Infinity);
}

function pageOf(page: number, documents: readonly (readonly Passage[])[], source: string): string {
  const found = documents.flatMap((passages) => {
    const on = passages.filter(({ location }) => location.page === page);
    return on.length > 0 ? [joinChunks(on).text] : [];
  });
  if (found.length > 0) return found.join('\n\n');
  const pages = [...new Set(documents.flat().flatMap(({ location }) => location.page ?? []))].toSorted((a, b) => a - b);
  if (pages.length === 0) throw missing(`${source} has no pages.`, 'PDF and PPTX files have them; take lines or heading.');
  const near = pages.findLast((other) => other < page) ?? pages[0]!;
  throw missing(`No passage of ${source} begins on page ${page}.`, `The nearest page with one is ${near}, the last ${pages.at(-1)}.`);
}

const folded = (title: string): string => title.normalize().trim().replace(/\s+/g, ' ').toLowerCase();

/** The first section with this heading, including its subsections. */
function sectionOf(heading: string, joined: readonly JoinedText[], source: string): string {
  const titles = new Set<string>();
  for (const { text } of joined) {
    const headings = readBlocks(text).filter(({ kind }) => kind === 'heading');
    const at = headings.findIndex(({ title }) => folded(title) === folded(heading));
    if (at >= 0) {
      const { start, level } = headings[at]!;
      const next = headings.slice(at + 1).find((other) => other.level <= level);
      return text.slice(start, next?.start).trimEnd();
    }
    for (const { title } of headings) titles.add(title);
  }
  const there = titles.size > 0 ? `It has ${listNames([...titles].map(inQuotes), MOST_NAMED)}.` : 'It has no headings.';
  const hint = didYouMean(heading, [...titles]) ?? there;
  throw missing(`${source} has no heading «${heading}».`, hint);
}

const inQuotes = (title: string): string => `«${title}»`;

/** Most headings in a message. */
const MOST_NAMED = 8;

const missing = (message: string, hint: string): KbError => new KbError('not_found', message, { hint });
