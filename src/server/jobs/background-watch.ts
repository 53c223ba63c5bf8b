import { describe } from '../../core/errors.ts';
import type { Engine } from '../../ports/engines.ts';
import type { WatchHealth } from '../../schema/server-results.ts';
import type { WatchResult } from '../../schema/results.ts';
import { type Observers, observeRun } from '../telemetry/observed-engine.ts';

/** Who writes, in the log. */
const WHO = 'watch';

/** A watch of the configured sources beside a server. */
export interface BackgroundWatch {
  health(): WatchHealth;
  /** Stops it, and waits until it has ended. */
  close(): Promise<void>;
}

type Progress = WatchResult & Pick<WatchHealth, 'state'>;

/**
 * Begins to watch the sources that an engine is configured with, and closes it in the end. Its ingests are counted as those of requests are, and
 * logged where they wrote something. A failure that ends the watch is logged, and the server goes on. Throws a KbError (`configuration`) if the configuration lists no sources.
 */
export function watchInBackground(engine: Engine, observers: Observers): BackgroundWatch {
  const collections = engine.check('watch', {});
  const { log } = observers;
  const controller = new AbortController();
  let last: Progress = { state: 'reading', runs: 0, stored: 0, pruned: 0, failed: 0, last_run: null, next_run: null };
  const observe = (outcome: 'done' | 'failed' | 'stopped', result: Partial<WatchResult> = {}): void => {
    const isWrite = outcome !== 'done' || Object.values(result).some((count) => count !== 0);
    observeRun({ operation: 'ingest', outcome, who: WHO, collections: isWrite ? collections : [], result }, observers);
  };
  const run = async (): Promise<void> => {
    for await (const { stage, message, data } of engine.run('watch', {}, { signal: controller.signal })) {
      if (stage !== 'watch') continue;
      const now = data as unknown as Progress;
      if (now.runs > last.runs) observe('done', since(last, now));
      else if (now.failed > last.failed) observe('failed', since(last, now));
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

/** Computes what was done between two reports of a watch. */
const since = (before: WatchResult, { stored, pruned, failed }: WatchResult): Partial<WatchResult> => ({
  stored: stored - before.stored,
  pruned: pruned - before.pruned,
  failed: failed - before.failed,
});
