import { z } from 'zod';
import { ApiIngestion, UrlsIngestion } from './config-sources.ts';
import { listOf, LONGEST_PATH } from './fields.ts';
import { GivenDocument, Metadata } from './items.ts';

// What documents are read from: in requests, and under `sources` in the configuration.

export const place = z.string().min(1).max(LONGEST_PATH);
const address = z.string().min(1);

/** A file, folder, glob or link; with a title and a description of its own. */
export const DocsEntry = z.union([
  place,
  z.strictObject({
    path: place.describe('File, folder, glob or link'),
    title: z.string().optional().describe('Title of the document, if not its own'),
    description: z.string().optional().describe('Description of the document'),
  }),
]);
export type DocsEntry = z.infer<typeof DocsEntry>;
export const folder = place.describe('Folder; all supported files in it are read');
export const DocsInput = z.union([DocsEntry, listOf(DocsEntry), z.strictObject({ folder })]);
export type DocsInput = z.infer<typeof DocsInput>;

const UrlObject = z.strictObject({
  url: address.describe('Address of the page'),
  mode: UrlsIngestion.shape.mode.optional(),
  max_depth: UrlsIngestion.shape.max_depth.optional(),
  max_pages: UrlsIngestion.shape.max_pages.optional(),
  include: UrlsIngestion.shape.include.optional(),
  exclude: UrlsIngestion.shape.exclude.optional(),
});
export const UrlsEntry = z.union([address, UrlObject]);
export type UrlsEntry = z.infer<typeof UrlsEntry>;
export const UrlsInput = z.union([UrlsEntry, listOf(UrlsEntry)]);
export type UrlsInput = z.infer<typeof UrlsInput>;

export const ApiSource = ApiIngestion.partial().extend({ url: address.describe('Address of the API') });
export type ApiSource = z.infer<typeof ApiSource>;
export const ApiInput = z.union([address, ApiSource, listOf(z.union([address, ApiSource]))]);
export type ApiInput = z.infer<typeof ApiInput>;

/** A text, or a document as any answer hands it back (service.md 2.4): its id and marks are made anew. */
export const MarkdownEntry = z.union([
  z.string(),
  GivenDocument.extend({
    source: z.string().optional().describe('Name of the text; a later text with the same name replaces it'),
    title: z.string().optional().describe('Title of the document'),
    metadata: Metadata.optional().describe('Additional metadata, stored with its chunks for filters'),
  }),
]);
export type MarkdownEntry = z.infer<typeof MarkdownEntry>;
export const MarkdownInput = z.union([z.string(), listOf(MarkdownEntry)]);
export type MarkdownInput = z.infer<typeof MarkdownInput>;

/** Everything that an ingest reads. */
export const Sources = z.strictObject({
  docs: DocsInput.optional().describe('Files, folders, globs, links to documents'),
  urls: UrlsInput.optional().describe('Web pages'),
  api: ApiInput.optional().describe('HTTP APIs'),
  markdown: MarkdownInput.optional().describe('Markdown text'),
});
export type Sources = z.infer<typeof Sources>;

const { docs, urls, api, markdown } = Sources.shape;

/** The same, for a configuration. */
export const ConfiguredSources = z.strictObject({
  docs: docs.describe(
    'Files, folders, globs and links that kb ingest reads if no source is given, relative to this file. The next kb ingest reports entries removed from these lists; --prune removes their documents',
  ),
  urls: urls.describe('Web pages to read: an address, or {url, mode, max_depth, max_pages, include, exclude}, or a list of them'),
  api: api.describe(
    'HTTP APIs to read: an address, or the keys of ingestion.api plus url, or a list of them; ${NAME} is an environment variable',
  ),
  markdown: markdown.describe('Texts to ingest: a list of {source, text}'),
});
