import { z } from 'zod';
import { Bytes } from './fields.ts';

/** How `kb serve` serves. */
export const Server = z.strictObject({
  host: z
    .string()
    .min(1)
    .describe('Address that kb serve listens on; any but a loopback one needs KB_SERVER_TOKEN in the environment, or auth: gateway')
    .meta({ flag: 'host' }),
  port: z.int().min(0).max(65_535).describe('Port that it listens on; 0 takes any free one').meta({ flag: 'port' }),
  auth: z
    .enum(['token', 'gateway'])
    .describe(
      'Who lets callers in: token: the server, by KB_SERVER_TOKEN where that is set; gateway: a proxy before it, which alone can reach it',
    ),
  allowed_hosts: z
    .array(
      z
        .string()
        .regex(/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i, 'a name such as kb.example or *.kb.example, without a scheme and a port'),
    )
    .describe('Names by which a proxy may call the server where it has no token, beside those of this machine: kb.example, *.kb.example'),
  allowed_roots: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Folders that paths in requests must lie in, relative to this file; the working directory where absent'),
  allowed_store_urls: z
    .array(z.string().min(1))
    .describe('Addresses of stores that a request may name, beside the configured one and the local defaults'),
  cors_origins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'an origin such as https://app.example, without a path'))
    .describe('Origins of web pages that may use the server, such as https://app.example'),
  body_limit: Bytes.describe('Size of a request body, at most'),
  upload_limit: Bytes.describe('Size of one uploaded file, at most'),
  max_files: z.int().min(1).max(10_000).describe('Files in one upload, at most'),
  request_timeout: z.number().positive().max(86_400).describe('Seconds that one request may take; a job may take longer'),
  max_concurrent: z
    .int()
    .min(1)
    .max(1000)
    .describe('Requests worked on at once, searches and ingests counted apart; others wait their turn'),
  rate_limit: z.int().min(0).describe('Requests in a minute that one client may make; 0: any number'),
});
export type Server = z.infer<typeof Server>;
