import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { documentId } from '../core/ids.ts';
import type { ErrorItem, Location } from '../schema/items.ts';
import { type OperationName, operations, type RequestOf, type ResultOf } from '../schema/operations.ts';
import { AnswerConfidence } from '../schema/answers.ts';
import { ChatRequest, RetrieveRequest } from '../schema/questions.ts';
import { IngestRequest } from '../schema/requests.ts';
import { listOf } from '../schema/fields.ts';
import { MarkdownEntry } from '../schema/source-entries.ts';
import { GetSourceRequest, GetSourceResult, ListSourcesRequest } from '../schema/stored/stored-sources.ts';
import { count } from '../text/count.ts';
import { truncate } from '../text/truncate.ts';
import { locationText } from '../text/passage-location.ts';

/** A link to a stored document. */
interface Link {
  uri: string;
  name: string;
  title: string;
}

/** Answer of a tool: text for the model, the same as structured data (`output`), and links to documents. */
interface Answer {
  text: string;
  data: Record<string, unknown>;
  links?: Link[];
}

/** Arguments of a call that the answer depends on. */
interface Asked {
  /** The collection of the call, else the configured one. */
  collection: string;
}

/** A tool of the MCP server, which runs an operation for a model. */
interface ToolRow<Name extends OperationName, Input extends z.ZodObject> {
  operation: Name;
  title: string;
  /** Written for a model: when to use it, and what comes back. */
  description: string;
  input: Input;
  output: z.ZodObject;
  request(asked: z.output<Input>, collection: string): RequestOf<Name>;
  /** Formats the result. Throws a KbError if the whole operation failed. */
  answer(result: ResultOf<Name>, asked: z.output<Input> & Asked): Answer;
}

/** A row without its type parameters. */
export type Tool = Omit<ToolRow<OperationName, z.ZodObject>, 'request' | 'answer'> & {
  request(asked: object, collection: string): never;
  answer(result: unknown, asked: Asked): Answer;
};

const tool = <Name extends OperationName, Input extends z.ZodObject>(row: ToolRow<Name, Input>): Tool => row as unknown as Tool;

/** The address of a stored document as a resource. */
export const documentUri = (collection: string, id: string): string => `kb://${encodeURIComponent(collection)}/${encodeURIComponent(id)}`;

/** Parses the URI of a document. Throws a KbError (`usage`) for any other. */
export function parseDocumentUri(uri: string): { collection: string; id: string } {
  const [, collection, id] = /^kb:\/\/([^/?#]+)\/([^/?#]+)/.exec(uri) ?? [];
  try {
    if (collection && id) return { collection: decodeURIComponent(collection), id: decodeURIComponent(id) };
  } catch {
    // an invalid percent-encoding
  }
  throw new KbError('usage', `"${uri.slice(0, 200)}" is no address of a document, such as kb://default/0123456789abcdef.`);
}

const collections = RetrieveRequest.shape.collection.describe('Collection, or several, to search. Default: the configured one');
const collection = ListSourcesRequest.shape.name.optional().describe('Name of the collection. Default: the configured one');
/** Default lengths of results, in characters. They should not fill the context of an agent. */
const SEARCH_CHARACTERS = 6_000;
export const SOURCE_CHARACTERS = 20_000;
/** Minimum characters of a passage that is shown in part. */
const MIN_SHOWN = 300;

const maxCharacters = GetSourceRequest.shape.max_characters;

/** Writes passages with their headlines until the characters are used up. The last one may be cut; its end says so. */
function fitPassages(passages: readonly { head: string; text: string }[], limit: number): string[] {
  const fitting: string[] = [];
  let available = limit;
  for (const { head, text } of passages) {
    available -= head.length;
    const isWhole = text.length <= available;
    if (!isWhole && available < MIN_SHOWN && fitting.length > 0) break;
    fitting.push(`${head}\n\n${isWhole ? text : `${truncate(text, Math.max(available, MIN_SHOWN))} … (cut: get_source gives the rest)`}`);
    available -= text.length;
    if (available <= 0) break;
  }
  return fitting;
}

/** Writes the text of a document, and how to read on if it was cut. */
export function formatExcerpt({ text, next, outline }: Pick<ResultOf<'get_source'>, 'text' | 'next' | 'outline'>): string {
  if (next === null) return text;
  const request = next.lines === undefined ? `offset ${next.offset} and otherwise the same arguments` : `lines ${next.lines}`;
  const headings = outline.length > 0 ? [`Headings that follow: ${outline.join('; ')}`] : [];
  return [text, '---', `The document continues. Read on with get_source and ${request}.`, ...headings].join('\n\n');
}

const place = {
  source: z.string().describe('Path, address or name of the document; get_source takes it'),
  title: z.string().describe('Title of the document'),
  place: z.string().describe('Heading, page, lines or rows; empty if unknown'),
  collection: z.string().describe('Its collection'),
  uri: z.string().describe('The document as a resource'),
};

/** A text with a name, because texts without one would replace each other. */
const NamedText = MarkdownEntry.options[1].extend({
  source: z.string().min(1).describe('Name under which the text is stored; a later text with the same name replaces it'),
});

interface FoundPassage {
  metadata: Record<string, unknown>;
  collection?: string | undefined;
}

function toPlace({ metadata, collection: own }: FoundPassage, asked: string) {
  const source = String(metadata.source ?? '');
  const name = own ?? asked;
  const at = locationText(metadata.location as Location | undefined, metadata.file_type);
  return { source, title: String(metadata.title ?? source), place: at, collection: name, uri: documentUri(name, documentId(source)) };
}

type Place = ReturnType<typeof toPlace>;

const headline = ({ title, source, place: at }: Place): string => [title, source, at].filter(Boolean).join(' · ');
const toLinks = (places: readonly Place[]): Link[] =>
  [...new Map(places.map(({ uri, source, title }) => [uri, { uri, name: source, title }])).values()]; // prettier-ignore

/** Throws a KbError unless some of the work succeeded. */
function assertDone(isDone: boolean, errors: readonly ErrorItem[], otherwise: string): void {
  if (isDone) return;
  throw new KbError('unavailable', errors.map(({ error }) => error).join(' ') || otherwise);
}

/** The tools, by their names. */
export const tools: Record<string, Tool> = {
  search: tool({
    operation: 'retrieve',
    title: 'Search the knowledge base',
    description:
      'Finds passages in the documents of the knowledge base by meaning and by words. Use it whenever the answer may be in these documents (manuals, websites, APIs, notes) and you want to read the passages yourself; use ask for an answer with citations. Gives passages, best first, with score (0 to 1), document and place. Low scores (under .3) usually mean that the documents do not answer. The text of the passages is in the content of the result, and bounded by max_characters. Read on with get_source.',
    input: z.strictObject({
      query: RetrieveRequest.shape.query.describe('What to look for: a whole question or telling words, names and codes'),
      top_k: RetrieveRequest.shape.top_k,
      filter: RetrieveRequest.shape.filter,
      collection: collections,
      max_characters: maxCharacters.describe(
        `Maximum characters of the passages together, with their headlines. Default: ${SEARCH_CHARACTERS.toLocaleString('en-US')}`,
      ),
    }),
    output: z.object({
      hits: z
        .array(z.object({ ...place, score: z.number().describe('Similarity to the query, 0 to 1') }))
        .describe('The passages of the content, in the same order'),
      omitted: z.int().describe('Further hits, for which max_characters left no room'),
      notice: z.string().optional().describe('What is wrong with the filter'),
    }),
    request: ({ max_characters: _, ...asked }) => asked,
    answer: ({ items, failed, errors, notice }, { collection: name, max_characters = SEARCH_CHARACTERS }) => {
      assertDone(failed === 0 || items.length > 0, errors, 'The search failed.');
      const hits = items.map((item) => ({ ...toPlace(item, name), score: item.score }));
      const passages = fitPassages(
        hits.map((hit, i) => ({ head: `${i + 1}. ${headline(hit)} (score ${hit.score.toFixed(2)})`, text: items[i]!.text })),
        max_characters,
      );
      const shown = hits.slice(0, passages.length);
      const omitted = hits.length - shown.length;
      const notes = [
        ...(omitted > 0 ? [`${count(omitted, 'further hit')} left out: raise max_characters, or search for something narrower.`] : []),
        ...(notice ? [notice] : []),
      ];
      const text = [...(passages.length > 0 ? passages : ['Nothing was found.']), ...notes].join('\n\n---\n\n');
      return { text, data: { hits: shown, omitted, ...(notice ? { notice } : {}) }, links: toLinks(shown) };
    },
  }),
  ask: tool({
    operation: 'chat',
    title: 'Ask the knowledge base',
    description:
      'Answers a question from the documents of the knowledge base, with citations such as [1] that name document and place. Use it for a question of fact about these documents. confidence says how far to trust the answer: high; low: tell the user that it is doubtful, and check with search; none: the documents do not answer, so say that and do not invent an answer. Pass earlier turns in history if the question leans on them.',
    input: z.strictObject({
      question: RetrieveRequest.shape.query.describe('The question, in the words of the user'),
      history: ChatRequest.shape.history.describe('Earlier messages of the conversation, oldest first'),
      collection: collections,
    }),
    output: z.object({
      answer: z.string().describe('The answer in Markdown'),
      confidence: AnswerConfidence.shape.level.describe('low: doubtful; none: not answered by the documents'),
      citations: z.array(z.object({ ...place, citation: z.int().describe('Its number in the answer'), text: z.string() })),
    }),
    request: ({ question, ...rest }) => ({ query: question, ...rest }),
    answer: ({ answer, sources, errors, answer_confidence: { level } }, { collection: name }) => {
      assertDone(answer !== '', errors, 'There is no answer.');
      const cited = sources.filter(({ cited: isCited }) => isCited);
      const citations = cited.map((source) => ({ ...toPlace(source, name), citation: source.citation, text: source.text }));
      const lines = citations.map((one) => `[${one.citation}] ${headline(one)}`);
      const text = [answer, `Confidence: ${level}`, ...lines].join('\n\n');
      return { text, data: { answer, confidence: level, citations }, links: toLinks(citations) };
    },
  }),
  list_sources: tool({
    operation: 'list_sources',
    title: 'List the documents',
    description:
      'Lists the documents of a collection in the order of their names, up to 200 at once. Use it to see what the knowledge base holds, or to find the exact name of a document for get_source. Pass the cursor of the last page to go on.',
    input: z.strictObject({ prefix: ListSourcesRequest.shape.prefix, cursor: ListSourcesRequest.shape.cursor, collection }),
    output: z.object({
      sources: z.array(z.object({ source: z.string(), title: z.string(), kind: z.string(), chunks: z.int(), uri: z.string() })),
      total: z.int().describe('Documents on all pages'),
      cursor: z.string().nullable().describe('Requests the next page; null on the last one'),
    }),
    request: ({ prefix, cursor }, name) => ({ name, prefix, cursor, limit: PAGE_SIZE }),
    answer: ({ sources, total, cursor }, { collection: name }) => {
      const listed = sources.map(({ id, source, title, source_kind: kind, chunks }) => ({
        source,
        title,
        kind,
        chunks,
        uri: documentUri(name, id),
      }));
      const lines = listed.map(({ source, title, chunks }) => `- ${source} · ${title} (${count(chunks, 'chunk')})`);
      const rest = cursor === null ? [] : [`${count(total, 'document')} in all: go on with cursor ${cursor}`];
      return {
        text: [...(lines.length > 0 ? lines : ['No document matches.']), ...rest].join('\n'),
        data: { sources: listed, total, cursor },
      };
    },
  }),
  get_source: tool({
    operation: 'get_source',
    title: 'Read a document',
    description:
      'Gives the text of one document as Markdown: whole, or only some lines, one page, or the section under a heading. Use it to read around a passage that search or ask has named. The text is in the content of the result. A long one ends before a heading; next then says how to read on, and outline which headings follow.',
    input: z.strictObject({
      source: GetSourceRequest.shape.id.describe('Path, address or name of the document, as search and list_sources give it'),
      lines: GetSourceRequest.shape.lines,
      page: GetSourceRequest.shape.page,
      heading: GetSourceRequest.shape.heading,
      offset: GetSourceRequest.shape.offset,
      max_characters: maxCharacters.describe(`Maximum characters of the text. Default: ${SOURCE_CHARACTERS.toLocaleString('en-US')}`),
      collection,
    }),
    output: z.object({
      source: z.string(),
      title: z.string(),
      uri: z.string(),
      next: GetSourceResult.shape.next,
      outline: GetSourceResult.shape.outline,
    }),
    request: ({ source, collection: _, max_characters = SOURCE_CHARACTERS, ...narrowing }, name) => ({
      name,
      id: source,
      max_characters,
      ...narrowing,
    }),
    answer: (result, { collection: name }) => {
      const { id, source, title, next, outline } = result;
      return { text: formatExcerpt(result), data: { source, title, uri: documentUri(name, id), next, outline } };
    },
  }),
  ingest: tool({
    operation: 'ingest',
    title: 'Add documents',
    description:
      'Reads files, web pages or Markdown texts and stores them in the knowledge base, in place of what was stored under the same names. Files must lie in the folders that the operator allows. Takes seconds to minutes; reports progress.',
    input: z.strictObject({
      docs: IngestRequest.shape.docs,
      urls: IngestRequest.shape.urls,
      markdown: listOf(NamedText).optional().describe('Texts in Markdown, each with the source under which it is stored'),
      metadata: IngestRequest.shape.metadata,
      collection,
    }),
    output: z.object({
      documents: z.int().describe('Documents read'),
      unchanged: z.int().describe('Documents that were stored already, as they are'),
      stored: z.int().describe('Chunks written'),
      failed: z.int().describe('What could not be read or stored'),
      errors: z.array(z.string()).describe('What failed and why'),
      notices: z.array(z.string()),
    }),
    request: ({ collection: _, ...asked }, name) => ({ ...asked, storage: { collection: name } }),
    answer: ({ sources, unchanged, stored, failed, errors, notices }) => {
      assertDone(failed === 0 || sources > 0, errors, 'Nothing could be read.');
      const failures = errors.map(({ source, error }) => (source ? `${source}: ${error}` : error));
      const summary = `Stored ${count(stored, 'chunk')} of ${count(sources, 'document')}; ${unchanged} unchanged, ${failed} failed.`;
      const data = { documents: sources, unchanged, stored, failed, errors: failures, notices: [...notices] };
      return { text: [summary, ...failures, ...notices].join('\n'), data };
    },
  }),
  delete_source: tool({
    operation: 'delete_source',
    title: 'Remove a document',
    description: 'Removes one document and its passages from the knowledge base. The original file or page is not touched.',
    input: z.strictObject({ source: GetSourceRequest.shape.id.describe('Path, address or name of the document'), collection }),
    output: z.object({ deleted: z.int().describe('Chunks removed') }),
    request: ({ source }, name) => ({ name, id: source }),
    answer: ({ deleted }) => ({ text: `Removed ${count(deleted, 'chunk')}.`, data: { deleted } }),
  }),
};

/** Documents of one page. */
export const PAGE_SIZE = 200;

/** Whether a tool changes what is stored. */
export const isWriting = ({ operation }: Tool): boolean => operations[operation].scope !== 'read';
