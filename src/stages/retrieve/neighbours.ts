import { chunkId, documentId } from '../../core/ids.ts';
import type { Collection } from '../../ports/stores.ts';
import { Location, type RetrievedItem } from '../../schema/items.ts';
import { readBlocks } from '@citekb/documents/markdown';

/** A chunk before or after another one of its section. */
export interface Neighbour {
  id: string;
  /** Its whole text. */
  text: string;
  location: Location;
  /** The part of its text that continues the other's, with the blank lines between them. */
  joined: string;
}

/** The chunks next to a chunk under the same headings. */
export interface Neighbours {
  before?: Neighbour | undefined;
  after?: Neighbour | undefined;
}

/** Limits of the search for a chunk's position: ids are hashes, so that positions have to be tried. */
const MAX_CHUNKS = 100;
const MAX_SECTIONS = 10;

/** Limits of the overlap of two chunks, in characters. */
const MAX_OVERLAP = 1000;
const MIN_OVERLAP = 12;

/** The location in the metadata of a chunk; empty if it is missing or invalid. */
export const storedLocation = (metadata: RetrievedItem['metadata']): Location => Location.safeParse(metadata.location ?? {}).data ?? {};

/** The ids of the neighbours of a chunk; undefined if its id is not derived from its position. */
function neighbourIds({ id, metadata }: RetrievedItem): { before?: string; after: string } | undefined {
  const document = documentId(String(metadata.source));
  const headings = storedLocation(metadata).headings ?? [];
  for (let section = 0; section < MAX_SECTIONS; section++) {
    const key = section === 0 ? headings : [...headings, `\0${section}`];
    for (let ordinal = 0; ordinal < MAX_CHUNKS; ordinal++) {
      if (chunkId(document, key, ordinal) !== id) continue;
      const after = chunkId(document, key, ordinal + 1);
      return ordinal === 0 ? { after } : { before: chunkId(document, key, ordinal - 1), after };
    }
  }
  return undefined;
}

/** Length of the longest beginning of `later` that ends `earlier`. */
function overlapOf(earlier: string, later: string): number {
  const longest = Math.min(earlier.length, later.length, MAX_OVERLAP);
  for (let length = longest; length >= MIN_OVERLAP; length--) if (earlier.endsWith(later.slice(0, length))) return length;
  return 0;
}

/** The part of each of two successive chunks that is added to the other, without the text that both contain. */
function joinedTexts(earlier: string, later: string): { earlier: string; later: string } {
  const overlap = overlapOf(earlier, later);
  if (overlap > 0) return { earlier: earlier.slice(0, -overlap), later: later.slice(overlap) };
  const [first] = readBlocks(later);
  const header = first?.kind === 'table' ? later.slice(first.start, first.body) : '';
  // the later chunk has the table header already
  if (header !== '' && earlier.includes(header)) return { earlier: '', later: `\n${later.slice(header.length)}` };
  return { earlier: `${earlier}\n\n`, later: `\n\n${later}` };
}

/** Finds the neighbours of chunks in their sections, by chunk id. */
export async function neighboursOf(items: readonly RetrievedItem[], collection: Collection): Promise<Map<string, Neighbours>> {
  const beside = items.map((item) => ({ item, ids: neighbourIds(item) }));
  const wanted = new Set(beside.flatMap(({ ids }) => (ids ? [ids.before, ids.after] : [])).filter((id) => id !== undefined));
  const stored = new Map((await collection.get([...wanted])).map((chunk) => [chunk.id, chunk]));
  const neighbour = (id: string | undefined, joined: (text: string) => string): Neighbour | undefined => {
    const chunk = id === undefined ? undefined : stored.get(id);
    const text = chunk && joined(chunk.text);
    return chunk && text ? { id: chunk.id, text: chunk.text, location: storedLocation(chunk.metadata), joined: text } : undefined;
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
