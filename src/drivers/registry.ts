import type { Environment, ModelOptions as ModelSettings, StoreOptions as StoreSettings } from '../ports/engines.ts';
import type { Embedder, Llm, Reranker } from '../ports/models.ts';
import { advice, setting } from '../core/advice/advice.ts';
import { KbError } from '../core/errors.ts';
import type { DocumentReaders } from '../ports/reading.ts';
import type { VectorStore } from '../ports/stores.ts';
import { DEFAULT_LOCAL_MODEL, isLocalModel, localModels } from './embedders/local-models.ts';
import { createBrowser } from './browser/browser.ts';
import { defaultModel, type ProviderKind, type ProviderOf, providers, providersOf } from './providers/providers.ts';
import type { LlmRerankerOptions } from './rerankers/llm-reranker.ts';
import { REQUEST_OPTIONS } from './stores/qdrant/qdrant-options.ts';

/** Settings of a model or store, and the variables that hold its key. Default: `process.env`. */
type ModelOptions = ModelSettings & { env?: Environment | undefined };
type StoreOptions = StoreSettings & { env?: Environment | undefined };

/** An embedder that can be opened. */
export interface EmbedderDriver {
  /** The default model. */
  model: string;
  /** Set for a driver that runs in this process and calls no service: what it does. */
  in_process?: string;
  open(options: ModelOptions): Promise<Embedder>;
}

const httpEmbedder = (provider: string): EmbedderDriver => ({
  model: defaultModel(provider, 'embedding'),
  open: async (options) => (await import('./embedders/http-embedder.ts')).openHttpEmbedder(options),
});

const httpReranker = {
  open: async (options: ModelOptions): Promise<Reranker> => (await import('./rerankers/http-reranker.ts')).openHttpReranker(options),
};

const llmDialects = {
  openai: async (options: ModelOptions): Promise<Llm> => (await import('./llms/openai.ts')).openOpenAiLlm(options),
  ollama: async (options: ModelOptions): Promise<Llm> => (await import('./llms/ollama.ts')).openOllamaLlm(options),
  anthropic: async (options: ModelOptions): Promise<Llm> => (await import('./llms/anthropic.ts')).openAnthropicLlm(options),
};

/** Makes a driver for each provider of the table that offers `kind`. */
const createDrivers = <K extends ProviderKind, Driver>(
  kind: K,
  driver: (provider: ProviderOf<K>) => Driver,
): Record<ProviderOf<K>, Driver> =>
  Object.fromEntries(providersOf(kind).map((name) => [name, driver(name)])) as Record<ProviderOf<K>, Driver>;

/** A store that can be opened. */
export interface StoreDriver {
  /** The default address. */
  url: string;
  /**
   * Kind of its address: a `folder`, relative to the working directory (or the address of a bucket), or the address of an HTTP `server`.
   */
  lies_in: 'folder' | 'server';
  /** The names of `storage.options` that a request over the network may set. */
  requestOptions: readonly string[];
  open(options: StoreOptions): Promise<VectorStore>;
}

/** Embedding provider of a new collection, if none is configured. */
export const DEFAULT_EMBEDDER = 'local';

const unknownRerankerError = (model: string): KbError =>
  new KbError('configuration', `The reranker local has no model "${model}"; it compares with ${Object.keys(localModels).join(' or ')}.`, {
    hint: advice`Leave ${setting('rerank.model')} out, or name the provider that has it in ${setting('rerank.provider')}.`,
  });

/** All drivers. Each is imported when it is opened. */
export const drivers = {
  embedders: {
    local: {
      model: DEFAULT_LOCAL_MODEL,
      in_process: 'compares meaning',
      open: async ({ model }: Pick<ModelOptions, 'model'> = {}): Promise<Embedder> =>
        (await import('./embedders/local-embedder.ts')).openLocalEmbedder({ model }),
    },
    ...createDrivers('embedding', httpEmbedder),
  } satisfies Record<string, EmbedderDriver>,
  stores: {
    lancedb: {
      url: '.kb/lancedb',
      lies_in: 'folder',
      requestOptions: [], // its options concern the connection to a bucket and the use of memory
      open: async ({ url, options, env }: StoreOptions): Promise<VectorStore> =>
        (await import('./stores/lancedb/lancedb.ts')).openLanceDb({ url, options, environment: env }),
    },
    qdrant: {
      url: 'http://127.0.0.1:6333',
      lies_in: 'server',
      requestOptions: REQUEST_OPTIONS,
      open: async ({ env, ...options }: StoreOptions): Promise<VectorStore> =>
        (await import('./stores/qdrant/qdrant.ts')).openQdrant({ ...options, environment: env }),
    },
  } satisfies Record<string, StoreDriver>,
  rerankers: {
    local: {
      in_process: 'compares the meaning of sentences',
      open: async ({ model = DEFAULT_LOCAL_MODEL }: Pick<ModelOptions, 'model'>): Promise<Reranker & { close(): Promise<void> }> => {
        if (!isLocalModel(model)) throw unknownRerankerError(model);
        const { openLocalReranker } = await import('./rerankers/local-reranker.ts');
        return openLocalReranker({ model, openEmbedder: () => drivers.embedders.local.open({ model }) });
      },
    },
    ...createDrivers('rerank', () => httpReranker),
    /** Not a provider: it asks the given language model. */
    llm: {
      open: async (options: LlmRerankerOptions): Promise<Reranker> =>
        (await import('./rerankers/llm-reranker.ts')).openLlmReranker(options),
    },
  },
  llms: {
    ...createDrivers('llm', (provider) => ({ open: llmDialects[providers[provider].llm.dialect] })),
  },
  browser: createBrowser,
  readers: async (): Promise<DocumentReaders> => (await import('./documents.ts')).createReaders(),
};
