import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/core/project.ts';
import { readApis } from '../../src/cli/source-flags.ts';
import { loadConfig } from '../../src/config/load.ts';
import { IngestRequest } from '../../src/schema/requests.ts';
import { engineIn, result } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openSite } from '../support/site.ts';

/** The examples of docs/sources.md of a kind, in their order. */
const examples = (kind: string): string[] =>
  [...readFileSync(join(packageRoot, 'docs/sources.md'), 'utf8').matchAll(/^```yaml (\w+)\n([^]*?)^```/gm)].flatMap(([, found, text]) =>
    found === kind ? text! : [],
  );

const environment = { WIKI_USER: 'ann', WIKI_PASSWORD: 's3cret', PORTAL_SESSION: 'c00kie', TICKETS_TOKEN: 't0ken' };

it('the documented configurations are valid', () => {
  expect(examples('config')).toHaveLength(2);
  for (const text of examples('config')) {
    const { config } = loadConfig({ cwd: folder({ 'kb.config.yaml': text }), file: 'kb.config.yaml', environment });
    expect(JSON.stringify(config)).not.toContain('${');
  }
});

it('the documented sources are valid', () => {
  expect(examples('sources')).toHaveLength(1);
  for (const text of examples('sources')) IngestRequest.parse(parse(text));
});

const records = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({ id: from + i, summary: `Record ${from + i}` }));

it('the documented APIs are read completely', async () => {
  const json = (answer: (query: URLSearchParams) => unknown, link?: (query: URLSearchParams) => string | undefined) =>
    function respond(request: { url?: string | undefined }, response: import('node:http').ServerResponse) {
      const query = new URL(request.url!, 'http://api').searchParams;
      const next = link?.(query);
      response.writeHead(200, { 'content-type': 'application/json', ...(next ? { link: next } : {}) }).end(JSON.stringify(answer(query)));
    };
  const number = (query: URLSearchParams, name: string) => Number(query.get(name) ?? 0);
  const web = await openSite({
    '/v1/tickets': json((query) => ({ data: { items: records(number(query, 'page') * 2 - 1, Math.min(5, number(query, 'page') * 2)) } })),
    '/v1/orders': json((query) => ({
      rows: records(number(query, 'skip') + 1, Math.min(250, number(query, 'skip') + number(query, 'limit'))),
    })),
    '/v1/messages': json((query) => {
      const at = number(query, 'after');
      return { messages: records(at + 1, at + 2), paging: at < 4 ? { next: at + 2 } : {} };
    }),
    '/v1/issues': json(
      (query) => records(number(query, 'at') + 1, number(query, 'at') + 2),
      (query) => (number(query, 'at') < 4 ? `</v1/issues?at=${number(query, 'at') + 2}>; rel="next"` : undefined),
    ),
    '/v1/articles': json((query) => {
      const page = Math.max(1, number(query, 'page'));
      return {
        _embedded: { articles: records(page * 2 - 1, page * 2) },
        _links: page < 4 ? { next: { href: `/v1/articles?page=${page + 1}` } } : {},
      };
    }),
    '/v1/catalog': json(() => ({ catalog: { parts: records(1, 3) } })),
  });
  onTestFinished(() => web.close());
  const home = folder();
  const engine = engineIn(home);
  const counts: number[] = [];
  for (const text of examples('api')) {
    const path = join(folder({ 'api.yaml': text.replace('https://api.example.com', web.url) }), 'api.yaml');
    const report = await result(engine, 'fetch', { apis: readApis(`@${path}`, { flag: 'API', environment }) });
    expect([text, report.errors, report.notices]).toEqual([text, [], []]);
    counts.push(report.documents);
  }
  expect(counts).toEqual([5, 250, 6, 6, 8, 3]);
  expect(web.hits[0]!.headers.authorization).toBe('Bearer t0ken');
});
