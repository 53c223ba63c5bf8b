import type { Place } from '../stages/extract/local-path.ts';
import type { Config } from '../schema/config.ts';
import type { Resources } from './resources.ts';

/** What an operation has at hand, beside its request. */
export interface Context extends Place {
  /** The configuration, with what the request says laid over it. */
  settings: Config;
  resources: Resources;
  /** Where the engine runs: what the user of the command line names may be private, what a request to a server names may not. */
  surface: 'cli' | 'server';
  signal?: AbortSignal | undefined;
  /** Whether the report's lists (`items`, `outputs`) are wanted; the counts always are. */
  lists: boolean;
}
