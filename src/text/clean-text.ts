import type { Document, Mark } from '../schema/items.ts';

/** Control characters except tab and newline, soft hyphens, direction marks, zero-width characters, annotation anchors, tag characters, variation selectors. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Control sequences of terminals (CSI). */
// oxlint-disable-next-line no-control-regex
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
/** A terminal control string (OSC, DCS, …) with its terminator. A start without a terminator is text. */
// oxlint-disable-next-line no-control-regex
const CONTROL_STRING = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(\u0007|\u001b\\|\u009c)?/g;

/** Removes terminal control sequences completely. */
export const removeTerminalSequences = (text: string): string =>
  text.replace(CONTROL_SEQUENCE, '').replace(CONTROL_STRING, (all, end?: string) => (end === undefined ? all : ''));

/** Zero-width joiners outside of words. Between two letters they are part of the spelling (Persian, Hindi). */
const STRAY_JOINER = /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])|[\u200c\u200d]{2,}/gu;

/** Removes invisible characters and terminal sequences, which can hide text from a person but not from a model. Line ends become newlines. */
export const removeInvisible = (text: string): string =>
  removeTerminalSequences(text)
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(HIDDEN, '')
    .replace(STRAY_JOINER, '');

/** Control characters except tab and newline, and characters that override or isolate the direction of text. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A terminal control sequence that begins with ESC. The one-character form (U+009B) is usually a misread encoding, so the text after it is kept. */
const ESCAPE_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- it is what has to be found
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c))/g;

/** Vertical tab, form feed, record separators, next line: replaced by a blank, because they separate words. */
// oxlint-disable-next-line no-control-regex -- it is what has to be found
const SEPARATORS = /[\u000b\u000c\u001c-\u001f\u0085]/g;

/** Removes control characters (except tab and newline), terminal sequences and direction overrides, as for storing. */
export function cleanText(text: string): string {
  if (text.search(CONTROLS) < 0) return text;
  return text.replace(/\r\n?/g, '\n').replace(ESCAPE_SEQUENCE, '').replace(SEPARATORS, ' ').replace(CONTROLS, '');
}

/** Cleans the text, title and metadata of a document. Its source is clean already. */
export const cleanDocument = (document: Document): Document => rewriteDocument(document, cleanText);

/** The text fields of a chunk. */
interface ChunkTexts {
  text: string;
  embed_text?: string | undefined;
  source?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Cleans the text, source and metadata of a chunk. */
export function cleanChunk<Chunk extends ChunkTexts>(chunk: Chunk): Chunk {
  const { text, embed_text, source, metadata } = chunk;
  return Object.assign({}, chunk, rewriteValue({ text, embed_text, source, metadata }, cleanText));
}

/** Maps a text to its replacement. */
export type RewriteText = (text: string) => string;

/** Rewrites every string in plain data, including field names; undefined fields are dropped. */
function rewriteValue<Value>(value: Value, rewrite: RewriteText): Value;
function rewriteValue(value: unknown, rewrite: RewriteText): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, rewrite));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(fields.map(([name, inner]) => [rewrite(name), rewriteValue(inner, rewrite)]));
}

/**
 * Rewrites the text, title and metadata of a document. The text is rewritten piece by piece between its marks, which move along; the source
 * stays.
 */
export function rewriteDocument(document: Document, rewrite: RewriteText): Document {
  const { text, title, metadata, marks = [] } = document;
  const whole = rewrite(text);
  const rewritten = { ...document, text: whole, title: rewrite(title), metadata: rewriteValue(metadata, rewrite) };
  if (marks.length === 0) return rewritten;
  if (whole === text) return { ...rewritten, marks: rewriteValue(marks, rewrite) };
  return { ...rewritten, ...rewriteMarked(text, marks, rewrite) };
}

/** Rewrites a text between its marks; returns it with the moved marks. */
function rewriteMarked(text: string, marks: readonly Mark[], rewrite: RewriteText): { text: string; marks: Mark[] } {
  const moved: Mark[] = [];
  let whole = rewrite(text.slice(0, marks[0]!.at));
  for (const [i, mark] of marks.entries()) {
    moved.push({ ...rewriteValue(mark, rewrite), at: whole.length });
    whole += rewrite(text.slice(mark.at, marks[i + 1]?.at));
  }
  return { text: whole, marks: moved };
}
