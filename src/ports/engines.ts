import type { Config } from '../schema/config.ts';
import type { Wording } from '../core/advice/advice.ts';
import type { AccessRights } from '../core/access-rights.ts';
import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { Run } from '../core/run.ts';
import type { Embedder, Llm, Reranker } from './models.ts';
import type { Parser } from './reading.ts';
import type { VectorStore } from './stores.ts';

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

/** Configuration of a model: the name of its driver, and the settings to open it with. */
export interface ModelOptions {
  provider: string;
  /** Default: chosen by the driver. */
  model?: string | undefined;
  options?: Record<string, unknown> | undefined;
}

/** Configuration of a store. */
export interface StoreOptions {
  /** URL as configured; empty if not configured. */
  url: string;
  options?: Record<string, unknown> | undefined;
  /** Whether the operator configured the address. Keys are sent to such addresses only. Default: true. */
  isTrusted?: boolean;
}

/** Opens a driver when it is first needed. An exception ends the operation: a KbError with its message, any other as an unexpected failure. */
export type Factory<Options, Driver> = (options: Options) => Driver | Promise<Driver>;

/** Opens a store. `requestOptions` lists the `storage.options` that a network request may set; none may name an address or a credential. */
type StoreFactory = Factory<StoreOptions, VectorStore> & { readonly requestOptions?: readonly string[] };

/**
 * Drivers of one's own, by the names under which the configuration and requests may ask for them: `embedding.provider`, `chat.llm.provider`,
 * `rerank.provider`, `storage.vector_db`. A name that kb has itself is refused. Each is opened once for the same settings, and closed with the engine
 * where it has a `close`. Parsers are taken by the extensions and media types that they name, before those of kb; they run in the main process, unlike
 * kb's own: nothing bounds their time and memory, and they are to be trusted with every file of their kind.
 */
export interface OwnDrivers {
  embedders?: Record<string, Factory<ModelOptions, Embedder>>;
  llms?: Record<string, Factory<ModelOptions, Llm>>;
  rerankers?: Record<string, Factory<ModelOptions, Reranker>>;
  stores?: Record<string, StoreFactory>;
  parsers?: Record<string, Factory<void, Parser>>;
}
