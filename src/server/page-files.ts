import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../core/project.ts';

/** Where each file of the page is served, and as what. They are built from `web/` and hold nothing that is stored. */
const FILES: Record<string, { name: string; type: string }> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/assets/main.js': { name: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/assets/style.css': { name: 'style.css', type: 'text/css; charset=utf-8' },
  '/assets/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Nothing but what this server sends, and no script that is not a file of it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify";

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache', // kept, but asked for again: an update of kb is seen at once
};

/** Serves the page at `/`, with the files that it loads. A browser asks for these before it can show a token. */
export function registerPage(server: FastifyInstance): void {
  for (const [path, { name, type }] of Object.entries(FILES)) {
    let file: { text: string; tag: string } | undefined;
    server.get(path, { config: { needs: 'open' } }, (request, reply) => {
      file ??= read(name);
      void reply.headers({ ...HEADERS, etag: file.tag });
      if (request.headers['if-none-match']?.includes(file.tag)) return reply.code(304).send();
      return reply.type(type).send(file.text);
    });
  }
}

function read(name: string): { text: string; tag: string } {
  const text = readFileSync(join(packageRoot, 'dist', 'web', name), 'utf8');
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
