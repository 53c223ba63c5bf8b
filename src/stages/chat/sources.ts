import { visible } from '../../base/visible.ts';
import type { GroundingSource } from '../../ports.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';

const locationOf = (item: RetrievedItem): Location => Location.safeParse(item.metadata.location ?? {}).data ?? {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  textOf(item.metadata.title) || locationOf(item).headings?.[0] || textOf(item.metadata.source) || item.id;

/** The chunks of a prompt as sources of the answer, numbered in their order; `cited` are the numbers that the answer cites. */
export function toSources(context: readonly RetrievedItem[], cited: ReadonlySet<number>): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: locationOf(item),
  }));
}

/** The chunks as a model is shown them: in one line the title and the headings above the passage, and no hidden characters. */
export function toGrounding(context: readonly RetrievedItem[]): GroundingSource[] {
  return context.map((item, i) => {
    const path = [titleOf(item), ...(locationOf(item).headings ?? [])].map((part) => visible(part).replace(/\s+/g, ' ').trim());
    return { citation: i + 1, title: [...new Set(path)].join(' › '), text: visible(item.text) };
  });
}
