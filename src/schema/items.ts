import { z } from 'zod';
import { listOf, MAX_ADDRESS_LENGTH, MAX_LABEL_LENGTH, MAX_NAME_LENGTH } from './fields.ts';

/** Kind of the source of a document. `path` is a file on this machine; `bytes` an upload or a downloaded link. */
export const SourceKind = z.enum(['path', 'bytes', 'url', 'api', 'markdown']);
export type SourceKind = z.infer<typeof SourceKind>;

/**
 * Metadata of a document: keys of the source, and those that kb sets (`title`, `source_kind`, `file_type`, `content_hash`, `location`,
 * `page_kind`, `ingested_at`).
 */
export const Metadata = z
  .record(z.string(), z.unknown())
  .describe('Metadata of the source: title, source_kind, file_type, content_hash, location, and custom keys');
export type Metadata = z.infer<typeof Metadata>;

const share = (what: string) => z.number().min(0).max(1).describe(`${what}, as a share of the page, 0 to 1`);

/** Where on a page text stands: shares of the page as it is shown, cropped and turned, from its upper left corner. */
export const Box = z.object({
  left: share('Distance from the left edge'),
  top: share('Distance from the upper edge'),
  width: share('Width'),
  height: share('Height'),
});
export type Box = z.infer<typeof Box>;

/** A rectangle of a passage. */
export const PassageBox = Box.extend({
  page: z.int().describe('Page that it is on'),
  line: z
    .int()
    .optional()
    .describe("First line of the stored passage's text that it holds. Default: 1; absent in the location of a quotation"),
}).meta({
  id: 'PassageBox',
  description:
    'A rectangle on a page that holds text of a passage. Shares (0 to 1) of the page as it is shown, cropped and turned, from its upper left corner',
});
export type PassageBox = z.infer<typeof PassageBox>;

/** A position within a passage that a link can lead to. */
export const PassageAnchor = z
  .object({
    line: z.int().describe("First line of the stored passage's text that it covers, from 1"),
    anchor: z.string().describe('Fragment of the heading or term, without #'),
  })
  .meta({ id: 'PassageAnchor', description: 'A heading or term within a passage that a link can lead to' });
export type PassageAnchor = z.infer<typeof PassageAnchor>;

/** Location of a passage in its document. Numbers start at 1, `offset` at 0; ends are inclusive. */
export const Location = z
  .object({
    page: z.int().optional().describe('Page of a PDF, slide of a presentation'),
    page_end: z.int().optional().describe('Last page, where the passage reaches on to another'),
    page_ratio: z.number().optional().describe('Width of that page by its height (PDF)'),
    boxes: z
      .array(PassageBox)
      .optional()
      .describe('Where on its pages the passage stands (PDF with text of its own): 8 rectangles at most'),
    sheet: z.string().optional().describe('Sheet of a workbook'),
    row_start: z.int().optional().describe('First row of a table; the header is row 1'),
    row_end: z.int().optional().describe('Last row of a table'),
    headings: z.array(z.string()).optional().describe('Headings above the passage, outermost first'),
    line_start: z.int().optional().describe('First line in the source file (Markdown, text, code, JSON, XML)'),
    line_end: z.int().optional().describe('Last line in the source file'),
    anchor: z.string().optional().describe('Fragment of the nearest heading or term above (HTML), without #'),
    anchors: z
      .array(PassageAnchor)
      .optional()
      .describe(
        'All anchors of a passage that holds several headings or terms; absent in the location of a quotation, which has its nearest',
      ),
    member: z.string().optional().describe('File in an archive or mail that the passage is from'),
    time_start: z.string().optional().describe('When the passage begins in a recording, as hh:mm:ss'),
    time_end: z.string().optional().describe('When its last subtitle ends'),
    offset: z.int().optional().describe("Where its own text begins in the document's Markdown, in characters from 0"),
    overlap: z.int().optional().describe('Characters at its beginning that repeat the passage before it, or the head of its table'),
  })
  .meta({ id: 'Location', description: 'Location of a passage in its document. Numbers start at 1, offset at 0; ends are inclusive' });
export type Location = z.infer<typeof Location>;

/**
 * Maps a position in `Document.text` to its place in the source. A mark holds from the character offset `at` until the next mark and
 * repeats everything that is still true. Within its reach `line` grows by one with every newline, `row` with every table row.
 */
export const Mark = z.object({
  at: z.int().min(0).describe('Character offset in the text'),
  page: z.int().optional().describe('Page of a PDF, slide of a PPTX, from 1'),
  page_ratio: z.number().min(0).max(1000).optional().describe('Width of that page by its height (PDF)'),
  boxes: listOf(Box.strict()).optional().describe('Where on that page the text up to the next mark stands (PDF)'),
  sheet: z.string().optional().describe('Sheet of an XLSX'),
  row: z.int().optional().describe('Row of a table; the header is row 1'),
  line: z.int().optional().describe('Line in the source file, from 1'),
  anchor: z.string().optional().describe('Fragment of the nearest heading above (HTML), without #'),
  member: z.string().optional().describe('File in an archive or mail'),
  time: z.string().optional().describe('When it is said in a recording, as hh:mm:ss'),
  time_end: z.string().optional().describe('When that ends, in the same form'),
});
export type Mark = z.infer<typeof Mark>;

/** A document converted to Markdown. */
export const Document = z
  .object({
    id: z.string().describe('Stable id, derived from the source'),
    text: z.string().describe('Markdown'),
    source: z.string().describe('Path, address or name'),
    title: z.string().describe('Given title, else the title in the document, else its name'),
    metadata: Metadata,
    marks: z.array(Mark).optional().describe('Locations in the source, sorted by `at`'),
  })
  .meta({ id: 'Document', description: 'A document converted to Markdown' });
export type Document = z.infer<typeof Document>;

/** A passage of a document: the unit that is embedded, stored and found. */
export const Chunk = z
  .object({
    id: z.string().describe('Stable id, derived from the source, the heading path and the position below it'),
    text: z.string().describe('Text of the passage'),
    embed_text: z
      .string()
      .optional()
      .describe('Text for the embedder: words of the path or address, title and headings, then the passage. Default: `text`'),
    source: z.string().describe('Path, address or name of its document'),
    metadata: Metadata,
  })
  .meta({ id: 'Chunk', description: 'A passage of a document: the unit that is embedded, stored and retrieved' });
export type Chunk = z.infer<typeof Chunk>;

/** Provider and model that computed a vector. */
export const EmbedderName = z.object({
  provider: z.string().describe('Embedding provider'),
  model: z.string().describe('Embedding model'),
});
export type EmbedderName = z.infer<typeof EmbedderName>;

/** A chunk with its vector; without one if the collection is searched by keyword only. */
export const EmbeddedChunk = Chunk.extend({
  embedding: z.array(z.number()).optional().describe('The vector'),
  embedder: EmbedderName.optional().describe('Model of the vector. Default: the configured model'),
}).meta({ id: 'EmbeddedChunk', description: 'A chunk with its vector; no vector if the collection is searched by keyword only' });
export type EmbeddedChunk = z.infer<typeof EmbeddedChunk>;

const also_in = z.array(z.string()).optional().describe('Other sources with the same passage, which counts once');

/** A retrieved chunk with its score. */
export const RetrievedItem = z
  .object({
    id: z.string().describe('Identifier of the chunk'),
    chunk_id: z.string().describe('Same as `id`'),
    text: z.string().describe('The passage'),
    metadata: Metadata.describe('`source` (always present), title, location and other metadata of the document'),
    score: z.number().min(0).max(1).describe('Similarity to the query, 0 to 1, comparable between modes'),
    also_in,
    collection: z.string().optional().describe('Its collection, if several were searched'),
    rerank_score: z.number().optional().describe("Present after reranking, on the reranker's own scale; higher is better"),
    explain: z.record(z.string(), z.unknown()).optional().describe('Explanation of the rank, if requested'),
  })
  .meta({ id: 'RetrievedItem', description: 'A retrieved chunk' });
export type RetrievedItem = z.infer<typeof RetrievedItem>;

/** One message of a conversation. */
export const HistoryEntry = z
  .object({ role: z.enum(['user', 'assistant']).describe('Author of the message'), content: z.string().describe('Text of the message') })
  .meta({ id: 'HistoryEntry', description: 'One message of a conversation' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** A chunk that the answer was built from. */
export const Source = z
  .object({
    id: z.string().describe('Chunk identifier'),
    title: z.string().describe('Title of its document'),
    score: z.number().describe('Similarity to the query, 0 to 1'),
    rerank_score: z.number().optional().describe("Present after reranking, on the reranker's own scale; higher is better"),
    metadata: Metadata.describe('`source` (always present) and other metadata of the document'),
    also_in,
    collection: z.string().optional().describe('Its collection, if several were searched'),
    citation: z.int().describe('Number used in citations: [1]'),
    cited: z.boolean().describe('Whether the answer cites it'),
    text: z.string().describe('The passage'),
    location: Location,
  })
  .meta({ id: 'Source', description: 'A chunk used for the answer' });
export type Source = z.infer<typeof Source>;

// Items in requests. An unknown key is rejected: it is usually a misspelt one.

const source = z.string().max(MAX_ADDRESS_LENGTH).describe('Path, address or name of its document');
const id = z.string().min(1).max(MAX_ADDRESS_LENGTH).describe('Identifier of the chunk');

/** Maximum characters of metadata as JSON: it is stored with each chunk of a document. */
const MAX_METADATA_LENGTH = 100_000;
/** Maximum fields of metadata: each is indexed, and read with each chunk. */
const MAX_METADATA_FIELDS = 1_000;

/** Adds an issue to metadata that is too long or has too many fields. */
export function rejectLongMetadata({ value, issues }: Pick<z.core.ParsePayload<object>, 'value' | 'issues'>): void {
  const isLong = JSON.stringify(value).length > MAX_METADATA_LENGTH;
  if (!isLong && Object.keys(value).length <= MAX_METADATA_FIELDS) return;
  const message = isLong
    ? `at most ${MAX_METADATA_LENGTH.toLocaleString('en-US')} characters of metadata, written as JSON`
    : `at most ${MAX_METADATA_FIELDS.toLocaleString('en-US')} fields of metadata`;
  issues.push({ code: 'custom', message, path: [], input: value });
}

/** Metadata in a request. */
const LimitedMetadata = Metadata.check(rejectLongMetadata);
/** The name of an embedder in a request. */
const GivenEmbedder = z.strictObject({
  provider: EmbedderName.shape.provider.max(MAX_NAME_LENGTH),
  model: EmbedderName.shape.model.max(MAX_NAME_LENGTH),
});
const limited = (text: z.ZodOptional<z.ZodString>, length: number): z.ZodOptional<z.ZodString> =>
  text.unwrap().max(length).optional().describe(text.description!);
/** A mark in a request. Its texts are repeated in the chunks of its reach. */
const GivenMark = Mark.extend({
  sheet: limited(Mark.shape.sheet, MAX_NAME_LENGTH),
  anchor: limited(Mark.shape.anchor, MAX_ADDRESS_LENGTH),
  member: limited(Mark.shape.member, MAX_ADDRESS_LENGTH),
  time: limited(Mark.shape.time, MAX_NAME_LENGTH),
  time_end: limited(Mark.shape.time_end, MAX_NAME_LENGTH),
}).strict();

/** A document in a request, written by hand or taken from `kb parse`: only the text is required. */
export const GivenDocument = Document.partial()
  .extend({
    id: id.describe(Document.shape.id.description!).optional(),
    text: Document.shape.text,
    source: source.describe(Document.shape.source.description!).optional(),
    title: Document.shape.title.max(MAX_LABEL_LENGTH).optional(),
    metadata: LimitedMetadata.describe(Metadata.description!).optional(),
    marks: listOf(GivenMark).optional().describe('Locations in the source'),
  })
  .strict();

/** Maximum characters of a chunk's text in a request, twice the maximum `chunk_size`: each search that meets a chunk analyses its whole text. */
const MAX_CHUNK_LENGTH = 200_000;

/** A chunk in a request: an id and a text are required. */
export const GivenChunk = Chunk.extend({
  id,
  text: Chunk.shape.text.max(MAX_CHUNK_LENGTH),
  embed_text: limited(Chunk.shape.embed_text, MAX_CHUNK_LENGTH),
  source: source.default(''),
  metadata: LimitedMetadata.default({}),
}).strict();

/** Maximum length of a vector; embedding models return up to a few thousand numbers. */
const MAX_VECTOR_LENGTH = 16_384;

/**
 * A vector: an array of numbers, or a Float32Array from a library caller. It is checked in one loop, which is faster than one schema per
 * number, and reports only the first entry that is not a finite number.
 */
const Vector = (
  z.any().meta({ type: 'array', items: { type: 'number' }, maxItems: MAX_VECTOR_LENGTH }) as unknown as z.ZodType<number[] | Float32Array>
).check(({ value, issues }) => {
  const issue = findVectorIssue(value);
  if (issue) issues.push(issue);
});

function findVectorIssue(value: unknown): z.core.$ZodRawIssue | undefined {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return { code: 'invalid_type', expected: 'array', input: value };
  if (value.length > MAX_VECTOR_LENGTH)
    return { code: 'too_big', origin: 'array', maximum: MAX_VECTOR_LENGTH, inclusive: true, input: value };
  for (let i = 0; i < value.length; i++)
    if (!Number.isFinite(value[i])) return { code: 'invalid_type', expected: 'number', input: value[i] as unknown, path: [i] };
  return undefined;
}

/** A chunk with its vector in a request, as `kb embed` writes it. */
export const GivenEmbeddedChunk = EmbeddedChunk.extend({
  id,
  source: source.default(''),
  metadata: LimitedMetadata.default({}),
  embedding: Vector.optional().describe('The vector; absent if the collection is searched by keyword only'),
  embedder: GivenEmbedder.optional().describe('Model of the vector. Default: the configured model'),
}).strict();
export type GivenEmbeddedChunk = z.infer<typeof GivenEmbeddedChunk>;

/** A change to a stored chunk: its new text and, if given, its new metadata. */
export const EditedChunk = GivenChunk.extend({
  source: source.optional(),
  metadata: LimitedMetadata.optional().describe(
    'Replaces the metadata, except for the keys that kb sets; if absent, the existing metadata stays',
  ),
});

/** A message of a conversation in a request. */
export const GivenEntry = HistoryEntry.strict();

/** Stage of the work that an error item names. */
export const Stage = z.enum([
  'validate',
  'fetch',
  'crawl',
  'request',
  'convert',
  'chunk',
  'embed',
  'store',
  'edit',
  'delete',
  'retrieve',
  'rewrite',
  'rerank',
  'generate',
  'compact',
  'quality',
]);
export type Stage = z.infer<typeof Stage>;

/** Kind of the thing that failed: a source, a chunk, a query or a turn. */
export const ErrorSourceKind = z.enum([
  'path',
  'bytes',
  'url',
  'api',
  'markdown',
  'chunk',
  'embedded_chunk',
  'stored_chunk',
  'query',
  'chat',
]);
export type ErrorSourceKind = z.infer<typeof ErrorSourceKind>;

/** An item that failed while the rest of the work went on. */
export const ErrorItem = z
  .object({
    source: z.string().describe('The file, URL, chunk or query concerned; empty if none'),
    source_kind: ErrorSourceKind.describe('Type of `source`'),
    stage: Stage.describe('Stage that failed'),
    error: z.string().describe('Error message'),
    isRetryable: z.boolean().describe('Whether a retry may succeed'),
    attempts: z.int().describe('Number of attempts'),
    retry_input: z.unknown().optional().describe('What to send again, without credentials'),
  })
  .meta({ id: 'ErrorItem', description: 'An item that failed while the rest continued' });
export type ErrorItem = z.infer<typeof ErrorItem>;
