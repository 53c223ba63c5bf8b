import type { Document, Mark } from '../schema/items.ts';

/** Control characters but tab and newline, soft hyphens, marks of direction, joiners and fillers without width, annotation anchors, tag letters, variation selectors. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** A terminal's control sequence (CSI). */
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
/** A terminal's control string (OSC, DCS, …) and its terminator, which a stray beginning lacks. */
// oxlint-disable-next-line no-control-regex
const STRING = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(\u0007|\u001b\\|\u009c)?/g;

/** The text without orders to a terminal: none of their letters is left. */
export const withoutSequences = (text: string): string =>
  text.replace(SEQUENCE, '').replace(STRING, (all, end?: string) => (end === undefined ? all : ''));

/** A joiner is part of the spelling between two letters (Persian, Hindi), and of nothing elsewhere. */
const STRAY_JOINER = /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])|[\u200c\u200d]{2,}/gu;

/** The text as a person sees it: without what hides words from a reader, or orders from a person who looks at the source. Newlines are kept. */
export const visible = (text: string): string =>
  withoutSequences(text)
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(HIDDEN, '')
    .replace(STRAY_JOINER, '');

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

export type RewriteText = (text: string) => string;

/** The value with every text in it rewritten, the names of fields too. What is absent stays absent. */
function rewriteValue<Value>(value: Value, rewrite: RewriteText): Value;
function rewriteValue(value: unknown, rewrite: RewriteText): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, rewrite));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(fields.map(([name, inner]) => [rewrite(name), rewriteValue(inner, rewrite)]));
}

/** The document with text, title and metadata rewritten. Its text is rewritten between its marks, which move along; its source stays. */
export function rewriteDocument(document: Document, rewrite: RewriteText): Document {
  const { text, title, metadata, marks = [] } = document;
  const whole = rewrite(text);
  const rewritten = { ...document, text: whole, title: rewrite(title), metadata: rewriteValue(metadata, rewrite) };
  if (marks.length === 0) return rewritten;
  if (whole === text) return { ...rewritten, marks: rewriteValue(marks, rewrite) };
  return { ...rewritten, ...rewriteMarked(text, marks, rewrite) };
}

/** A text rewritten between its marks, and the marks where they stand then. */
function rewriteMarked(text: string, marks: readonly Mark[], rewrite: RewriteText): { text: string; marks: Mark[] } {
  const moved: Mark[] = [];
  let whole = rewrite(text.slice(0, marks[0]!.at));
  for (const [i, mark] of marks.entries()) {
    moved.push({ ...rewriteValue(mark, rewrite), at: whole.length });
    whole += rewrite(text.slice(mark.at, marks[i + 1]?.at));
  }
  return { text: whole, marks: moved };
}
