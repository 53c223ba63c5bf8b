import { withoutHidden } from '../../text/markdown/plain-text.ts';
import { removeInvisible } from '../../text/clean-text.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { GIVEN_TYPES } from '../../ports/reading.ts';
import type { Location, PassageBox, RetrievedItem, Source } from '../../schema/items.ts';
import { type Neighbour, type Neighbours, storedLocation } from '../retrieve/neighbours.ts';
import { anchorOfLine, boxesOfLines, limitBoxes } from '../../text/passage-location.ts';
import { readBlocks, lineKind, newlinesIn } from '@citekb/documents/markdown';

const trimmedString = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  trimmedString(item.metadata.title) || storedLocation(item.metadata).headings?.[0] || trimmedString(item.metadata.source) || item.id;

interface CitedContext {
  cited: ReadonlySet<number>;
  /** Quoted lines of chunks with their neighbours, by chunk id. */
  quoted?: ReadonlyMap<string, readonly LineRange[]>;
  neighbours?: ReadonlyMap<string, Neighbours>;
}

/** A chunk or neighbour with its location and its lines in the joined text. */
interface TextSpan {
  text: string;
  first: number;
  /** First line of the joined text that belongs to this span alone. */
  from: number;
  /** Number of leading lines of its text that are not joined. */
  skipped: number;
  location: Location;
}

function spansOf(item: RetrievedItem, { before, after }: Neighbours = {}): TextSpan[] {
  const text = visibleText(item);
  const first = newlinesIn(before?.joined ?? '');
  const own = { text: item.text, first, from: first, skipped: 0, location: storedLocation(item.metadata) };
  const end = first + newlinesIn(text);
  const skipped = after ? newlinesIn(after.text) - newlinesIn(after.joined) : 0;
  return [
    ...(before ? [{ text: before.text, first: 0, from: 0, skipped: 0, location: before.location }] : []),
    own,
    ...(after ? [{ text: after.text, first: end, from: skipped < 0 ? end - skipped : end + 1, skipped, location: after.location }] : []),
  ];
}

/** The location of quoted lines: it begins in the chunk or neighbour with the first line and ends in that with the last. */
function quotedLocation(item: RetrievedItem, lines: readonly LineRange[], neighbours: Neighbours | undefined): Location {
  const start = Math.min(...lines.map(([first]) => first));
  const end = Math.max(...lines.map(([, last]) => last));
  const stretches = spansOf(item, neighbours);
  const [head, tail] = [start, end].map((line) => stretches.findLast(({ from }) => from <= line)!);
  const placeIn = (stretch: TextSpan, from: number) =>
    locateQuote(stretch.text, stretch.location, [[lineWithin(stretch, from), lineWithin(stretch, end)]]);
  const boxes = limitBoxes(quotedBoxes(stretches, lines));
  const place = { ...placeIn(head!, start), ...(boxes.length > 0 ? { ...pagesOf(boxes), boxes } : {}) };
  if (tail === head) return place;
  const { line_end, row_end } = placeIn(tail!, end);
  return {
    ...place,
    ...(place.line_start === undefined || line_end === undefined ? {} : { line_end }),
    ...(place.row_start === undefined || row_end === undefined ? {} : { row_end }),
  };
}

/** The pages that rectangles are on. */
function pagesOf(boxes: readonly PassageBox[]): Pick<Location, 'page' | 'page_end'> {
  const pages = boxes.map((box) => box.page);
  const [page, last] = [Math.min(...pages), Math.max(...pages)];
  return { page, page_end: last > page ? last : undefined };
}

/** Converts a line number of the joined text to one of a span. */
const lineWithin = ({ text, first, skipped }: TextSpan, line: number): number =>
  Math.min(newlinesIn(text), Math.max(0, line - first + skipped));

/** The rectangles of quoted lines on their pages. */
const quotedBoxes = (stretches: readonly TextSpan[], lines: readonly LineRange[]): PassageBox[] =>
  stretches.flatMap((stretch, i) => {
    const [from, next] = [stretch.from, stretches[i + 1]?.from ?? Number.POSITIVE_INFINITY];
    const own = lines.filter(([first, last]) => last >= from && first < next);
    const ranges = own.map(
      ([first, last]) => [lineWithin(stretch, Math.max(first, from)), lineWithin(stretch, Math.min(last, next - 1))] as const,
    );
    return ranges.length > 0 ? boxesOfLines(stretch.location.boxes ?? [], ranges).map(({ line: _, ...box }) => box) : [];
  });

/** Converts the chunks of a prompt to numbered sources, with the location of the quoted lines, or one that applies to the whole chunk. */
export function toSources(context: readonly RetrievedItem[], { cited, quoted, neighbours }: CitedContext): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    ...(item.also_in === undefined ? {} : { also_in: item.also_in }),
    ...(item.collection === undefined ? {} : { collection: item.collection }),
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: quoted?.has(item.id)
      ? quotedLocation(item, quoted.get(item.id)!, neighbours?.get(item.id))
      : locateQuote(item.text, storedLocation(item.metadata)),
  }));
}

/** Line separators that do not count as line ends. */
const OTHER_LINE_ENDS = /\u2028|\u2029|\r(?!\n)/g;

/** The visible text of a passage, with unchanged line numbers. */
function visibleText({ text, metadata }: Pick<RetrievedItem, 'text' | 'metadata'>): string {
  const { file_type = GIVEN_TYPES.markdown } = metadata;
  return removeInvisible((file_type === GIVEN_TYPES.markdown ? withoutHidden(text) : text).replace(OTHER_LINE_ENDS, ' '));
}

/** Converts chunks to the sources that a model sees: title and headings in one line, visible text, and neighbouring text. */
export function toGrounding(context: readonly RetrievedItem[], neighbours: ReadonlyMap<string, Neighbours> = new Map()): GroundingSource[] {
  return context.map((item, i) => {
    const path = [titleOf(item), ...(storedLocation(item.metadata).headings ?? [])].map((part) =>
      removeInvisible(part).replace(/\s+/g, ' ').trim(),
    );
    const { before, after } = neighbours.get(item.id) ?? {};
    const { page_kind } = item.metadata;
    const beside = (neighbour: Neighbour) => visibleText({ text: neighbour.joined, metadata: item.metadata });
    return {
      citation: i + 1,
      document: trimmedString(item.metadata.source) || item.id,
      title: [...new Set(path)].join(' › '),
      text: visibleText(item),
      ...(before ? { before: beside(before) } : {}),
      ...(after ? { after: beside(after) } : {}),
      score: item.score,
      ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
      ...(typeof page_kind === 'string' && page_kind !== 'text' ? { page_kind } : {}),
    };
  });
}

/** Line numbers in a chunk, from 0, inclusive. */
export type LineRange = readonly [first: number, last: number];

interface Heading {
  line: number;
  level: number;
  title: string;
}

const normalizeTitle = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function headingsIn(text: string): Heading[] {
  const headings = readBlocks(text).filter(({ kind }) => kind === 'heading');
  let [line, counted] = [0, 0];
  return headings.map(({ start, level, title }) => {
    line += newlinesIn(text.slice(counted, start));
    counted = start;
    return { line, level, title };
  });
}

/** The headings that certainly apply from a line on. */
interface Section {
  line: number;
  headings: string[];
}

/** The sections of a chunk, one of which has the path `path`. Headings of `path` that may not apply to a later section are left out. */
function sectionsOf(text: string, path: readonly string[]): Section[] {
  const heads = headingsIn(text);
  const host = heads.findIndex(({ title }) => path.length > 0 && normalizeTitle(title) === normalizeTitle(path.at(-1)!));
  const held = new Set(heads.slice(0, host + 1).map(({ title }) => normalizeTitle(title)));
  const outside = host < 0 ? path.length : path.findIndex((title) => held.has(normalizeTitle(title)));
  let above = path.slice(0, outside);
  let root = Infinity;
  const open: Heading[] = [];
  const sections: Section[] = [{ line: 0, headings: above }];
  for (const [i, head] of heads.entries()) {
    while (open.length > 0 && open.at(-1)!.level >= head.level) open.pop();
    if (open.length === 0) {
      if (i > host) above = above.slice(0, Math.max(0, above.length - Math.max(0, root - head.level)));
      root = i > host ? head.level : Math.min(root, head.level);
    }
    open.push(head);
    sections.push({ line: head.line, headings: i === host ? [...path] : [...above, ...open.map(({ title }) => title)] });
  }
  return sections;
}

const commonPrefix = (paths: readonly string[][]): string[] =>
  paths.reduce((common, path) => {
    const differs = common.findIndex((title, i) => title !== path[i]);
    return differs < 0 ? common : common.slice(0, differs);
  });

/** Maps lines of the chunk to lines of the source; undefined if the chunk repeats or adds lines. */
function sourceLines([first, last]: LineRange, lines: readonly string[], { line_start, line_end }: Location): [number, number] | undefined {
  if (line_start === undefined || line_end === undefined) return undefined;
  const added = lines.length - (line_end - line_start + 1);
  if (added < 0 || first < added || (added > 0 && lineKind(lines.at(-1)!) === 'fence')) return undefined;
  return [line_start + first - added, line_start + last - added];
}

const ROW = /^\s*\|/;
const isSeparator = (line = ''): boolean => lineKind(line) === 'separator';

/** Maps lines of the chunk to table rows, if each row is one line. A header counts only at the beginning of its table. */
function sourceRows([first, last]: LineRange, lines: readonly string[], { row_start, row_end }: Location): [number, number] | undefined {
  if (row_start === undefined || row_end === undefined) return undefined;
  const headed = [...lines.keys()].filter((i) => ROW.test(lines[i]!) && !isSeparator(lines[i]));
  const rows = [headed, headed.filter((i) => !isSeparator(lines[i + 1]))].find(({ length }) => length === row_end - row_start + 1) ?? [];
  const [from, to] = [rows.indexOf(first), rows.indexOf(last)];
  return from >= 0 && to >= 0 ? [row_start + from, row_start + to] : undefined;
}

/** Narrows the location of a chunk to the quoted lines, as far as that is certain. Without lines, it returns what applies to the whole chunk. */
export function locateQuote(text: string, location: Location, quoted: readonly LineRange[] = []): Location {
  const lines = text.split('\n');
  const all: LineRange = [0, lines.length - 1];
  const sections = sectionsOf(text, location.headings ?? []);
  const ranges = quoted.length > 0 ? quoted : [all];
  const quotedSections = sections.filter(({ line }, i) => {
    const end = (sections[i + 1]?.line ?? lines.length) - 1;
    const contentLines = Array.from({ length: Math.max(0, end - line + 1) }, (_, at) => line + at).filter(
      (at) => (i === 0 || at > line) && /[\p{L}\p{N}]/u.test(lines[at]!),
    );
    return contentLines.some((at) => ranges.some(([first, last]) => at >= first && at <= last));
  });
  const headings = quotedSections.length > 0 ? commonPrefix(quotedSections.map((section) => section.headings)) : (location.headings ?? []);
  // these describe the whole chunk
  const { headings: path = [], anchor: anchorOfPassage, anchors, offset: _offset, overlap: _overlap, boxes, ...rest } = location;
  const isOwn = headings.join('\0') === path.join('\0');
  const span: LineRange = [Math.min(...ranges.map(([first]) => first)), Math.max(...ranges.map(([, last]) => last))];
  const nearest = anchors ? anchorOfLine(anchors, span[0]) : isOwn ? anchorOfPassage : undefined;
  const anchor = quoted.length > 0 ? nearest : anchorOfPassage;
  const [line_start, line_end] = (quoted.length > 0 && sourceLines(span, lines, location)) || [rest.line_start, rest.line_end];
  const [row_start, row_end] = (quoted.length > 0 && sourceRows(span, lines, location)) || [rest.row_start, rest.row_end];
  return {
    ...rest,
    ...(headings.length > 0 ? { headings } : {}),
    ...(anchor === undefined ? {} : { anchor }),
    ...(line_start === undefined ? {} : { line_start, line_end }),
    ...(row_start === undefined ? {} : { row_start, row_end }),
    ...(boxes === undefined || quoted.length > 0 ? {} : { boxes }),
  };
}
