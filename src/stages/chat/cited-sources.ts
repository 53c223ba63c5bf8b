import { withoutHidden } from '../../text/markdown/hidden.ts';
import { visible } from '../../text/visible.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { GIVEN_TYPES } from '../../ports/reading.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';
import type { Neighbour, Neighbours } from '../retrieve/neighbours.ts';
import { type LineRange, locateQuote } from './quote-location.ts';

const locationOf = (item: RetrievedItem): Location => Location.safeParse(item.metadata.location ?? {}).data ?? {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  textOf(item.metadata.title) || locationOf(item).headings?.[0] || textOf(item.metadata.source) || item.id;

interface Taken {
  /** Cited source numbers. */
  cited: ReadonlySet<number>;
  /** Quoted lines of chunks with their neighbours, by chunk id. */
  quoted?: ReadonlyMap<string, readonly LineRange[]>;
  /** Neighbours by chunk id. */
  neighbours?: ReadonlyMap<string, Neighbours>;
}

/** A chunk or neighbour with its first line in the joined text and its location. */
interface Stretch {
  text: string;
  first: number;
  /** The first line that is not shared. */
  from: number;
  /** Number of lines of its text before the joined ones. */
  skipped: number;
  location: Location;
}

const newlines = (text: string): number => text.split('\n').length - 1;

function stretchesOf(item: RetrievedItem, { before, after }: Neighbours = {}): Stretch[] {
  const text = seen(item);
  const first = newlines(before?.joined ?? '');
  const own = { text: item.text, first, from: first, skipped: 0, location: locationOf(item) };
  const end = first + newlines(text);
  const skipped = after ? newlines(after.text) - newlines(after.joined) : 0;
  return [
    ...(before ? [{ text: before.text, first: 0, from: 0, skipped: 0, location: before.location }] : []),
    own,
    ...(after ? [{ text: after.text, first: end, from: skipped < 0 ? end - skipped : end + 1, skipped, location: after.location }] : []),
  ];
}

/** The location of quoted lines: from the chunk or neighbour with the first line to the one with the last. */
function quotedPlace(item: RetrievedItem, lines: readonly LineRange[], neighbours: Neighbours | undefined): Location {
  const start = Math.min(...lines.map(([first]) => first));
  const end = Math.max(...lines.map(([, last]) => last));
  const stretches = stretchesOf(item, neighbours);
  const [head, tail] = [start, end].map((line) => stretches.findLast(({ from }) => from <= line)!);
  const within = ({ text, first, skipped }: Stretch, line: number) => Math.min(newlines(text), Math.max(0, line - first + skipped));
  const placeIn = (stretch: Stretch, from: number) =>
    locateQuote(stretch.text, stretch.location, [[within(stretch, from), within(stretch, end)]]);
  const place = placeIn(head!, start);
  if (tail === head) return place;
  const { line_end, row_end } = placeIn(tail!, end);
  return {
    ...place,
    ...(place.line_start === undefined || line_end === undefined ? {} : { line_end }),
    ...(place.row_start === undefined || row_end === undefined ? {} : { row_end }),
  };
}

/** The chunks of a prompt as numbered sources, with the location of the quoted lines, or one that applies to the whole chunk. */
export function toSources(context: readonly RetrievedItem[], { cited, quoted, neighbours }: Taken): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    ...(item.collection === undefined ? {} : { collection: item.collection }),
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: quoted?.has(item.id)
      ? quotedPlace(item, quoted.get(item.id)!, neighbours?.get(item.id))
      : locateQuote(item.text, locationOf(item)),
  }));
}

/** Line breaks that do not count in a file. */
const FOREIGN_ENDS = /\u2028|\u2029|\r(?!\n)/g;

/** The visible text of a passage, with the same lines. */
function seen({ text, metadata }: Pick<RetrievedItem, 'text' | 'metadata'>): string {
  const { file_type = GIVEN_TYPES.markdown } = metadata;
  return visible((file_type === GIVEN_TYPES.markdown ? withoutHidden(text) : text).replace(FOREIGN_ENDS, ' '));
}

/** The chunks as shown to a model: title and headings in one line, visible text, and neighbouring text. */
export function toGrounding(context: readonly RetrievedItem[], neighbours: ReadonlyMap<string, Neighbours> = new Map()): GroundingSource[] {
  return context.map((item, i) => {
    const path = [titleOf(item), ...(locationOf(item).headings ?? [])].map((part) => visible(part).replace(/\s+/g, ' ').trim());
    const { before, after } = neighbours.get(item.id) ?? {};
    const { page_kind } = item.metadata;
    const beside = (neighbour: Neighbour) => seen({ text: neighbour.joined, metadata: item.metadata });
    return {
      citation: i + 1,
      title: [...new Set(path)].join(' › '),
      text: seen(item),
      ...(before ? { before: beside(before) } : {}),
      ...(after ? { after: beside(after) } : {}),
      score: item.score,
      ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
      ...(typeof page_kind === 'string' && page_kind !== 'text' ? { page_kind } : {}),
    };
  });
}
