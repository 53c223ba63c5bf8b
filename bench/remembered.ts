import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Embedder } from '../src/ports/models.ts';

/** Bytes of the hash of a text, before its vector. */
const KEY = 16;

/** Gives the vectors of texts that came before again: the same blocks are compared with many questions. With a file, those of earlier runs as well. */
export function remembering(embedder: Embedder, file?: string): Embedder {
  const bytes = KEY + 4 * embedder.dimensions;
  const known = new Map<string, Float32Array>();
  const stored = file !== undefined && existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  for (let at = 0; at + bytes <= stored.length; at += bytes)
    known.set(
      stored.toString('hex', at, at + KEY),
      new Float32Array(stored.buffer.slice(stored.byteOffset + at + KEY, stored.byteOffset + at + bytes)),
    );
  const embed: Embedder['embed'] = async (texts, more) => {
    const keys = texts.map((text) =>
      createHash('sha256')
        .update(`${embedder.model}\0${more.input_type}\0${text}`)
        .digest('hex')
        .slice(0, 2 * KEY),
    );
    const fresh = new Map(keys.flatMap((key, i) => (known.has(key) ? [] : [[key, texts[i]!] as const])));
    const vectors = fresh.size > 0 ? await embedder.embed([...fresh.values()], more) : [];
    for (const [i, key] of [...fresh.keys()].entries()) {
      known.set(key, vectors[i]!);
      if (file !== undefined) appendFileSync(file, Buffer.concat([Buffer.from(key, 'hex'), Buffer.from(vectors[i]!.slice().buffer)]));
    }
    return keys.map((key) => known.get(key)!);
  };
  return { ...embedder, embed };
}
