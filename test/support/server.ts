import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { Config, DEFAULTS, type TokenRow } from '../../src/schema/config.ts';
import type { Event } from '../../src/schema/results.ts';
import { buildApp, type App } from '../../src/server/app.ts';
import { openJobs } from '../../src/server/jobs/jobs.ts';
import { createAuthenticator } from '../../src/server/token-file.ts';
import { Metrics, observeEngine } from '../../src/server/metrics.ts';
import { createLog } from '../../src/server/request-log.ts';
import { WORDS } from './engine.ts';
import type { AtEnd } from './folder.ts';

/** A server on 127.0.0.1, and short ways to speak to it. */
export interface Served {
  url: string;
  app: App;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** An object goes as JSON, all else as it is. */
  post(path: string, body?: unknown, init?: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Answer>;
  /** Reads a stream to its end. */
  stream(path: string, body: unknown, init?: { signal?: AbortSignal; onEvent?: (event: Event) => void }): Promise<Event[]>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line no-explicit-any -- tests look into it
  json: any;
}

interface ServeOptions {
  settings?: Layer;
  token?: string;
  /** Further tokens: what each allows, by the token itself. */
  tokens?: Record<string, Omit<TokenRow, 'name' | 'hash'>>;
  /** In the place of the engine's own runs. */
  run?: Engine['run'];
  /** When it is closed, if not after the test. */
  atEnd?: AtEnd;
}

/** Serves what is in `home`, by words alone where the settings do not say otherwise; closed after the test. */
export async function serveIn(
  home: string,
  { settings = {}, token, tokens, run, atEnd = onTestFinished }: ServeOptions = {},
): Promise<Served> {
  const config = Config.parse(mergeLayers(mergeLayers(DEFAULTS, WORDS), settings));
  const engine = createEngine({ config, home, surface: 'server' });
  const [log, metrics] = [createLog({ quiet: true, isTerminal: false }), new Metrics()];
  const observed = observeEngine(run ? { ...engine, run } : engine, { log, metrics });
  const jobs = await openJobs({ engine: observed, folder: join(home, '.kb', 'lancedb', '.jobs') });
  const rows =
    tokens && Object.entries(tokens).map(([name, rest]) => ({ name, hash: createHash('sha256').update(name).digest('hex'), ...rest }));
  const authenticate = createAuthenticator({ token, rows: rows && (() => rows) });
  const app = await buildApp({ engine: observed, jobs, version: '1.2.3', authenticate, log, metrics });
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  atEnd(async () => {
    app.stopAll();
    app.server.server.closeAllConnections();
    await app.server.close();
    await jobs.close({ seconds: 1 });
    await engine.close();
  });
  return { url, app, ...speakTo(url) };
}

function speakTo(url: string): Pick<Served, 'get' | 'post' | 'stream'> {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text) as unknown;
      },
    };
  };
  const post: Served['post'] = (path, body, { headers = {}, signal } = {}) => {
    const isPlain = typeof body === 'string' || body instanceof FormData || body === undefined;
    const own: Record<string, string> = isPlain ? {} : { 'content-type': 'application/json' };
    const init = { method: 'POST', headers: { ...own, ...headers }, body: isPlain ? body : JSON.stringify(body) };
    return ask(path, signal ? { ...init, signal } : init);
  };
  return {
    get: (path, headers = {}) => ask(path, { headers }),
    post,
    stream: async (path, body, { signal, onEvent } = {}) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await fetch(url + path, signal ? { ...init, signal } : init);
      const events: Event[] = [];
      let rest = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + part).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data === undefined) continue;
          events.push(JSON.parse(data) as Event);
          onEvent?.(events.at(-1)!);
        }
      }
      return events;
    },
  };
}
