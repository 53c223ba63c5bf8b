import { z } from 'zod';
import { listOf } from './fields.ts';

/** What a document came from. `path` is a file on this machine; `bytes` an upload or a downloaded link. */
export const SourceKind = z.enum(['path', 'bytes', 'url', 'api', 'markdown']);
export type SourceKind = z.infer<typeof SourceKind>;

/** Anything that a source knows about itself. Keys are the source's own; `title`, `source_kind`, `file_type`, `content_hash`, `location`, `page_kind` are ours. */
export const Metadata = z
  .record(z.string(), z.unknown())
  .describe('What the source knows about itself: title, source_kind, file_type, content_hash, location, and keys of its own');
export type Metadata = z.infer<typeof Metadata>;

/** Where a passage stands in its document. All counts begin with 1; ends are inclusive. */
export const Location = z
  .object({
    page: z.int().optional().describe('Page of a PDF, slide of a PPTX'),
    sheet: z.string().optional().describe('Sheet of an XLSX'),
    row_start: z.int().optional().describe('First row of a table, the header row being row 1'),
    row_end: z.int().optional().describe('Last row of a table'),
    headings: z.array(z.string()).optional().describe('The path of headings above the passage, outermost first'),
    line_start: z.int().optional().describe('First line in the source file (Markdown, text)'),
    line_end: z.int().optional().describe('Last line in the source file'),
    anchor: z.string().optional().describe('The fragment of the nearest heading above (HTML), without #'),
  })
  .meta({ id: 'Location', description: 'Where a passage stands in its document. All counts begin with 1; ends are inclusive' });
export type Location = z.infer<typeof Location>;

/**
 * Ties a place in `Document.text` to the place in the source that it was made from. A mark holds from the character offset `at` until the next
 * mark and repeats everything that is still true. Within its reach `line` grows by one with every newline, `row` with every table row.
 */
export const Mark = z.object({
  at: z.int().min(0).describe('Characters of the text before it'),
  page: z.int().optional().describe('Page of a PDF, slide of a PPTX, from 1'),
  sheet: z.string().optional().describe('Sheet of an XLSX'),
  row: z.int().optional().describe('Row of a table, the header row being row 1'),
  line: z.int().optional().describe('Line in the source file, from 1'),
  anchor: z.string().optional().describe('The fragment of the nearest heading above (HTML), without #'),
});
export type Mark = z.infer<typeof Mark>;

/** A normalized document: Markdown, whatever it was before. */
export const Document = z
  .object({
    id: z.string().describe('Stable: derived from the source'),
    text: z.string().describe('Markdown'),
    source: z.string().describe('Path, address or name'),
    title: z.string().describe('The title given, else what the document says, else its name'),
    metadata: Metadata,
    marks: z.array(Mark).optional().describe('Where in the source the text stands, in the order of `at`'),
  })
  .meta({ id: 'Document', description: 'A normalized document: Markdown, whatever it was before' });
export type Document = z.infer<typeof Document>;

/** A passage of a document: the unit that is embedded, stored and found. */
export const Chunk = z
  .object({
    id: z.string().describe('Stable: derived from the source, the heading path and the ordinal under it'),
    text: z.string().describe('The passage, for people'),
    embed_text: z
      .string()
      .optional()
      .describe('Words of the path or address, title and headings before the passage, for the embedder; `text` where absent'),
    source: z.string().describe('Path, address or name of its document'),
    metadata: Metadata,
  })
  .meta({ id: 'Chunk', description: 'A passage of a document: the unit that is embedded, stored and found' });
export type Chunk = z.infer<typeof Chunk>;

/** Which model made a vector. */
export const EmbedderName = z.object({
  provider: z.string().describe('Embedding provider'),
  model: z.string().describe('Embedding model'),
});
export type EmbedderName = z.infer<typeof EmbedderName>;

/** A chunk with its vector; without one where the collection is searched by words alone. */
export const EmbeddedChunk = Chunk.extend({
  embedding: z.array(z.number()).optional().describe('The vector'),
  embedder: EmbedderName.optional().describe('Which model made the vector; the configured one where absent'),
}).meta({ id: 'EmbeddedChunk', description: 'A chunk with its vector; without one where the collection is searched by words alone' });
export type EmbeddedChunk = z.infer<typeof EmbeddedChunk>;

/** A chunk that a query found. */
export const RetrievedItem = z
  .object({
    id: z.string().describe('Identifier of the chunk'),
    chunk_id: z.string().describe('The same as `id`'),
    text: z.string().describe('The passage'),
    metadata: Metadata.describe('Always with `source`; title, location and what else is known of the document'),
    score: z.number().min(0).max(1).describe('Similarity to the query, 0 to 1, comparable between modes'),
    rerank_score: z.number().optional().describe("Present when the result was reranked, on the reranker's own scale: higher is better"),
    explain: z.record(z.string(), z.unknown()).optional().describe('How the rank came about, when asked for'),
  })
  .meta({ id: 'RetrievedItem', description: 'A chunk that a query found' });
export type RetrievedItem = z.infer<typeof RetrievedItem>;

/** One turn of a conversation. */
export const HistoryEntry = z
  .object({ role: z.enum(['user', 'assistant']).describe('Who said it'), content: z.string().describe('What was said') })
  .meta({ id: 'HistoryEntry', description: 'One message of a conversation' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** A chunk that the answer was built from. */
export const Source = z
  .object({
    id: z.string().describe('Chunk identifier'),
    title: z.string().describe('Title of its document'),
    score: z.number().describe('Similarity to the query, 0 to 1'),
    rerank_score: z.number().optional().describe("Present when the chunks were reranked, on the reranker's own scale: higher is better"),
    metadata: Metadata.describe('Always with `source`; what else is known of the document'),
    citation: z.int().describe('The number that the answer cites it by: [1]'),
    cited: z.boolean().describe('Whether the answer does'),
    text: z.string().describe('The passage'),
    location: Location,
  })
  .meta({ id: 'Source', description: 'A chunk that the answer was built from' });
export type Source = z.infer<typeof Source>;

// What people and programs hand in. An unknown key is refused: it is a misspelt one more often than a superfluous one.

const source = z.string().describe('Path, address or name of its document');
const id = z.string().min(1).describe('Identifier of the chunk');

/** A document as people write it, or as `kb parse` gives it: only the text is needed. */
export const GivenDocument = Document.partial()
  .extend({ text: Document.shape.text, marks: listOf(Mark.strict()).optional().describe('Where in the source the text stands') })
  .strict();

/** A chunk as people write it: an id and a text are needed. */
export const GivenChunk = Chunk.extend({
  id,
  source: source.default(''),
  metadata: Metadata.default({}),
}).strict();

/** Numbers of a vector, at most: models make some thousands. */
const LONGEST_VECTOR = 16_384;

/** A list of numbers. The first entry that is none is told, and no other: a list of millions of texts would be as many complaints. */
const Vector = z
  .array(z.any().meta({ type: 'number' }) as unknown as z.ZodNumber)
  .max(LONGEST_VECTOR)
  .check(({ value, issues }) => {
    const i = value.findIndex((number) => !Number.isFinite(number));
    if (i >= 0) issues.push({ code: 'invalid_type', expected: 'number', input: value[i], path: [i] });
  });

/** A chunk with its vector, as `kb embed` gives it. */
export const GivenEmbeddedChunk = EmbeddedChunk.extend({
  id,
  source: source.default(''),
  metadata: Metadata.default({}),
  embedding: Vector.optional().describe('The vector; none where the collection is searched by words alone'),
  embedder: EmbedderName.strict().optional().describe('Which model made the vector; the configured one where absent'),
}).strict();

/** What changes about a stored chunk: its text, and its metadata where they are given. */
export const EditedChunk = GivenChunk.extend({
  source: source.optional(),
  metadata: Metadata.optional().describe('In the place of its metadata; those that it has stay where this is absent'),
});

/** A message of a conversation, as a client hands it back. */
export const GivenEntry = HistoryEntry.strict();

/** A step of the work, as an error names it. */
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

/** One thing that failed while the rest went on. */
export const ErrorItem = z
  .object({
    source: z.string().describe('The file, URL, chunk or query concerned; empty when none'),
    source_kind: ErrorSourceKind.describe('What `source` is'),
    stage: Stage.describe('Where in the work it failed'),
    error: z.string().describe('What went wrong, for people'),
    isRetryable: z.boolean().describe('Whether the same again may succeed'),
    attempts: z.int().describe('How often it was tried'),
    retry_input: z.unknown().optional().describe('What to send again, without credentials'),
  })
  .meta({ id: 'ErrorItem', description: 'One thing that failed while the rest went on' });
export type ErrorItem = z.infer<typeof ErrorItem>;
