import type { Document, Mark } from '../schema/items.ts';

export type RewriteText = (text: string) => string;

/** The value with every text in it rewritten, the names of fields too. What is absent stays absent. */
export function rewriteValue<Value>(value: Value, rewrite: RewriteText): Value;
export function rewriteValue(value: unknown, rewrite: RewriteText): unknown {
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
