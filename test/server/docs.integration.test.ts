import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registerDocs } from '../../src/server/fixed-routes.ts';
import { openApiDocument } from '../../src/server/openapi/openapi.ts';
import { routes } from '../../src/server/routes.ts';

const document = openApiDocument({ version: '1.2.3', routes });

async function served(): Promise<string> {
  const app = fastify();
  registerDocs(app, document);
  onTestFinished(() => app.close());
  return await app.listen({ host: '127.0.0.1', port: 0 });
}

/** What the page has the browser load. */
const loaded = (page: string, from: string): string[] =>
  [...page.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]+)"/g)].map(([, address]) => new URL(address!, from).href);

describe('the documentation page', () => {
  it('is HTML, and loads resources of its own server only', async () => {
    const url = await served();
    const response = await fetch(`${url}/docs`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const addresses = loaded(await response.text(), response.url);
    const parts = await Promise.all(
      addresses.map(async (address) => {
        const part = await fetch(address);
        return [part.status, address.replace(url, ''), part.headers.get('content-type'), (await part.bytes()).length > 50];
      }),
    );
    expect(parts).toEqual([
      [200, '/docs/swagger-ui.css', 'text/css; charset=utf-8', true],
      [200, '/docs/favicon-32x32.png', 'image/png', true],
      [200, '/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', true],
      [200, '/docs/start.js', 'text/javascript; charset=utf-8', true],
    ]);
  });

  it('lets the browser load nothing from elsewhere, and uses no online validator', async () => {
    const url = await served();
    const { headers } = await fetch(`${url}/docs`);
    const policy = headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'self'", "frame-ancestors 'none'"]));
    expect(policy.join(' ')).not.toMatch(/https?:|\*/);
    const start = await (await fetch(`${url}/docs/start.js`)).text();
    expect(start).toContain('validatorUrl: null');
    expect(start).toContain("new URL('v1/openapi.json', location.href)");
  });

  it('is found with a trailing slash, too', async () => {
    const response = await fetch(`${await served()}/docs/`);
    expect([response.status, new URL(response.url).pathname]).toEqual([200, '/docs']);
  });

  it('serves the document once, at its own path', async () => {
    const url = await served();
    const response = await fetch(`${url}/v1/openapi.json`);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
    for (const path of ['/docs/json', '/docs/yaml', '/docs/index.html', '/docs/../package.json'])
      expect((await fetch(url + path)).status, path).toBe(404);
  });
});
