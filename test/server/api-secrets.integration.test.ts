import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';
import { openSite } from '../support/site.ts';

const secret = 'sk-9f8e7d6c5b4a-secret';

/** What the files of a folder hold, those of the store among them. */
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

it('what a caller sends to an API appears in no response, event or file, including those of jobs', async () => {
  const web = await openSite({
    '/ok': { headers: { 'content-type': 'application/json' }, body: '{"id": 1, "note": "The valve leaks."}' },
    '/busy': { status: 503, headers: { 'retry-after': '0' } },
  });
  onTestFinished(() => web.close());
  const home = folder();
  const server = await serveIn(home, { settings: { network: { allow_private: [web.url] } } });
  const api = ['/ok', '/busy', '/gone'].map((path) => ({
    url: `${web.url.replace('//', `//ann:${secret}@`)}${path}?api_key=${secret}`,
    method: 'POST',
    headers: { 'X-Api-Key': secret },
    params: { access_token: secret },
    body: { password: secret, q: 'leak' },
  }));
  const started = await server.post('/v1/pipelines/ingest', { api, background: true });
  expect(started.status).toBe(202);
  const path = `/v1/jobs/${started.json.id}`;
  const job = await vi.waitFor(
    async () => {
      const answer = await server.get(path);
      expect(answer.json.state).not.toBe('running');
      return answer;
    },
    { timeout: 20_000, interval: 100 },
  );
  expect(job.json).toMatchObject({ state: 'done', result: { failed: 2, sources: 1 } });
  const events = await server.stream('/v1/pipelines/ingest/stream', { api });
  const told = [
    started.text,
    job.text,
    (await server.get(`${path}/events`)).text,
    (await server.get('/v1/jobs')).text,
    JSON.stringify(events),
  ];
  for (const hit of web.hits) expect(hit).toMatchObject({ headers: { 'x-api-key': secret }, url: expect.stringContaining(secret) });
  expect(filesIn(home).length).toBeGreaterThan(2);
  for (const text of [...told, ...filesIn(home)]) expect(text.includes(secret)).toBe(false);
  expect(job.json.result.errors.map(({ retry_input }: { retry_input?: object }) => retry_input)).toContainEqual(
    expect.objectContaining({ headers: { 'X-Api-Key': '' }, params: { access_token: '' }, body: { password: '', q: 'leak' } }),
  );
});
