import type { LoadedConfig } from '../config/load.ts';
import type { Engine, Tracer } from '../ports/engines.ts';
import type { Screen } from './screen.ts';

/** What the flags of a command line say, by their names. */
export type FlagValues = Record<string, unknown>;

/** What a command has at hand once its command line is read. */
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
