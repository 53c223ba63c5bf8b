import { visible } from '../../base/visible.ts';
import type { GroundingSource, Outcome } from '../../ports/models.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';
import { withoutHidden } from './hidden.ts';
import { placeOf } from './places.ts';

const locationOf = (item: RetrievedItem): Location => Location.safeParse(item.metadata.location ?? {}).data ?? {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  textOf(item.metadata.title) || locationOf(item).headings?.[0] || textOf(item.metadata.source) || item.id;

/** What an answer took from its sources. */
export interface Taken {
  /** The numbers that it cites. */
  cited: ReadonlySet<number>;
  /** Of one that quotes, the lines that it did. */
  quoted: NonNullable<Outcome['quoted']>;
}

/** The chunks of a prompt as sources of the answer, numbered in their order. A place is that of what is quoted, else one that is true of the whole chunk. */
export function toSources(context: readonly RetrievedItem[], { cited, quoted }: Taken): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: placeOf(
      item.text,
      locationOf(item),
      quoted.filter(({ citation }) => citation === i + 1).map(({ lines }) => lines),
    ),
  }));
}

/** Line ends that are none of a file's: its lines are counted by the others. */
const FOREIGN_ENDS = /\u2028|\u2029|\r(?!\n)/g;

/** The passage as its reader sees it, line by line: without what Markdown hides, and letters that nobody sees. */
function seen({ text, metadata }: RetrievedItem): string {
  const { file_type = 'markdown' } = metadata;
  return visible((file_type === 'markdown' ? withoutHidden(text) : text).replace(FOREIGN_ENDS, ' '));
}

/** The chunks as a model is shown them: in one line the title and the headings above the passage, and nothing that is hidden from a reader. */
export function toGrounding(context: readonly RetrievedItem[]): GroundingSource[] {
  return context.map((item, i) => {
    const path = [titleOf(item), ...(locationOf(item).headings ?? [])].map((part) => visible(part).replace(/\s+/g, ' ').trim());
    return { citation: i + 1, title: [...new Set(path)].join(' › '), text: seen(item) };
  });
}
