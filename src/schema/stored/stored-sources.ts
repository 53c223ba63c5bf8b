import { z } from 'zod';
import { Config } from '../config.ts';
import { MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH } from '../fields.ts';
import { Location, Metadata, SourceKind } from '../items.ts';
import { Filter } from './filter.ts';

const name = Config.shape.collection.describe('Name of the collection');
const count = (meaning: string) => z.int().min(0).describe(meaning);

const sourceFields = {
  id: z.string().describe('Stable id, derived from the source'),
  source: z.string().describe('Path, address or name'),
  title: z.string().describe('Title of the document'),
  source_kind: z.string().describe('path, bytes, url, api or markdown; empty if it was stored without one'),
  file_type: z.string().describe('Type of the file; empty if unknown'),
  characters: count('Characters of its chunks, including what they repeat of each other'),
  content_hash: z.string().describe('Hash of the content; empty if unknown'),
  ingested_at: z.iso.datetime().nullable().describe('When it was last written; null if that was before kb kept it'),
  metadata: Metadata.describe('Custom metadata and what the format knows'),
};

/** A stored document in a list, without its text. */
export const StoredSourceSummary = z
  .object({ ...sourceFields, chunks: count('Number of chunks') })
  .meta({ id: 'StoredSourceSummary', description: 'A stored document' });
export type StoredSourceSummary = z.infer<typeof StoredSourceSummary>;

/** Input of `list_sources`. */
export const ListSourcesRequest = z
  .strictObject({
    name,
    prefix: z.string().max(MAX_ADDRESS_LENGTH).optional().describe('Only sources that begin with this text'),
    kind: SourceKind.optional().describe('Only sources of this kind'),
    filter: Filter.optional().describe('Only documents that this filter fits, in the form of the filters of a search'),
    limit: z.int().min(1).max(1000).default(100).describe('Sources of one page'),
    cursor: z
      .string()
      .max(4 * MAX_ADDRESS_LENGTH)
      .optional()
      .describe('The cursor of the page before'),
  })
  .meta({ id: 'ListSourcesRequest', description: 'Which stored documents to list', examples: [{ name: 'manuals', prefix: 'guides/' }] });
export type ListSourcesRequest = z.infer<typeof ListSourcesRequest>;

/** Result of `list_sources`: one page of the documents. */
export const ListSourcesResult = z
  .object({
    sources: z.array(StoredSourceSummary).describe('Documents in the order of their sources'),
    total: count('Number of documents on all pages'),
    cursor: z.string().nullable().describe('Requests the next page; null on the last one'),
  })
  .meta({ id: 'ListSourcesResult', description: 'Documents of a collection' });
export type ListSourcesResult = z.infer<typeof ListSourcesResult>;

const id = z.string().min(1).max(MAX_ADDRESS_LENGTH).describe('Id of the source, or the source itself');

/** Input of `get_source`. At most one of `lines`, `page` and `heading`. */
export const GetSourceRequest = z
  .strictObject({
    name,
    id,
    lines: z.string().max(MAX_NAME_LENGTH).optional().describe('Only these lines of the text, such as 10-40; the first is 1'),
    page: z.int().min(1).max(1_000_000).optional().describe('Only this page of a PDF, or slide of a PPTX'),
    heading: z.string().min(1).max(1000).optional().describe('Only the section under this heading, with its subsections'),
    offset: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe('Characters of the requested part to skip, as next.offset of the answer says'),
    max_characters: z
      .int()
      .min(1_000)
      .max(100_000)
      .optional()
      .describe(
        'Maximum characters of text. A longer text ends before a heading, if possible; outline and next say what follows. Default: no limit',
      ),
  })
  .meta({
    id: 'GetSourceRequest',
    description: 'A stored document, whole or in part: at most one of lines, page and heading',
    examples: [{ name: 'manuals', id: 'guides/setup.md', heading: 'Pairing' }],
  });
export type GetSourceRequest = z.infer<typeof GetSourceRequest>;

/** Result of `get_source`. */
export const GetSourceResult = z
  .object({
    ...sourceFields,
    text: z.string().describe('Markdown, without what the chunks repeat of each other; of the requested part only'),
    next: z
      .object({
        lines: z.string().optional().describe('Lines to request next'),
        offset: z.int().optional().describe('Offset to request next, where lines cannot say it'),
      })
      .nullable()
      .describe('How to request what follows, if max_characters cut the text; else null'),
    outline: z.array(z.string()).describe('Headings of the text that max_characters cut off, at most 40'),
    chunks: z
      .array(
        z.object({
          id: z.string().describe('Identifier of the chunk'),
          text: z.string().describe('The passage'),
          location: Location,
        }),
      )
      .describe('All chunks, in the order of the document'),
  })
  .meta({ id: 'GetSourceResult', description: 'A stored document with its text and chunks' });
export type GetSourceResult = z.infer<typeof GetSourceResult>;

/** Input of `delete_source`. */
export const DeleteSourceRequest = z
  .strictObject({ name, id })
  .meta({ id: 'DeleteSourceRequest', description: 'A stored document to remove', examples: [{ name: 'manuals', id: 'guides/setup.md' }] });
export type DeleteSourceRequest = z.infer<typeof DeleteSourceRequest>;
