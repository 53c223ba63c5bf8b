import { isAbort } from '../../base/errors.ts';
import type { DocumentReader } from '../../ports/reading.ts';

/** Elements that a text between two tags is written with. What is no name of one of them (`List<String>`) is no markup. */
const NAMES = 'p|div|span|a|b|i|u|em|strong|h[1-6]|ul|ol|dl|table|pre|code|blockquote|section|article|figure|small|sup|sub';
const OPENING = new RegExp(`<(${NAMES})\\b[^<>]*>`, 'gi');
const CLOSING = new RegExp(`</(${NAMES})\\s*>`, 'gi');
const EMPTY = /<(br|hr|img)\b[^<>]*>/i;
/** Entities of letters and signs, which no other text has. */
const ENTITY =
  /&(#\d{2,6}|#x[\da-f]{2,5}|amp|lt|gt|quot|apos|nbsp|[a-z]dash|hellip|[lr][sd]quo|[a-z]{1,2}(uml|acute|grave|circ|tilde|cedil)|szlig|euro|copy|reg|deg);/i;
/** Lines that are Markdown, in which some HTML may stand. */
const MARKDOWN = /^(#{1,6} |[-*] |\d+\. |```|> |\|.*\|)|\]\(\S{1,500}\)|\*\*\S/m;
/** Deeper fields stay as they are: they are written as JSON. */
const MAX_DEPTH = 8;

interface MarkupParts {
  reader: DocumentReader;
  /** What links are resolved against. */
  source: string;
  signal?: AbortSignal | undefined;
}

/** The same record with its texts of HTML as Markdown. */
export async function withoutMarkup(value: unknown, parts: MarkupParts, depth = 0): Promise<unknown> {
  if (typeof value === 'string') return isMarkup(value) ? asText(value, parts) : value;
  if (typeof value !== 'object' || value === null || !holdsMarkup(value, depth)) return value;
  if (Array.isArray(value)) return Promise.all(value.map((inner) => withoutMarkup(inner, parts, depth + 1)));
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await withoutMarkup(inner, parts, depth + 1)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Most records hold none, and some answers are made of a million texts. */
const holdsMarkup = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return isMarkup(value);
  return (
    typeof value === 'object' && value !== null && depth < MAX_DEPTH && Object.values(value).some((inner) => holdsMarkup(inner, depth + 1))
  );
};

/** Whether a text is HTML, or has characters written as such. */
export const isMarkup = (text: string): boolean =>
  (text.includes('<') && (hasElement(text) || EMPTY.test(text)) && !MARKDOWN.test(text.replace(TAG, ''))) || isEncoded(text);

/** A tag; what is looked for ends at the next bracket, so that many of them cost no more than their text is long. */
const TAG = /<[^<>]*>/g;

/** Whether an element is opened and closed after that. */
function hasElement(text: string): boolean {
  const closed = new Map<string, number>(); // where each is closed last
  for (const { 1: name, index } of text.matchAll(CLOSING)) closed.set(name!.toLowerCase(), index);
  return closed.size > 0 && text.matchAll(OPENING).some(({ 1: name, index }) => index < (closed.get(name!.toLowerCase()) ?? -1));
}

const isEncoded = (text: string): boolean => ENTITY.test(text) && !text.includes('<');

/** What can't be read stays as it came. */
async function asText(html: string, { reader, source, signal }: MarkupParts): Promise<string> {
  const page = `<!doctype html><meta charset="utf-8"><body><main>${isEncoded(html) ? html.replaceAll('\n', '<br>') : html}</main>`;
  try {
    const { text } = await reader.read(Buffer.from(page), { source, file_type: 'html', signal });
    const plain = isEncoded(html) ? text.replace(/\\([^\w\s])/g, '$1') : text;
    return plain.trim() === '' && /[\p{L}\p{N}]/u.test(html.replace(TAG, '')) ? html : plain;
  } catch (error) {
    if (isAbort(error)) throw error;
    return html;
  }
}
