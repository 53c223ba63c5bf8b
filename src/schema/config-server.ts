import { z } from 'zod';
import { Bytes } from './fields.ts';

/** How `kb serve` serves. */
export const Server = z.strictObject({
  host: z
    .string()
    .min(1)
    .describe('Address that kb serve listens on. Any address except loopback needs KB_SERVER_TOKEN in the environment, or auth: gateway')
    .meta({ flag: 'host' }),
  port: z.int().min(0).max(65_535).describe('Port that kb serve listens on; 0 picks a free one').meta({ flag: 'port' }),
  auth: z
    .enum(['token', 'gateway'])
    .describe(
      'Who authenticates clients: token (the server, by KB_SERVER_TOKEN if that is set) or gateway (a proxy in front, which alone can reach the server)',
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
  rate_limit: z.int().min(0).describe('Maximum requests per minute and client; 0: unlimited'),
});
export type Server = z.infer<typeof Server>;
