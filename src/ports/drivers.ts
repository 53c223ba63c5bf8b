import type { Embedder, Llm, Reranker } from './models.ts';
import type { Parser } from './reading.ts';
import type { VectorStore } from './stores.ts';

/** What the configuration says of a model: the name of its driver, and what it is to be opened with. */
export interface ModelOptions {
  provider: string;
  /** The driver's own choice where absent. */
  model?: string | undefined;
  options?: Record<string, unknown> | undefined;
}

/** What the configuration says of a store. */
export interface StoreOptions {
  /** As it was configured; empty where it was not. */
  url: string;
  options?: Record<string, unknown> | undefined;
  /** Whether the address is one of the operator's own, to which alone a key goes; true where absent. */
  isTrusted?: boolean;
}

/** Opens a driver, when it is first needed. What it throws ends what needs it: a KbError with its sentence, anything else as an unexpected failure. */
export type Factory<Options, Driver> = (options: Options) => Driver | Promise<Driver>;

/** Opens a store. `requestOptions` are the names of `storage.options` that a request over the network may set: none that tells where the store is, or who asks. */
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
