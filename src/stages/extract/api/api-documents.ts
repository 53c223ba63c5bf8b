import { decodeReferences, hasReferences } from '@citekb/documents/markdown';
import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { isAbort } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { type ParsedDocument, type DocumentReader, GIVEN_TYPES } from '../../../ports/reading.ts';
import { type ApiSettings, apiSource, markedSource } from './api-settings.ts';
import { type ApiPage, requireFileType, readContent } from './api-page.ts';
import { type Candidate, contentHash, type NetworkParts } from '../extract.ts';
import { makeDocument } from '../../text-thread.ts';
import { toUtf8 } from '../../../http/message.ts';
import { asMarkdown, datesIn, idIn, recordMarkdown, titleIn } from './records.ts';

type DocumentParts = NetworkParts & {
  /** Hashes of earlier records, of all pages, by source. */
  seenRecords: Map<string, string>;
};

/**
 * Makes the candidates of a page: one for each record, unless the same one came before, else one for the page. A different record with the same id is named by
 * its position.
 */
export async function pageDocuments(page: ApiPage, api: ApiSettings, parts: DocumentParts): Promise<Candidate[]> {
  const { records, structure } = page;
  if (!records || !structure) return [pageCandidate(page, api, parts)];
  const { seenRecords, reader, signal } = parts;
  const { title_field } = api;
  const takeTurns = yieldToEventLoop(signal);
  const candidates: Candidate[] = [];
  for (const [i, record] of records.entries()) {
    await takeTurns();
    const [id, index] = [idIn(record), i + 1];
    const content_hash = contentHash(`${JSON.stringify(record)}${title_field ?? ''}`, api);
    const own =
      id === undefined ? markedSource(page.source, `record=${index}`) : markedSource(apiSource(api), `record=${encodeURIComponent(id)}`);
    if (seenRecords.get(own) === content_hash) continue;
    const source = seenRecords.has(own) ? markedSource(page.source, `place=${index}`) : own;
    seenRecords.set(source, content_hash);
    const parse = async (): Promise<ParsedDocument> => {
      const readable = await convertMarkup(record, { reader, source, signal });
      const title = titleIn(readable, title_field) ?? (api.title && `${api.title} ${id ?? index}`) ?? id ?? `Record ${index}`;
      return { text: recordMarkdown(readable, 1, title_field), title, metadata: datesIn(record) };
    };
    candidates.push(
      makeCandidate({ source, content_hash, file_type: structure.file_type, parse, isFetched: false }, { ...api, title: undefined }),
    );
  }
  return candidates;
}

function pageCandidate(page: ApiPage, api: ApiSettings, { reader, signal }: NetworkParts): Candidate {
  const { source, answer, structure, number } = page;
  const withPageNumber = (title: string | undefined) => (title && number > 1 ? `${title} (page ${number})` : title);
  const given = { ...api, title: withPageNumber(api.title) };
  if (structure) {
    const { title_field } = api;
    const parse = async () => {
      const value = await convertMarkup(structure.value, { reader, source, signal });
      return { text: asMarkdown(value, title_field), title: withPageNumber(titleIn(value, title_field)), metadata: datesIn(value) };
    };
    const content_hash = contentHash(`${page.digest}${title_field ?? ''}`, given);
    return makeCandidate({ source, content_hash, file_type: structure.file_type, parse, isFetched: true }, given);
  }
  const file_type = requireFileType(answer, source, reader);
  const content_hash = contentHash(toUtf8(answer), given);
  return makeCandidate(
    { source, content_hash, file_type, parse: () => readContent(answer, source, { reader, signal }), isFetched: true },
    given,
  );
}

/** Makes a candidate. `isFetched`: it is a whole response, in whose place a server may send a notice. */
function makeCandidate(
  {
    source,
    content_hash,
    file_type,
    parse,
    isFetched,
  }: Omit<Candidate, 'document' | 'source_kind'> & { file_type: string; parse(): Promise<ParsedDocument> },
  { title, description, frontmatter }: Omit<ApiSettings, 'url'>,
): Candidate {
  const document = async () => {
    const parsed = await parse();
    const given = { title, description, frontmatter };
    return makeDocument(parsed, { source, source_kind: 'api', file_type, content_hash: hash(parsed.text), ...given });
  };
  return { source, source_kind: 'api', content_hash, document, isFetched: isFetched === true };
}

/** Names of HTML elements; anything else in angle brackets (`List<String>`) is text. */
const ELEMENT_NAMES = 'p|div|span|a|b|i|u|em|strong|h[1-6]|ul|ol|dl|table|pre|code|blockquote|section|article|figure|small|sup|sub';
const OPENING = new RegExp(`<(${ELEMENT_NAMES})\\b[^<>]*>`, 'gi');
const CLOSING = new RegExp(`</(${ELEMENT_NAMES})\\s*>`, 'gi');
const VOID_ELEMENT = /<(br|hr|img)\b[^<>]*>/i;
/** Macros, pictures and links of Confluence's storage format. */
const CONFLUENCE_ELEMENT = /<ac:(structured-macro|image|link|layout)\b/;
/** Lines of Markdown, which may contain some HTML. */
const MARKDOWN_LINE = /^(#{1,6} |[-*] |\d+\. |```|> |\|.*\|)|\]\([^\s()]{1,500}\)|\*\*\S/m;
/** Deeper fields are written as JSON. */
const MAX_DEPTH = 8;

interface MarkupParts {
  reader: DocumentReader;
  /** Base address of relative links. */
  source: string;
  signal?: AbortSignal | undefined;
}

/** Converts the HTML texts of a record to Markdown. */
export async function convertMarkup(value: unknown, parts: MarkupParts, depth = 0): Promise<unknown> {
  if (typeof value === 'string') return isMarkup(value) ? toMarkdown(value, parts) : value;
  if (typeof value !== 'object' || value === null || !holdsMarkup(value, depth)) return value;
  if (Array.isArray(value)) return Promise.all(value.map((inner) => convertMarkup(inner, parts, depth + 1)));
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await convertMarkup(inner, parts, depth + 1)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Whether a value contains HTML. Most records contain none, so that nothing has to be copied. */
const holdsMarkup = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return isMarkup(value);
  return (
    typeof value === 'object' && value !== null && depth < MAX_DEPTH && Object.values(value).some((inner) => holdsMarkup(inner, depth + 1))
  );
};

/** Whether a text is HTML, or contains HTML entities. */
export const isMarkup = (text: string): boolean =>
  text.includes('<')
    ? (hasElement(text) || VOID_ELEMENT.test(text) || CONFLUENCE_ELEMENT.test(text)) &&
      !MARKDOWN_LINE.test(withoutCode(text).replace(TAG, ''))
    : hasReferences(text);

/** Removes code from HTML: its lines may look like Markdown. */
const withoutCode = (html: string): string => removeSections(removeSections(html, /<pre\b/gi, '</pre'), /<!\[CDATA\[/g, ']]>');

function removeSections(text: string, beginning: RegExp, end: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(beginning)) {
    if (index < from) continue;
    const close = text.indexOf(end, index);
    if (close < 0) break;
    kept.push(text.slice(from, index));
    from = close + end.length;
  }
  return [...kept, text.slice(from)].join('');
}

/** A tag. The match ends at the next bracket, so that its cost is linear. */
const TAG = /<[^<>]*>/g;

function hasElement(text: string): boolean {
  const closed = new Map<string, number>(); // last closing tag of each element
  for (const { 1: name, index } of text.matchAll(CLOSING)) closed.set(name!.toLowerCase(), index);
  return closed.size > 0 && text.matchAll(OPENING).some(({ 1: name, index }) => index < (closed.get(name!.toLowerCase()) ?? -1));
}

/** A parameter of a macro, which is no content unless it is a title. */
const PARAMETER = /<ac:parameter\b(?![^<>]*"title")[^<>]*>[^<]*<\/ac:parameter>/g;
const CODE_BODY = /<ac:plain-text-body\b[^<>]*>\s*$/;
/** Characters before the code of a macro that may name its language. */
const MAX_LANGUAGE_DISTANCE = 1000;

/** Replaces CDATA, which is no HTML, by its text: Confluence keeps code in it. */
function replaceCdata(html: string): string {
  const [before = '', ...sections] = html.split('<![CDATA[');
  let above = before;
  const pieces = sections.map((section) => {
    const [inside = '', ...rest] = section.split(']]>');
    const near = above.slice(-MAX_LANGUAGE_DISTANCE);
    const [text, isCode] = [escapeHtml(inside), CODE_BODY.test(near)];
    const language = isCode ? /"language">([\w+#-]{1,30})<[^]*$/.exec(near)?.[1] : undefined;
    above = rest.join(']]>');
    return (isCode ? `<pre><code${language ? ` class="language-${language}"` : ''}>${text}</code></pre>` : text) + above;
  });
  return [before, ...pieces].join('').replace(PARAMETER, '');
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Converts HTML to Markdown. HTML that cannot be read stays unchanged if it has a letter or digit outside of tags, else it becomes empty. */
async function toMarkdown(html: string, { reader, source, signal }: MarkupParts): Promise<string> {
  if (!html.includes('<')) return decodeReferences(html);
  try {
    return (await reader.read(Buffer.from(replaceCdata(html)), { source, file_type: GIVEN_TYPES.fragment, signal })).text;
  } catch (error) {
    if (isAbort(error)) throw error;
    return /[\p{L}\p{N}]/u.test(html.replace(TAG, '')) ? html : '';
  }
}
