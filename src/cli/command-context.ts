import type { LoadedConfig } from '../config/load.ts';
import { KbError } from '../core/errors.ts';
import type { Engine, Tracer } from '../ports/engines.ts';
import { EXIT } from './failure.ts';
import type { Screen } from './screen.ts';

/** Values of the flags of a command line, by name. */
export type FlagValues = Record<string, unknown>;

/** State of a command after its command line is parsed. */
export interface CommandContext {
  loaded: LoadedConfig;
  engine: Engine;
  screen: Screen;
  /** Absent unless OpenTelemetry's variables name a collector. */
  tracer: Tracer | undefined;
  /** Aborted by Ctrl-C. A second one ends the process at once. */
  signal: AbortSignal;
  flags: FlagValues;
}

/** Makes the signal of a command, which Ctrl-C aborts; a second one ends the process. */
export function createInterruptSignal(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const isSecond = detectSecondInterrupt();
  const stop = () => {
    if (isSecond()) process.exit(EXIT.interrupted);
    controller.abort(new KbError('aborted', 'Stopped.'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

/** Milliseconds within which two interrupts count as one: the terminal signals both the launcher and kb, and the launcher forwards its signal. */
const SAME_PRESS_TIME = 500;

/** Makes a function that is called at each Ctrl-C, and returns whether it is a second one. */
export function detectSecondInterrupt(): () => boolean {
  let first: number | undefined;
  return () => {
    const now = performance.now();
    first ??= now;
    return now - first > SAME_PRESS_TIME;
  };
}
