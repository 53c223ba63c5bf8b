import { createServer } from 'node:http';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, write } from '../support/folder.ts';
import { kb, startKb, type Started } from '../support/program.ts';
import { openOpenAiServer } from '../support/openai-server.ts';
import { listening } from '../support/listening.ts';
import { runCommand } from '../support/run-command.ts';

const LISTENING = /listening on (http:\/\/\S+)/g;
const TOKEN = 'correct-horse-battery';

interface Serving extends Started {
  /** The address that it said last. */
  url(): string;
}

async function serve(cwd: string, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {}): Promise<Serving> {
  const started = startKb(['serve', '--port', '0', ...args], { cwd, env });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  await started.until(/listening on/);
  return { ...started, url: () => [...started.said.out.matchAll(LISTENING)].at(-1)![1]! };
}

const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, never> };
};

async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const value = await look().catch(() => undefined);
    if (value !== undefined && holds(value)) return value;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('it did not come about in 20 seconds');
}

describe('kb serve', () => {
  it('prints only its address on standard output, logs requests without their contents, and stops with 0', async () => {
    const server = await serve(folder());
    expect(server.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await post(`${server.url()}/v1/retrieve?secret=hidden`, { query: 'private words' });
    server.child.kill('SIGTERM');
    const { code, out, error } = await server.done;
    expect([code, out.trim().split('\n')]).toEqual([0, [`listening on ${server.url()}`]]);
    const entries = error
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'info', method: 'POST', path: '/v1/retrieve', status: 200, reqId: expect.any(String) }),
    );
    expect(error).not.toMatch(/private|hidden/);
  });

  it('sees what another process ingests', async () => {
    const cwd = folder({ 'doors.md': 'Doors are locked at ten.' });
    const server = await serve(cwd);
    const ask = () => post(`${server.url()}/v1/retrieve`, { query: 'When are doors locked?' });
    expect((await ask()).json.failed).toBe(1);
    expect((await runCommand(['ingest', '--docs', 'doors.md'], { cwd })).code).toBe(0);
    expect((await ask()).json).toMatchObject({ failed: 0, retrieved: 1 });
    write(cwd, { 'doors.md': 'Doors are locked at eleven.' });
    expect((await runCommand(['ingest', '--docs', 'doors.md'], { cwd })).code).toBe(0);
    expect(JSON.stringify((await ask()).json)).toContain('eleven');
  });

  it('serves only this machine without a token, and names the variable', async () => {
    for (const env of [{}, { KB_SERVER_TOKEN: 'short' }] as Record<string, string>[]) {
      const { code, error } = await kb(['serve', '--port', '0', '--host', '0.0.0.0'], { cwd: folder(), env });
      expect([code, error]).toEqual([2, expect.stringContaining('KB_SERVER_TOKEN')]);
    }
  });

  it('takes its token from the environment or from .env, and shows it nowhere', async () => {
    const server = await serve(folder({ 'kb.config.yaml': '', '.env': `KB_SERVER_TOKEN=${TOKEN}\n` }));
    expect((await post(`${server.url()}/v1/chunk`, { markdown: 'x' })).status).toBe(401);
    expect((await post(`${server.url()}/v1/chunk`, { markdown: 'x' }, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    server.child.kill('SIGINT');
    const { code, out, error } = await server.done;
    expect([code, (out + error).includes(TOKEN)]).toEqual([0, false]);
  });

  it('reports a port that is taken, and how to choose another', async () => {
    const other = createServer();
    const { port, close } = await listening(other);
    onTestFinished(close);
    const { code, error } = await kb(['serve', '--port', String(port)], { cwd: folder() });
    expect([code, error]).toEqual([2, expect.stringContaining(`Port ${port}`)]);
    expect(error).toContain('--port');
  });

  it('lets running requests end when it stops, and accepts no new ones', async () => {
    const model = await openOpenAiServer({ reply: () => ({ pieces: ['At ', 'ten ', 'o’clock ', '[1].'], delay: 400 }) });
    onTestFinished(() => model.close());
    const env = { KB_CHAT_LLM_PROVIDER: 'openai', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.url };
    const server = await serve(folder(), { env });
    await post(`${server.url()}/v1/pipelines/ingest`, { markdown: 'Doors are locked at ten.' });
    const running = post(`${server.url()}/v1/chat`, { query: 'When are doors locked?' });
    await until(
      async () => model.requests.length,
      (count) => count > 0,
    );
    server.child.kill('SIGINT');
    server.child.kill('SIGINT'); // a terminal sends it to the launcher as well, which passes it on
    await until(
      () =>
        fetch(`${server.url()}/v1/health`).then(
          ({ status }) => status === 503,
          () => true,
        ),
      Boolean,
    );
    expect((await running).json.answer).toBe('At ten o’clock [1].');
    expect((await server.done).code).toBe(0);
  });

  it('keeps jobs; one that was killed with the server is interrupted after the restart', async () => {
    const cwd = folder();
    const first = await serve(cwd);
    const { json: done } = await post(`${first.url()}/v1/pipelines/ingest`, { markdown: 'Doors are locked.', background: true });
    const state = (url: string, id: unknown) =>
      fetch(`${url}/v1/jobs/${String(id)}`).then((answer) => answer.json() as Promise<{ state: string }>);
    await until(
      () => state(first.url(), done.id),
      (job) => job.state === 'done',
    );
    const slow = createServer(() => {}); // it never answers
    const site = await listening(slow);
    onTestFinished(site.close);
    const env = { KB_NETWORK_ALLOW_PRIVATE: 'true' };
    const second = await serve(cwd, { env });
    const { json: hanging } = await post(`${second.url()}/v1/pipelines/ingest`, {
      urls: `${site.url}/`,
      background: true,
    });
    second.child.kill('SIGKILL');
    await second.done;
    const third = await serve(cwd);
    expect((await state(third.url(), done.id)).state).toBe('done');
    expect((await state(third.url(), hanging.id)).state).toBe('interrupted');
    expect(readdirSync(join(cwd, '.kb', 'lancedb')).filter((name) => /job/.test(name))).toEqual(['.jobs']);
  });

  it('restarts when its configuration changes, waits until a broken one is fixed, and stops with its child', async () => {
    const cwd = folder({ 'kb.config.yaml': 'collection: before\n' });
    const server = await serve(cwd, { args: ['--reload'] });
    const collection = async () => (await post(`${server.url()}/v1/pipelines/ingest`, { markdown: 'Doors are locked.' })).json.store_result;
    expect(await collection()).toMatchObject({ collection: 'before' });
    const [before] = [server.url()];
    write(cwd, { 'kb.config.yaml': 'colection: broken\n' });
    await server.until(/unknown key "colection"/);
    write(cwd, { 'kb.config.yaml': 'collection: after\n' });
    await until(collection, (result) => (result as unknown as { collection: string })?.collection === 'after');
    expect(server.url()).toBe(before); // the port is kept
    server.child.kill('SIGTERM');
    expect((await server.done).code).toBe(0);
    await expect(fetch(`${before}/v1/health`)).rejects.toThrow(/fetch failed/);
  });
});
