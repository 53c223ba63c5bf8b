import { visible } from '../../base/visible.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';
import { withoutHidden } from './hidden.ts';
import type { Neighbour, Neighbours } from '../retrieve/neighbours.ts';
import { placeOf, type Lines } from './places.ts';

const locationOf = (item: RetrievedItem): Location => Location.safeParse(item.metadata.location ?? {}).data ?? {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  textOf(item.metadata.title) || locationOf(item).headings?.[0] || textOf(item.metadata.source) || item.id;

/** What an answer took from its sources. */
export interface Taken {
  /** The numbers that it cites. */
  cited: ReadonlySet<number>;
  /** Of one that quotes, the lines that it did, by the id of the chunk: of the chunk with what stands before and behind it. */
  quoted?: ReadonlyMap<string, readonly Lines[]>;
  /** What stands beside the chunks, by id. */
  neighbours?: ReadonlyMap<string, Neighbours>;
}

/** A text that quoted lines may be in, its first line among those of the chunk with its neighbours, and where it stands. */
interface Stretch {
  text: string;
  first: number;
  /** The first line that is its own alone. */
  from: number;
  /** Lines that its text has before those that are joined. */
  skipped: number;
  location: Location;
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** The chunk and what stands beside it, in the order of the text. */
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

/** Where quoted lines stand: in the chunk or in the neighbour that holds the first of them. */
function quotedPlace(item: RetrievedItem, lines: readonly Lines[], neighbours: Neighbours | undefined): Location {
  const start = Math.min(...lines.map(([first]) => first));
  const end = Math.max(...lines.map(([, last]) => last));
  const stretch = stretchesOf(item, neighbours).findLast(({ from }) => from <= start)!;
  const last = newlines(stretch.text);
  const within = (line: number) => Math.min(last, Math.max(0, line - stretch.first + stretch.skipped));
  return placeOf(stretch.text, stretch.location, [[within(start), within(end)]]);
}

/** The chunks of a prompt as sources of the answer, numbered in their order. A place is that of what is quoted, else one that is true of the whole chunk. */
export function toSources(context: readonly RetrievedItem[], { cited, quoted, neighbours }: Taken): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: quoted?.has(item.id)
      ? quotedPlace(item, quoted.get(item.id)!, neighbours?.get(item.id))
      : placeOf(item.text, locationOf(item)),
  }));
}

/** Line ends that are none of a file's: its lines are counted by the others. */
const FOREIGN_ENDS = /\u2028|\u2029|\r(?!\n)/g;

/** The passage as its reader sees it, line by line: without what Markdown hides, and letters that nobody sees. */
function seen({ text, metadata }: Pick<RetrievedItem, 'text' | 'metadata'>): string {
  const { file_type = 'markdown' } = metadata;
  return visible((file_type === 'markdown' ? withoutHidden(text) : text).replace(FOREIGN_ENDS, ' '));
}

/**
 * The chunks as a model is shown them: in one line the title and the headings above the passage, and nothing that is hidden from a reader; with what stands
 * before and behind them.
 */
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
      document: String(item.metadata.source),
      score: item.score,
      ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
      ...(typeof page_kind === 'string' && page_kind !== 'text' ? { page_kind } : {}),
    };
  });
}
