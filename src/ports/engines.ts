import type { Config } from '../schema/config.ts';
import type { Wording } from '../core/advice/advice.ts';
import type { AccessRights } from '../core/access-rights.ts';
import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { Run } from '../core/run.ts';
import type { Embedder, Llm, Reranker } from './models.ts';
import type { Parser } from './reading.ts';
import type { VectorStore } from './stores.ts';

/** Environment variables. */
export type Environment = Record<string, string | undefined>;

/** Where an engine runs: the command line may fetch private addresses that its user names, a server may not. */
export type Surface = 'cli' | 'server';

/** Options of an engine, with drivers of the calling program, whose names the configuration and requests may then use. */
export interface EngineOptions extends OwnDrivers {
  config: Config;
  /** Base of relative sources and store paths. Default: the working directory. */
  home?: string;
  /** Base of relative paths in requests. Default: `home`. */
  cwd?: string;
  /** The configuration file, as `loadConfig` returns it. No request reads it, whatever its name. */
  file?: string | undefined;
  surface?: Surface;
  /** Variables with the keys of providers and stores, proxies and passwords, such as `environment` of `loadConfig`. Default: `process.env`. */
  environment?: Environment | undefined;
  tracer?: Tracer | undefined;
}

/** Options of one run of an operation. */
export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** The caller's span (W3C Trace Context). */
  traceparent?: string | undefined;
  /** Rights of the caller. Default: everything is allowed. */
  access?: AccessRights | undefined;
  /** Wording of advice in errors and notices. Default: that of the command line. */
  wording?: Wording | undefined;
  /** Called with the collections that the request is about, once it is known to be allowed. */
  onBegin?: (collections: readonly string[]) => void;
  /** Whether the report's lists are filled; without them it stays small, however large the corpus is. */
  lists?: boolean;
  /** Whether more requests of this kind follow at once, so that the store may postpone updating its indexes. */
  hasMore?: boolean;
}

/** The operations of kb without a user interface. Drivers are opened on first use and shared. */
export interface Engine {
  readonly config: Config;
  /** Runs an operation: yields numbered events and returns its result. Throws a KbError if there is no result. */
  run<Name extends OperationName>(name: Name, request: RequestOf<Name>, options?: RunOptions): AsyncGenerator<Event, ResultOf<Name>, void>;
  /** Checks a request: throws the KbError that `run` would throw before it begins. Returns the collections that the request is about. */
  check<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: Pick<RunOptions, 'access' | 'wording'>,
  ): readonly string[];
  /** Lists the names of the collections in the configured store that the caller may use. Throws a KbError if the store does not respond. */
  collections(options?: Pick<RunOptions, 'access'>): Promise<string[]>;
  /** Returns the name of the configured embedding model; empty without embeddings. */
  embeddingModel(): Promise<string>;
  close(): Promise<void>;
}

/** How a call is recorded: the name of its span, and optionally a function that derives attributes from its arguments. Attributes must not hold text of documents. */
export type CallSpan = string | { name: string; attributesOf(...args: readonly unknown[]): Record<string, string | number> };

/** Records spans: what ran, when and for how long, with counts and names of models, but no text. */
export interface Tracer {
  /** Runs work as a span, the parent of spans that begin in it. `traceparent`: the caller's span (W3C Trace Context). */
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
  /** The configured context window of a language model, in tokens. */
  context_window?: number | undefined;
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
 * Drivers of the calling program, by the names that the configuration and requests may use: in `embedding.provider`, `chat.llm.provider`,
 * `rerank.provider` and `storage.vector_db`. Built-in names are rejected. A driver is opened once per settings, and closed with the engine if it
 * has a `close`. Parsers are chosen by the extensions and media types that they name, before the built-in ones. They run in the main process,
 * without limits on time and memory, so they must be trusted with every file of their type.
 */
export interface OwnDrivers {
  embedders?: Record<string, Factory<ModelOptions, Embedder>>;
  llms?: Record<string, Factory<ModelOptions, Llm>>;
  rerankers?: Record<string, Factory<ModelOptions, Reranker>>;
  stores?: Record<string, StoreFactory>;
  parsers?: Record<string, Factory<void, Parser>>;
}
