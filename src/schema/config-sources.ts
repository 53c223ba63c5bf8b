import { z } from 'zod';
import { Bytes, MAX_ADDRESS_LENGTH, MAX_LABEL_LENGTH, MAX_NAME_LENGTH, MAX_WAIT } from './fields.ts';

// The sections of the configuration that say how sources are read.

/** Kinds of files that a folder can be searched for. */
export const FileKind = z.enum(['documents', 'code', 'data', 'archives']);
export type FileKind = z.infer<typeof FileKind>;

/** `ingestion.docs` of the configuration. */
export const DocsIngestion = z
  .strictObject({
    frontmatter: z.boolean().describe('Put a YAML block (title, source, description …) before the text of each document'),
    follow_links: z
      .boolean()
      .describe('Follow symbolic links that lead out of a folder or pattern; links within it are always followed')
      .meta({ flag: 'follow-links' }),
    gitignore: z
      .boolean()
      .describe('Leave out of folders what .gitignore excludes; the report names it. .kbignore always counts')
      .meta({ flag: 'gitignore' }),
    ocr: z
      .enum(['auto', 'report', 'off'])
      .describe(
        'Pages and pictures without a text layer: auto reads them by OCR (kb setup-ocr installs it), report says which were not read, off says nothing',
      )
      .meta({ flag: 'ocr' }),
    ocr_languages: z
      .string()
      .regex(/^[a-z_]{2,20}(\+[a-z_]{2,20}){0,7}$/i, 'codes of Tesseract with + between them, such as eng+deu')
      .optional()
      .describe('Languages that OCR reads, such as eng+deu. Default: all that are installed')
      .meta({ flag: 'ocr-languages' }),
    password: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable, not the password itself')
      .describe('Environment variable with the password of encrypted PDFs, or several, one a line')
      .meta({ flag: 'password' }),
    kinds: z
      .array(FileKind)
      .max(FileKind.options.length)
      .describe(
        'Kinds of files that folders are searched for: documents, code (source code), data (JSON, XML), archives (ZIP). Files that are named, or matched by a pattern with an extension, are read in any case',
      )
      .meta({ flag: 'kinds' }),
  })
  .describe('How documents are read');

/** `ingestion.html` of the configuration. */
export const HtmlExtent = z
  .enum(['main', 'whole'])
  .describe(
    'What is read of web pages and HTML files: main (the text without what surrounds it, such as menus and teasers) or whole (all that a page shows)',
  )
  .meta({ flag: 'html' });
export type HtmlExtent = z.infer<typeof HtmlExtent>;

const name = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a name without spaces'); // a token of HTTP (RFC 9110, 5.6.2)
const line = z.string().regex(/^[^\0\r\n]*$/, 'a text of one line');

/**
 * Headers, cookies and a password that are sent with every request to one origin (`network.sites`): pages, documents and APIs. A request
 * cannot set it: it holds secrets of the operator.
 */
export const SiteConfig = z.strictObject({
  origin: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^https?:\/\/[^/?#\s@]+$/i.test(text),
      'an origin such as https://docs.example.com, without a path',
    )
    .describe('Origin of the site; the values are sent to no other'),
  headers: z.record(name, line).optional().describe('Headers sent with every request, such as {"X-Team": "docs"}'),
  cookies: z.record(name, line).optional().describe('Cookies sent with every request, by name'),
  basic_auth: line
    .regex(/^[^:]+:/, 'a user name and a password with a colon between them')
    .optional()
    .describe('User name and password, such as ${DOCS_USER}:${DOCS_PASSWORD}'),
});

/** `network` of the configuration: limits and credentials of all HTTP requests to sources. */
export const Network = z.strictObject({
  allow_private: z
    .union([z.enum(['auto']), z.boolean(), z.array(z.string())])
    .describe('Whether private addresses may be fetched: auto (only those you name), true, false, or a list of origins'),
  timeout: z.number().positive().max(MAX_WAIT).describe('Timeout per request, in seconds'),
  max_bytes: Bytes.describe('Maximum size of one response'),
  max_redirects: z.int().min(0).max(50).describe('Maximum redirects per request'),
  user_agent: z.string().describe('User-Agent that kb sends'),
  sites: z
    .array(SiteConfig)
    .max(100)
    .describe(
      'Credentials for sites that are not public, sent with every request to that origin and to no other: a list of {origin, headers, cookies, basic_auth}; ${NAME} is an environment variable',
    ),
});
export type Network = z.infer<typeof Network>;

const patterns = (meaning: string) => z.array(z.string().min(1).max(500)).max(100).describe(meaning);

/** `ingestion.urls` of the configuration. */
export const UrlsIngestion = z
  .strictObject({
    mode: z.enum(['each', 'full']).describe('each: read only the given pages; full: crawl from them').meta({ flag: 'crawl-mode' }),
    max_depth: z.int().min(0).max(100).describe('Maximum links from the start page').meta({ flag: 'max-depth' }),
    max_pages: z.int().min(1).max(1_000_000).describe('Maximum pages per crawl').meta({ flag: 'max-pages' }),
    include: patterns(
      'Only crawl these paths, such as /docs/** (* and ? match within a segment, ** any segments; a path without them includes everything below it). Empty: all paths',
    ),
    exclude: patterns('Do not crawl these paths, such as /docs/old or /**/*.html'),
    render: z
      .enum(['auto', 'always', 'never'])
      .describe('Open pages in a browser: always, never, or auto (only if the fetched page holds almost no text)'),
    verbose: z.boolean().describe('Report every page'),
    frontmatter: z.boolean().describe('Put a YAML block before the text of each page'),
  })
  .describe('How web pages are read');

/** `watch` of the configuration. */
export const Watching = z
  .strictObject({
    interval: z
      .number()
      .min(1)
      .max(2_000_000)
      .describe('Seconds after which kb watch reads sites and APIs again, and looks at all files')
      .meta({ flag: 'interval' }),
  })
  .describe('How kb watch and kb serve --watch work');

/** How the pages of an API are requested, and where they hold their records. */
const Pagination = z
  .strictObject({
    type: z
      .enum(['page', 'offset', 'cursor', 'link'])
      .describe('page and offset count up; cursor reads the next cursor from the response; link follows the Link header (RFC 8288)'),
    param: z.string().max(MAX_NAME_LENGTH).optional().describe('Query parameter for the page, offset or cursor'),
    start: z.int().min(0).max(1_000_000_000).optional().describe('First page (default 1) or offset (default 0)'),
    size_param: z.string().max(MAX_NAME_LENGTH).optional().describe('Query parameter for the page size'),
    size: z.int().min(1).max(100_000).optional().describe('Records per page'),
    cursor_path: z.string().max(MAX_NAME_LENGTH).optional().describe('Dotted path of the next cursor in the response'),
    items_path: z.string().max(MAX_NAME_LENGTH).optional().describe('Dotted path of the records in the response'),
  })
  .describe('How further pages of an API are requested');

/** `ingestion.api` of the configuration. */
export const ApiIngestion = z
  .strictObject({
    title: z.string().max(MAX_LABEL_LENGTH).optional().describe('Title of the documents'),
    title_field: z
      .string()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe('Dotted path of the title in a record, such as title.rendered. Default: title, name, subject and the like'),
    description: z.string().max(MAX_LABEL_LENGTH).optional().describe('Description of the documents'),
    method: z.string().max(MAX_NAME_LENGTH).describe('HTTP method'),
    headers: z
      .record(z.string(), z.string().max(MAX_ADDRESS_LENGTH))
      .optional()
      .describe(
        'Headers sent to this endpoint only. In the configuration file, ${NAME} is an environment variable; the values there apply to the command line only (on a server, use network.sites)',
      ),
    params: z.record(z.string(), z.unknown()).optional().describe('Query parameters (in the configuration file: same rules as headers)'),
    body: z.unknown().optional().describe('Request body (in the configuration file: same rules as headers)'),
    pagination: Pagination.optional().describe('How further pages are requested'),
    max_pages: z.int().min(1).max(1_000_000).describe('Maximum pages to fetch'),
    timeout: z.number().positive().max(MAX_WAIT).describe('Timeout per request, in seconds'),
    frontmatter: z.boolean().describe('Put a YAML block before the text of each document'),
  })
  .describe('How HTTP APIs are read');
