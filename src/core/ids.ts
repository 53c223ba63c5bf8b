import { createHash } from 'node:crypto';

/** SHA-256 in hex; parts are separated, so that no two lists of parts give the same text. */
export function hash(...parts: (string | Uint8Array)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    digest.update(`${bytes.length}:`).update(bytes);
  }
  return digest.digest('hex');
}

/** The id of a document: stable for its source. 16 hex digits: a doubled id among 10 million documents has a chance of 3 in a million. */
export const documentId = (source: string): string => hash('document', source).slice(0, 16);

/** The id of a chunk: stable for its document (and so for its source), the headings above it and its ordinal under them, so that an edit elsewhere leaves it alone. */
export const chunkId = (document: string, headings: readonly string[], ordinal: number): string =>
  hash('chunk', document, ...headings, String(ordinal)).slice(0, 20);
