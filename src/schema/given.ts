import { z } from 'zod';
import { list } from './fields.ts';
import { Chunk, Document, EmbeddedChunk, EmbedderName, HistoryEntry, Mark, Metadata } from './items.ts';

// What people and programs hand in. An unknown key is refused: it is a misspelt one more often than a superfluous one.

const source = z.string().describe('Path, address or name of its document');
const id = z.string().min(1).describe('Identifier of the chunk');

/** A document as people write it, or as `kb parse` gives it: only the text is needed. */
export const GivenDocument = Document.partial()
  .extend({ text: Document.shape.text, marks: list(Mark.strict()).optional().describe('Where in the source the text stands') })
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
