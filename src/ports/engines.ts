import type { Config } from '../schema/config.ts';
import type { Wording } from '../core/advice/wording.ts';
import type { AccessRights } from '../core/access-rights.ts';
import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { OwnDrivers } from './drivers.ts';
import type { Run } from '../core/run.ts';

/** Where an engine runs: the command line may fetch private addresses that its user names, a server may not. */
export type Surface = 'cli' | 'server';

/** Options of an engine, with drivers of the calling program, whose names the configuration and requests may then use. */
export interface EngineOptions extends OwnDrivers {
  config: Config;
  /** The folder that sources and relative store paths are relative to; the working directory where absent. */
  home?: string;
  /** The folder that paths in requests are relative to; `home` where absent. */
  cwd?: string;
  surface?: Surface;
  tracer?: Tracer | undefined;
}

/** Options of one run of an operation. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The caller's span, as W3C Trace Context writes it. */
  traceparent?: string | undefined;
  /** Rights of the caller. Default: everything is allowed. */
  access?: AccessRights | undefined;
  /** The words in which errors and notices give advice. Default: those of the command line. */
  wording?: Wording | undefined;
  /** Called with the collections that the request is about, once it is known to be allowed. */
  onBegin?: (collections: readonly string[]) => void;
  /** Whether the report's lists are filled; without them it stays small, however large the corpus is. */
  lists?: boolean;
  /** More requests of this kind follow at once, so the store may put off updating its indexes. */
  hasMore?: boolean;
}

/** kb without an interface. Drivers are opened when they are first needed, and shared. */
export interface Engine {
  readonly config: Config;
  /** Runs an operation: yields numbered events, returns its result. Throws a KbError where the work ends without one. */
  run<Name extends OperationName>(name: Name, request: RequestOf<Name>, options?: RunOptions): AsyncGenerator<Event, ResultOf<Name>, void>;
  /** Throws the KbError that `run` would throw before it begins. Returns the collections that the request is about. */
  check<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: Pick<RunOptions, 'access' | 'wording'>,
  ): readonly string[];
  /** The names of the collections in the configured store that the caller may use. Throws a KbError where the store does not answer. */
  collections(options?: Pick<RunOptions, 'access'>): Promise<string[]>;
  /** The name of the configured embedding model; empty where nothing is embedded. */
  embeddingModel(): Promise<string>;
  close(): Promise<void>;
}

/** How a call is recorded: the name of its span, and a function that makes attributes of its arguments, which must hold no text. */
export type CallSpan = string | { name: string; about(...args: readonly unknown[]): Record<string, string | number> };

/** Records spans: what ran, when and how long, with counts and names of models; no text. */
export interface Tracer {
  /** Runs work as a span; spans that begin in it are its children. `traceparent`: the caller's span, as W3C Trace Context writes it. */
  run<R>(name: string, run: Run<R>, options?: { traceparent?: string | undefined }): Run<R>;
  /** Returns the same object with calls of these methods recorded as spans. */
  instrument<T extends object>(target: T, stages: { readonly [Method in keyof T]?: CallSpan }): T;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}
