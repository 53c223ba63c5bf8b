import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { chunksIn, engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openSite } from '../support/site.ts';

const PAIR = 'pilot:Skjær-7f3e91';
const secrets = ['Skjær-7f3e91', Buffer.from(PAIR).toString('base64'), 'tk-4b1d77aa09', 'c00kie-55', 'sk_live_99*x', 'key-in-url-1'];

/** A site that says back what it was sent. */
async function echo() {
  const said = ({ url, headers }: IncomingMessage) =>
    JSON.stringify([headers.authorization, headers['x-team-key'], headers.cookie, headers['x-api-key'], decodeURIComponent(url ?? '')]);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const isJson = request.url!.includes('api');
    const text = said(request);
    const body = isJson
      ? JSON.stringify({ title: text, told: { by: 'the harbour', headers: request.headers } })
      : `<html><head><title>${text}</title><meta name="author" content='${text}'></head><body><main><h1>Who am I</h1><p>The harbour was sent ${text}, and says so.</p><pre>${text}</pre></main></body></html>`;
    response.writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/html' }).end(body);
  };
  const web = await openSite({ '/me': answer, '/me.html': answer, '/api': answer });
  onTestFinished(() => web.close());
  const sites = [
    {
      origin: web.url,
      basic_auth: PAIR,
      headers: { 'X-Team-Key': 'tk-4b1d77aa09', 'Accept-Language': 'de-DE-2' },
      cookies: { session: 'c00kie-55' },
    },
  ];
  return { web, settings: { ...WORDS, network: { allow_private: true, sites } } };
}

test('credentials that pages, documents and APIs echo are neither stored nor returned', async () => {
  const { web, settings } = await echo();
  const engine = engineIn(folder(), settings);
  const api = { url: `${web.url}/api?access_token=key-in-url-1`, headers: { 'X-Api-Key': 'sk_live_99*x' } };
  const done = await result(engine, 'ingest', { urls: `${web.url}/me`, docs: `${web.url}/me.html`, api });
  expect(done).toMatchObject({ sources: 3, failed: 0 });
  expect(web.hits.some(({ headers }) => headers['x-team-key'] === 'tk-4b1d77aa09')).toBe(true);
  const outputs = [
    await chunksIn(engine),
    await result(engine, 'scrape', { url: `${web.url}/me` }),
    await result(engine, 'fetch', api),
    await result(engine, 'parse', { files: `${web.url}/me.html` }),
  ];
  for (const output of outputs) {
    const text = JSON.stringify(output).replaceAll('\\\\', '');
    expect(text).toContain('harbour');
    expect(text).toContain('[redacted]');
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

test('credentials of an address that are echoed are neither stored nor returned', async () => {
  const { web } = await echo();
  const engine = engineIn(folder(), { ...WORDS, network: { allow_private: true } });
  const { outputs } = await result(engine, 'scrape', { url: `${web.url.replace('//', '//ann:s3cret-word@')}/me` }, { lists: true });
  expect(web.hits.at(-1)!.headers.authorization).toBe(`Basic ${btoa('ann:s3cret-word')}`);
  expect(JSON.stringify(outputs)).toContain('harbour');
  for (const secret of ['s3cret-word', btoa('ann:s3cret-word')]) expect(JSON.stringify(outputs)).not.toContain(secret);
});
