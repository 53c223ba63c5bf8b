import { chunkId, documentId } from '../../core/ids.ts';
import type { Collection } from '../../ports/stores.ts';
import { Location, type RetrievedItem } from '../../schema/items.ts';
import { readBlocks } from '../../text/markdown/blocks.ts';

/** A chunk beside another one of its section. */
export interface Neighbour {
  id: string;
  /** Its whole text. */
  text: string;
  location: Location;
  /** What of its text goes before or behind the other's, so that both read on; with the blank lines between them. */
  joined: string;
}

/** What stands next to a chunk under the same headings. */
export interface Neighbours {
  before?: Neighbour | undefined;
  after?: Neighbour | undefined;
}

/** Chunks of one section, and sections of one path, up to which a chunk is looked for: ids are derived from these numbers and do not tell them. */
const MOST_CHUNKS = 100;
const MOST_SECTIONS = 10;

/** Characters that two chunks share, at most and at least: what a chunk repeats from the one before. */
const LONGEST_OVERLAP = 1000;
const SHORTEST_OVERLAP = 12;

const locationOf = (metadata: RetrievedItem['metadata']): Location => Location.safeParse(metadata.location ?? {}).data ?? {};

/** The ids of the chunks before and behind one; undefined where its id is not derived from its place. */
function idsBeside({ id, metadata }: RetrievedItem): { before?: string; after: string } | undefined {
  const document = documentId(String(metadata.source));
  const headings = locationOf(metadata).headings ?? [];
  for (let section = 0; section < MOST_SECTIONS; section++) {
    const key = section === 0 ? headings : [...headings, `\0${section}`];
    for (let ordinal = 0; ordinal < MOST_CHUNKS; ordinal++) {
      if (chunkId(document, key, ordinal) !== id) continue;
      const after = chunkId(document, key, ordinal + 1);
      return ordinal === 0 ? { after } : { before: chunkId(document, key, ordinal - 1), after };
    }
  }
  return undefined;
}

/** How many characters at the beginning of `later` are the end of `earlier`. */
function overlapOf(earlier: string, later: string): number {
  const longest = Math.min(earlier.length, later.length, LONGEST_OVERLAP);
  for (let length = longest; length >= SHORTEST_OVERLAP; length--) if (earlier.endsWith(later.slice(0, length))) return length;
  return 0;
}

/** What of two successive chunks goes with the other: the earlier without what the later repeats, the later without what it repeats of the earlier. */
function joinedTexts(earlier: string, later: string): { earlier: string; later: string } {
  const overlap = overlapOf(earlier, later);
  if (overlap > 0) return { earlier: earlier.slice(0, -overlap), later: later.slice(overlap) };
  const [first] = readBlocks(later);
  const header = first?.kind === 'table' ? later.slice(first.start, first.body) : '';
  // the later one stands below its own header already
  if (header !== '' && earlier.includes(header)) return { earlier: '', later: `\n${later.slice(header.length)}` };
  return { earlier: `${earlier}\n\n`, later: `\n\n${later}` };
}

/** What stands beside each chunk in its section, by its id; nothing for chunks whose ids tell no place. */
export async function neighboursOf(items: readonly RetrievedItem[], collection: Collection): Promise<Map<string, Neighbours>> {
  const beside = items.map((item) => ({ item, ids: idsBeside(item) }));
  const wanted = new Set(beside.flatMap(({ ids }) => (ids ? [ids.before, ids.after] : [])).filter((id) => id !== undefined));
  const stored = new Map((await collection.get([...wanted])).map((chunk) => [chunk.id, chunk]));
  const neighbour = (id: string | undefined, joined: (text: string) => string): Neighbour | undefined => {
    const chunk = id === undefined ? undefined : stored.get(id);
    const text = chunk && joined(chunk.text);
    return chunk && text ? { id: chunk.id, text: chunk.text, location: locationOf(chunk.metadata), joined: text } : undefined;
  };
  return new Map(
    beside.map(({ item, ids }) => [
      item.id,
      {
        before: neighbour(ids?.before, (text) => joinedTexts(text, item.text).earlier),
        after: neighbour(ids?.after, (text) => joinedTexts(item.text, text).later),
      },
    ]),
  );
}
