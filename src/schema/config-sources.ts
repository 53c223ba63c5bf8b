import { z } from 'zod';
import { LONGEST_WAIT } from './fields.ts';

// The sections of the configuration that say how sources are read.

export const DocsIngestion = z
  .strictObject({
    frontmatter: z.boolean().describe('Put a YAML block (title, source, description …) before the text of each document'),
  })
  .describe('How documents are read');

export const UrlsIngestion = z
  .strictObject({
    mode: z
      .enum(['each', 'full'])
      .describe('each: the pages given; full: crawl from them (not part of this version yet)')
      .meta({ flag: 'crawl-mode' }),
    max_depth: z.int().min(0).max(100).describe('How many links away from the start page a crawl goes').meta({ flag: 'max-depth' }),
    max_pages: z.int().min(1).max(1_000_000).describe('How many pages a crawl reads at most').meta({ flag: 'max-pages' }),
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
    description: z.string().optional().describe('What they are about'),
    method: z.string().describe('HTTP method'),
    headers: z.record(z.string(), z.string()).optional().describe('Sent to the fetched endpoint alone'),
    params: z.record(z.string(), z.unknown()).optional().describe('Query parameters'),
    body: z.unknown().optional().describe('Request body'),
    pagination: Pagination.optional().describe('How further pages are asked for'),
    max_pages: z.int().min(1).max(1_000_000).describe('How many pages are fetched at most'),
    timeout: z.number().positive().max(LONGEST_WAIT).describe('Seconds for one request'),
    frontmatter: z.boolean().describe('Put a YAML block before the text of each document'),
  })
  .describe('How HTTP APIs are read');
