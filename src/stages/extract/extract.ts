import { prefetch } from '../../core/concurrency.ts';
import type { Extracted } from './candidate.ts';

/** The kinds of sources, in the order in which their documents are merged (service.md 4.1). */
export const SOURCE_KINDS = ['docs', 'urls', 'api', 'markdown'] as const;
export type SourceName = (typeof SOURCE_KINDS)[number];

/** Extractors of the kinds that were given. */
export type Extractors = Partial<Record<SourceName, () => AsyncGenerator<Extracted, void, void>>>;

/** Documents that one kind works ahead while another is read. */
const WORK_AHEAD = 16;

/** Everything that the extractors find, in the order of the kinds: one kind after another, or all at work side by side (`parallel`). */
export async function* extractAll(
  extractors: Extractors,
  concurrency: 'serial' | 'parallel',
): AsyncGenerator<{ name: SourceName; item: Extracted }, void, void> {
  const given = SOURCE_KINDS.flatMap((name) => (extractors[name] ? [{ name, open: extractors[name] }] : []));
  const started = concurrency === 'parallel' ? given.map(({ name, open }) => ({ name, items: prefetch(open(), WORK_AHEAD) })) : [];
  try {
    for (const [i, { name, open }] of given.entries()) {
      for await (const item of started[i]?.items ?? open()) yield { name, item };
    }
  } finally {
    await Promise.all(started.map(({ items }) => items.return()));
  }
}
