import { createHash } from 'node:crypto';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Collection, StoredChunk } from '../../ports/stores.ts';

const BITS = 160;

/** A checksum of chunks that does not depend on their order. */
interface ContentSum {
  add(chunks: readonly StoredChunk[]): void;
  /** The number of chunks, and 40 hexadecimal digits that change with any chunk: `178-05f2…`. */
  value(): string;
}

/** Creates an empty checksum: the sum of the hashes of all chunks (SHA-256, cut to 160 bits), modulo 2^160. */
export function createContentSum(): ContentSum {
  let [sum, count] = [0n, 0];
  return {
    add: (chunks) => {
      for (const chunk of chunks) sum = BigInt.asUintN(BITS, sum + hashOf(chunk));
      count += chunks.length;
    },
    value: () => `${count}-${sum.toString(16).padStart(BITS / 4, '0')}`,
  };
}

function hashOf({ id, text, embed_text, source, metadata, version, chunk_count, vector }: StoredChunk): bigint {
  const hash = createHash('sha256').update(JSON.stringify([id, text, embed_text, source, metadata, version, chunk_count]));
  if (vector) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  return BigInt(`0x${hash.digest('hex').slice(0, BITS / 4)}`);
}

/** Computes the checksum of all chunks of a collection. */
export async function* sumContents(collection: Collection, signal?: AbortSignal): Run<string> {
  const [sum, expected] = [createContentSum(), await collection.count()];
  let done = 0;
  for await (const page of collection.all({ vectors: true })) {
    throwIfAborted(signal);
    sum.add(page);
    yield progress('copy', { done: (done += page.length), expected });
  }
  return sum.value();
}
