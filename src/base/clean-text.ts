import type { Document } from '../schema/items.ts';
import { rewriteDocument, rewriteValue } from './rewrite-document.ts';

/** Control characters but tab and newline, and what overrides or isolates the direction of text. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** An order to a terminal. The single characters that also begin one (U+009B) come from misread encodings more often: what follows those is text. */
const ORDER =
  // oxlint-disable-next-line no-control-regex -- it is what has to be found
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c))/g;

/** Vertical tab, form feed, separators of records, next line: words stand on both sides of them. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const SEPARATORS = /[\u000b\u000c\u001c-\u001f\u0085]/g;

/** The text as it may be stored: without control characters but tab and newline, orders to a terminal, and overrides of direction. */
export function cleanText(text: string): string {
  if (text.search(CONTROLS) < 0) return text;
  return text.replace(/\r\n?/g, '\n').replace(ORDER, '').replace(SEPARATORS, ' ').replace(CONTROLS, '');
}

/** The document with clean text, title and metadata. Its source is clean already. */
export const cleanDocument = (document: Document): Document => rewriteDocument(document, cleanText);

/** What a chunk is stored with. */
interface Storable {
  text: string;
  embed_text?: string | undefined;
  source?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** The chunk with clean text, source and metadata. */
export function cleanChunk<Chunk extends Storable>(chunk: Chunk): Chunk {
  const { text, embed_text, source, metadata } = chunk;
  return Object.assign({}, chunk, rewriteValue({ text, embed_text, source, metadata }, cleanText));
}
