import type { LoadedConfig } from '../config/load.ts';
import type { Engine, Tracer } from '../ports/engines.ts';
import type { Screen } from './screen.ts';

/** Values of the flags of a command line, by name. */
export type FlagValues = Record<string, unknown>;

/** What a command works with once its command line is parsed. */
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
