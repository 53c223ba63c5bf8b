import { expect, onTestFinished, vi } from 'vitest';
import type { Engine } from '../../src/ports/engines.ts';
import type { Event, WatchResult } from '../../src/schema/results.ts';

interface Watched {
  /** What the watch has said, in order. */
  said: string[];
  events: Event[];
  /** Waits until it has said something that matches, after the first `from` lines. */
  says(pattern: RegExp, from?: number): Promise<void>;
  /** Stops it; what it has done. */
  stop(): Promise<WatchResult>;
  ended: Promise<WatchResult>;
}

/** Long enough for a machine that does something else. */
export const PATIENCE = { timeout: 30_000, interval: 50 };

/** Watches the configured sources of an engine until the end of the test. */
export function watching(engine: Engine): Watched {
  const controller = new AbortController();
  const said: string[] = [];
  const events: Event[] = [];
  const consume = async () => {
    const run = engine.run('watch', {}, { signal: controller.signal });
    for (;;) {
      const step = await run.next();
      if (step.done) return step.value;
      events.push(step.value);
      if (step.value.stage === 'watch' && step.value.message) said.push(step.value.message);
    }
  };
  const ended = consume();
  ended.catch(() => {});
  const stop = () => {
    controller.abort();
    return ended;
  };
  onTestFinished(async () => void (await stop().catch(() => {})));
  const says = async (pattern: RegExp, from = 0) =>
    await vi.waitFor(
      () =>
        expect(
          said.slice(from).find((line) => pattern.test(line)),
          said.join('\n'),
        ).toBeDefined(),
      PATIENCE,
    );
  return { said, events, says, stop, ended };
}
