import type { RetrievedItem } from '../../schema/items.ts';

/**
 * Merges items with the same text, white space aside, into the best of them, which lists the sources of the others in `also_in`: copies of a passage would
 * take the room of others that answer.
 */
export function mergeIdentical(items: readonly RetrievedItem[]): RetrievedItem[] {
  const merged = new Map<string, RetrievedItem>();
  for (const item of items) {
    const key = item.text.replace(/\s+/g, ' ').trim();
    const best = merged.get(key);
    merged.set(key, best ? withSources(best, item) : item);
  }
  return [...merged.values()];
}

function withSources(best: RetrievedItem, copy: RetrievedItem): RetrievedItem {
  const source = String(best.metadata.source);
  const others = new Set([...(best.also_in ?? []), String(copy.metadata.source), ...(copy.also_in ?? [])]);
  others.delete(source);
  return others.size > 0 ? { ...best, also_in: [...others] } : best;
}
