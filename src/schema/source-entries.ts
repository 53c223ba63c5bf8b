import { z } from 'zod';
import { ApiIngestion, UrlsIngestion } from './config-sources.ts';
import { listOf, MAX_ADDRESS_LENGTH, MAX_LABEL_LENGTH, MAX_PATH_LENGTH } from './fields.ts';
import { GivenDocument, rejectLongMetadata } from './items.ts';

// Sources of documents: in requests, and under `sources` in the configuration.

/** A file, folder, glob or link: 1 to MAX_PATH_LENGTH characters. */
export const place = z.string().min(1).max(MAX_PATH_LENGTH);
const address = z.string().min(1).max(MAX_ADDRESS_LENGTH);

/** A file, folder, glob or link, optionally with a title and a description. */
export const DocsEntry = z.union([
  place,
  z.strictObject({
    path: place.describe('File, folder, glob or link'),
    title: z.string().max(MAX_LABEL_LENGTH).optional().describe('Title of the document, if not its own'),
    description: z.string().max(MAX_LABEL_LENGTH).optional().describe('Description of the document'),
  }),
]);
/** A folder that is read recursively. */
export const folder = place.describe('Folder; all supported files in it are read');
/** `docs` of an ingest: one entry, a list of them, or a folder. */
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
/** A page, or the start page of a crawl with the settings of the crawl. */
export const UrlsEntry = z.union([address, UrlObject]);
export type UrlsEntry = z.infer<typeof UrlsEntry>;
/** `urls` of an ingest: one entry or a list of them. */
export const UrlsInput = z.union([UrlsEntry, listOf(UrlsEntry)]);
export type UrlsInput = z.infer<typeof UrlsInput>;

/** An HTTP API: its address, and settings that override `ingestion.api`. */
export const ApiSource = ApiIngestion.partial().extend({ url: address.describe('Address of the API') });
export type ApiSource = z.infer<typeof ApiSource>;
/** `api` of an ingest: an address, an API, or a list of either. */
export const ApiInput = z.union([address, ApiSource, listOf(z.union([address, ApiSource]))]);
export type ApiInput = z.infer<typeof ApiInput>;

/** A text, or a document of an earlier result (service.md 2.4), whose id and marks are computed again. */
export const MarkdownEntry = z.union([
  z.string(),
  GivenDocument.extend({
    source: GivenDocument.shape.source.describe('Name of the text; a later text with the same name replaces it'),
    title: GivenDocument.shape.title.describe('Title of the document'),
    metadata: GivenDocument.shape.metadata.describe('Additional metadata, stored with its chunks for filters'),
  }),
]);
export type MarkdownEntry = z.infer<typeof MarkdownEntry>;
/** `markdown` of an ingest: a text, or a list of texts and documents. */
export const MarkdownInput = z.union([z.string(), listOf(MarkdownEntry)]);
export type MarkdownInput = z.infer<typeof MarkdownInput>;

/** All sources of an ingest, by kind. */
export const Sources = z.strictObject({
  docs: DocsInput.optional().describe('Files, folders, globs, links to documents'),
  urls: UrlsInput.optional().describe('Web pages'),
  api: ApiInput.optional().describe('HTTP APIs'),
  markdown: MarkdownInput.optional().describe('Markdown text'),
});
export type Sources = z.infer<typeof Sources>;

const { docs, urls, api, markdown } = Sources.shape;

/** `sources` of the configuration: the same keys, described for the configuration file. */
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

/** Metadata keys that kb itself sets. */
const OWN_KEYS = ['source', 'title', 'source_kind', 'file_type', 'content_hash', 'location', 'page_kind', 'ingested_at'];

/** Limits: characters of a key, entries of a list, keys. */
const MAX_KEY_LENGTH = 200;
const MAX_ENTRIES = 1_000;
const MAX_KEYS = 200;

const text = z.string().max(MAX_LABEL_LENGTH);

/** Metadata that the caller adds to every document of a request. It is flat, so that every key can be used in filters. */
export const GivenMetadata = z
  .record(z.string(), z.union([text, z.number(), z.boolean(), z.array(text).max(MAX_ENTRIES)]))
  .check(({ value, issues }) => {
    const keys = Object.keys(value);
    for (const key of keys.slice(0, MAX_KEYS)) {
      const expected = isOwnKey(key)
        ? `a key of your own (kb itself sets ${OWN_KEYS.join(', ')})`
        : key.trim() === '' || key.length > MAX_KEY_LENGTH
          ? `a key of 1 to ${MAX_KEY_LENGTH} characters`
          : undefined;
      if (expected !== undefined) issues.push({ code: 'custom', message: expected, path: [key], input: value });
    }
    if (keys.length > MAX_KEYS) issues.push({ code: 'custom', message: `at most ${MAX_KEYS} keys`, path: [], input: value });
    rejectLongMetadata({ value, issues });
  })
  .describe(
    'Metadata for every document, such as {"team": "north"}: texts, numbers, true or false, lists of texts. It wins over what documents say of themselves',
  );
export type GivenMetadata = z.infer<typeof GivenMetadata>;

/** Whether kb itself sets a metadata key. */
export const isOwnKey = (key: string): boolean => OWN_KEYS.includes(key);
