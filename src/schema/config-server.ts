import { z } from 'zod';
import { Bytes } from './fields.ts';

/** Rights of a token: searching and asking, changing what is stored, dropping collections. None includes another. */
export const TokenScope = z.enum(['read', 'write', 'admin']);
export type TokenScope = z.infer<typeof TokenScope>;

/** One token of `server.tokens_file`. */
export const TokenRow = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,62}$/, 'a name of letters, digits, _ . @ - (at most 63)'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 of the token, as 64 hexadecimal digits in lower case'),
  scopes: z.array(TokenScope).min(1),
  collections: z.array(z.string().regex(/^(?:\*|[A-Za-z0-9][A-Za-z0-9_.-]{0,62})$/, 'the name of a collection, or *')).min(1),
});
export type TokenRow = z.infer<typeof TokenRow>;

/** `server` of the configuration. */
export const Server = z.strictObject({
  host: z
    .string()
    .min(1)
    .describe(
      'Address that kb serve listens on. Any address except loopback needs KB_SERVER_TOKEN in the environment, tokens_file, or auth: gateway',
    )
    .meta({ flag: 'host' }),
  port: z.int().min(0).max(65_535).describe('Port that kb serve listens on; 0 picks a free one').meta({ flag: 'port' }),
  auth: z
    .enum(['token', 'gateway'])
    .describe(
      'Who authenticates clients: token (the server, by KB_SERVER_TOKEN and tokens_file if they are set) or gateway (a proxy in front, which alone can reach the server)',
    ),
  tokens_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with further tokens: a list of {name, hash, scopes, collections}, which kb token create writes. Relative to this file, outside allowed_roots, readable by its owner alone (mode 0600)',
    ),
  allowed_hosts: z
    .array(
      z
        .string()
        .regex(/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i, 'a name such as kb.example or *.kb.example, without a scheme and a port'),
    )
    .describe('Host names accepted without a token, besides those of this machine: kb.example, *.kb.example'),
  allowed_roots: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Folders that requests may read, relative to this file. Default: the working directory'),
  allowed_store_urls: z
    .array(z.string().min(1))
    .describe('Store URLs that requests may name, besides the configured one and the local defaults'),
  cors_origins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'an origin such as https://app.example, without a path'))
    .describe('Web origins that may call the server from a browser, such as https://app.example'),
  body_limit: Bytes.describe('Maximum size of a request body'),
  upload_limit: Bytes.describe('Maximum size of an uploaded file'),
  max_files: z.int().min(1).max(10_000).describe('Maximum files per upload'),
  request_timeout: z.number().positive().max(86_400).describe('Timeout per request, in seconds; jobs may take longer'),
  max_concurrent: z
    .int()
    .min(1)
    .max(1000)
    .describe('Maximum requests processed at once, counted separately for searches and ingests; others wait'),
  mcp_write: z.boolean().describe('Offer agents at /mcp the tools that add and remove documents'),
  page: z.boolean().describe('Serve the page at /, on which people ask and search in a browser'),
  rate_limit: z.int().min(0).describe('Maximum requests per minute and client; 0: unlimited'),
});
export type Server = z.infer<typeof Server>;
