import { describe } from '../../core/errors.ts';
import type { Engine } from '../../ports/engines.ts';
import type { WatchHealth } from '../../schema/server-results.ts';
import type { WatchResult } from '../../schema/results.ts';
import type { Log } from '../request-log.ts';

/** A watch of the configured sources beside a server. */
export interface BackgroundWatch {
  health(): WatchHealth;
  /** Stops it, and waits until it has ended. */
  close(): Promise<void>;
}

/**
 * Begins to watch the sources that an engine is configured with, and closes it in the end. A failure that ends the watch is logged, and the server goes on.
 * Throws a KbError (`configuration`) if the configuration lists no sources.
 */
export function watchInBackground(engine: Engine, log: Log): BackgroundWatch {
  engine.check('watch', {});
  const controller = new AbortController();
  let health: WatchHealth = { state: 'reading', failed: 0, last_run: null, next_run: null };
  const run = async (): Promise<void> => {
    for await (const { stage, message, data } of engine.run('watch', {}, { signal: controller.signal })) {
      if (stage !== 'watch') continue;
      const { state, failed, last_run, next_run } = data as unknown as WatchResult & Pick<WatchHealth, 'state'>;
      health = { state, failed, last_run, next_run };
      if (message) log[state === 'failing' ? 'warn' : 'info'](`watch: ${message}`);
    }
  };
  const ended = run()
    .catch((error: unknown) => log.error({ error: describe(error) }, 'the watch has ended'))
    .finally(() => (health = { ...health, state: 'stopped', next_run: null }))
    .finally(() => engine.close());
  return {
    health: () => health,
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}
