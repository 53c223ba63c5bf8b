import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';

/** The files of Swagger UI. They come with the package; its plugin would serve the document a second and a third time. */
const FILES = new URL('static/', import.meta.resolve('@fastify/swagger-ui'));

const PARTS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Nothing but what this server sends; the icons of Swagger UI stand in its style sheet as data. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

// Addresses are relative, so that the page works behind a proxy that puts a prefix before it.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kb: the HTTP interface</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<noscript>This page needs JavaScript. The interface is described in <a href="v1/openapi.json">v1/openapi.json</a>.</noscript>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: new URL('v1/openapi.json', location.href).href, dom_id: '#page', deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: 0, tryItOutEnabled: true });\n`;

/** Serves the document at /v1/openapi.json, and at /docs a page about it on which requests can be tried, which loads nothing from anywhere else. */
export function registerDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const text = JSON.stringify(document);
  app.get('/v1/openapi.json', (_, reply) => reply.type('application/json; charset=utf-8').send(text));
  app.get('/docs', (_, reply) => reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE));
  app.get('/docs/', (_, reply) => reply.redirect('../docs'));
  app.get('/docs/start.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  for (const [name, type] of Object.entries(PARTS)) {
    app.get(`/docs/${name}`, (_, reply) => reply.type(type).send(createReadStream(fileURLToPath(new URL(name, FILES)))));
  }
}
