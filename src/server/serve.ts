import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { KbError, describe } from '../core/errors.ts';
import { packageVersion } from '../core/project.ts';
import type { Engine } from '../ports/engines.ts';
import { storeFolder } from '../engine/store-address.ts';
import { buildApp, type App } from './app.ts';
import { assertProtected } from './policies.ts';
import { openJobs } from './jobs/jobs.ts';
import { createLog } from './request-log.ts';
import { createAuthenticator, createRowReader, serverTokenPath } from './token-file.ts';
import { Metrics, observeEngine, type Observers, observeRun } from './metrics.ts';
import { sweepUploads } from './upload.ts';
import type { WatchHealth } from '../schema/http-bodies.ts';
import type { WatchResult } from '../schema/results.ts';

/** Seconds for running requests to end when the server stops (contract, section 3). The others are then stopped. */
const SHUTDOWN_SECONDS = 10;
/** Seconds for stopped work to respond. */
const CLOSING_SECONDS = 2;

interface ServeOptions {
  engine: Engine;
  /** The folder of the configuration file. */
  home: string;
  token: string | undefined;
  signal: AbortSignal;
  quiet: boolean;
  isTerminal: boolean;
  /** Engine that watches the configured sources, closed with the server. Limits of requests (`allowed_roots`, private addresses) do not apply to it. */
  watching: Engine | undefined;
  /** Called with the address when the server listens. */
  onListening(url: string): void;
}

/** Serves the engine over HTTP until it is stopped. Throws a KbError if it cannot listen, or would be open to others without a token. */
export async function serve({ engine, home, token, signal, quiet, isTerminal, watching, onListening }: ServeOptions): Promise<void> {
  const { server: settings } = engine.config;
  const { host, port } = settings;
  const place = { settings, home, cwd: process.cwd() };
  const tokensFile = serverTokenPath(place);
  assertProtected({ ...settings, tokens_file: tokensFile }, token);
  const log = createLog({ quiet, isTerminal });
  const rows = tokensFile === undefined ? undefined : createRowReader(tokensFile, (problem) => log.error(problem));
  const authenticate = createAuthenticator({ token, rows });
  await sweepUploads();
  const onProblem = (problem: string, err?: unknown) => log.error({ err }, problem);
  const metrics = new Metrics();
  const observed = observeEngine(engine, { log, metrics });
  const jobs = await openJobs({ engine: observed, folder: join(storeFolder(engine.config.storage, home), '.jobs'), onProblem });
  const watch = watching && watchInBackground(watching, { log, metrics });
  const app = await buildApp({ engine: observed, jobs, version: packageVersion(), authenticate, log, metrics, watchHealth: watch?.health });
  try {
    const url = await listen(app, { host, port });
    onListening(url);
    if (settings.page) log.info(`the page is at ${url}/`);
    await new Promise((go) => (signal.aborted ? go(undefined) : signal.addEventListener('abort', go, { once: true })));
    log.info('stopping');
    await Promise.all([stop(app), jobs.close({ seconds: SHUTDOWN_SECONDS }), watch?.close()]);
  } finally {
    await Promise.all([jobs.close({ seconds: 0 }), watch?.close()]);
    await app.server.close();
  }
}

async function listen({ server }: App, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    await server.listen({ host, port, listenTextResolver: () => 'ready' });
    const { port: own } = server.server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${own}`;
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, { host, port });
  }
}

function listenError(cause: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): KbError {
  const hint = 'Choose another with --port, or --port 0 for any free one.';
  if (cause.code === 'EADDRINUSE')
    return new KbError('configuration', `Port ${port} of ${host} is in use by another program.`, { hint: hint, cause });
  if (cause.code === 'EACCES')
    return new KbError('configuration', `Port ${port} of ${host} needs permissions that this user does not have.`, { hint: hint, cause });
  return new KbError('configuration', `kb can't listen on ${host}, port ${port}: ${cause.message}.`, {
    hint: 'Check --host and --port.',
    cause,
  });
}

/** Stops accepting requests, waits for running ones, stops them, then closes everything. */
async function stop({ server, inFlight, stopAll }: App): Promise<void> {
  const closed = server.close();
  const waitUntilIdle = async (seconds: number) => {
    for (const end = Date.now() + seconds * 1000; inFlight() > 0 && Date.now() < end;) await wait(50);
  };
  await waitUntilIdle(SHUTDOWN_SECONDS);
  stopAll();
  await waitUntilIdle(CLOSING_SECONDS);
  server.server.closeAllConnections();
  await closed;
}

/** Caller of the ingests of a watch, in the log. */
const WATCH_CALLER = 'watch';

/** A watch of the configured sources that runs beside a server. */
export interface BackgroundWatch {
  health(): WatchHealth;
  /** Stops it, and waits until it has ended. */
  close(): Promise<void>;
}

type Progress = WatchResult & Pick<WatchHealth, 'state'>;

/**
 * Watches the configured sources of an engine, which it closes at the end. Counts its ingests, and logs those that wrote something and a
 * failure that ends the watch. Throws a KbError (`configuration`) if no sources are configured.
 */
export function watchInBackground(engine: Engine, observers: Observers): BackgroundWatch {
  const collections = engine.check('watch', {});
  const { log } = observers;
  const controller = new AbortController();
  let last: Progress = { state: 'reading', runs: 0, stored: 0, pruned: 0, failed: 0, last_run: null, next_run: null };
  const observe = (outcome: 'done' | 'failed' | 'stopped', result: Partial<WatchResult> = {}): void => {
    const isWrite = outcome !== 'done' || Object.values(result).some((count) => count !== 0);
    observeRun({ operation: 'ingest', outcome, who: WATCH_CALLER, collections: isWrite ? collections : [], result }, observers);
  };
  const run = async (): Promise<void> => {
    for await (const { stage, message, data } of engine.run('watch', {}, { signal: controller.signal })) {
      if (stage !== 'watch') continue;
      const now = data as unknown as Progress;
      if (now.runs > last.runs) observe('done', difference(last, now));
      else if (now.failed > last.failed) observe('failed', difference(last, now));
      last = now;
      if (message) log[now.state === 'failing' ? 'warn' : 'info'](`watch: ${message}`);
    }
    if (last.state === 'reading') observe('stopped');
  };
  const ended = run()
    .catch((error: unknown) => {
      observe('failed');
      log.error({ error: describe(error) }, 'the watch has ended');
    })
    .finally(() => (last = { ...last, state: 'stopped', next_run: null }))
    .finally(() => engine.close());
  return {
    health: () => ({ state: last.state, failed: last.failed, last_run: last.last_run, next_run: last.next_run }),
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}

/** Computes the difference between two reports of a watch. */
const difference = (before: WatchResult, { stored, pruned, failed }: WatchResult): Partial<WatchResult> => ({
  stored: stored - before.stored,
  pruned: pruned - before.pruned,
  failed: failed - before.failed,
});
