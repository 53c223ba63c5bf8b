import type { Chunking } from '../schema/config.ts';

/** What is wrong with sizes that do not go together, as a sentence that names both keys, as `said` calls them; undefined where nothing is. */
export function unfitChunking({ chunk_size, chunk_overlap }: Chunking, said = (path: string): string => path): string | undefined {
  if (chunk_overlap <= chunk_size) return undefined;
  const [overlap, size] = [said('chunking.chunk_overlap'), said('chunking.chunk_size')];
  return `${overlap} (${chunk_overlap}) is larger than ${size} (${chunk_size}): a chunk can't repeat more than it holds.`;
}
