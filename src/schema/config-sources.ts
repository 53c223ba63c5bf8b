import { z } from 'zod';
import { Bytes, LONGEST_WAIT } from './fields.ts';

// The sections of the configuration that say how sources are read.

export const DocsIngestion = z
  .strictObject({
    frontmatter: z.boolean().describe('Put a YAML block (title, source, description …) before the text of each document'),
    follow_links: z
      .boolean()
      .describe('Follow links (symlinks) that lead out of a folder or pattern; those within it are followed always')
      .meta({ flag: 'follow-links' }),
  })
  .describe('How documents are read');

const name = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a name without spaces'); // a token of HTTP (RFC 9110, 5.6.2)
const line = z.string().regex(/^[^\0\r\n]*$/, 'a text of one line');

/** What one origin is given with everything that is asked of it: pages, documents, APIs (`network.sites`). No request can say it: it holds the operator's secrets. */
export const SiteConfig = z.strictObject({
  origin: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^https?:\/\/[^/?#\s@]+$/i.test(text),
      'an origin such as https://docs.example.com, without a path',
    )
    .describe('The site: nothing of this goes to any other'),
  headers: z.record(name, line).optional().describe('Sent with every request, such as {"X-Team": "docs"}'),
  cookies: z.record(name, line).optional().describe('Sent with every request, by name'),
  basic_auth: line
    .regex(/^[^:]+:/, 'a user name and a password with a colon between them')
    .optional()
    .describe('User name and password, such as ${DOCS_USER}:${DOCS_PASSWORD}'),
});
export type SiteConfig = z.infer<typeof SiteConfig>;

export const Network = z.strictObject({
  allow_private: z
    .union([z.enum(['auto']), z.boolean(), z.array(z.string())])
    .describe('Whether private addresses may be fetched: auto (those the user named), true, false, or a list of origins'),
  timeout: z.number().positive().max(LONGEST_WAIT).describe('Seconds for one request'),
  max_bytes: Bytes.describe('Size of one answer, at most'),
  max_redirects: z.int().min(0).max(50).describe('Redirects followed'),
  user_agent: z.string().describe('How kb names itself'),
  sites: z
    .array(SiteConfig)
    .max(100)
    .describe(
      'What origins that are not public are given with every page, document and API that is asked of them, and no other: a list of {origin, headers, cookies, basic_auth}, with ${NAME} for a variable of the environment',
    ),
});
export type Network = z.infer<typeof Network>;

const patterns = (meaning: string) => z.array(z.string().min(1).max(500)).max(100).describe(meaning);

export const UrlsIngestion = z
  .strictObject({
    mode: z.enum(['each', 'full']).describe('each: the pages given; full: crawl from them').meta({ flag: 'crawl-mode' }),
    max_depth: z.int().min(0).max(100).describe('How many links away from the start page a crawl goes').meta({ flag: 'max-depth' }),
    max_pages: z.int().min(1).max(1_000_000).describe('How many pages a crawl reads at most').meta({ flag: 'max-pages' }),
    include: patterns(
      'Paths that a crawl takes alone, such as /docs/** (* and ? within a name, ** any folders; without any of them, the path and all below it); every one where it is empty',
    ),
    exclude: patterns('Paths that a crawl leaves out, such as /docs/old or /**/*.html'),
    render: z
      .enum(['auto', 'always', 'never'])
      .describe('Whether pages are opened in a browser: auto, where the page as it is sent holds almost no text'),
    verbose: z.boolean().describe('Report every page'),
    frontmatter: z.boolean().describe('Put a YAML block before the text of each page'),
  })
  .describe('How web pages are read');

export const Pagination = z
  .strictObject({
    type: z
      .enum(['page', 'offset', 'cursor', 'link'])
      .describe('page and offset count; cursor takes the next one from the answer; link follows its Link header (RFC 8288)'),
    param: z.string().optional().describe('The parameter that names the page, offset or cursor'),
    start: z.int().min(0).max(1_000_000_000).optional().describe('The first page (1 where absent) or offset (0 where absent)'),
    size_param: z.string().optional().describe('The parameter that names the size of a page'),
    size: z.int().min(1).max(100_000).optional().describe('Records of a page'),
    cursor_path: z.string().optional().describe('Where in the answer the next cursor is'),
    items_path: z.string().optional().describe('Where in the answer the records are'),
  })
  .describe('How further pages of an API are asked for');

export const ApiIngestion = z
  .strictObject({
    title: z.string().optional().describe('Title of the documents'),
    title_field: z
      .string()
      .min(1)
      .optional()
      .describe('Where in a record its title is, such as title.rendered; title, name, subject and the like where absent'),
    description: z.string().optional().describe('What they are about'),
    method: z.string().describe('HTTP method'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'Sent to the fetched endpoint alone. In the configuration file ${NAME} is a variable of the environment; what it says here is for the command line, and on a server network.sites takes its place',
      ),
    params: z.record(z.string(), z.unknown()).optional().describe('Query parameters (in the configuration file: as headers)'),
    body: z.unknown().optional().describe('Request body (in the configuration file: as headers)'),
    pagination: Pagination.optional().describe('How further pages are asked for'),
    max_pages: z.int().min(1).max(1_000_000).describe('How many pages are fetched at most'),
    timeout: z.number().positive().max(LONGEST_WAIT).describe('Seconds for one request'),
    frontmatter: z.boolean().describe('Put a YAML block before the text of each document'),
  })
  .describe('How HTTP APIs are read');
