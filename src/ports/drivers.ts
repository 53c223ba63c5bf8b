import type { Embedder, Llm, Reranker } from './models.ts';
import type { Parser } from './reading.ts';
import type { VectorStore } from './stores.ts';

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
