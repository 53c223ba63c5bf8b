import type { DocumentReader, Embedder, Llm, Reranker, VectorStore } from '../ports.ts';
import { defaultModel } from './providers.ts';

/** What the configuration says about a provider. */
export interface ProviderOptions {
  provider: string;
  model?: string | undefined;
  options?: Record<string, unknown> | undefined;
}

interface EmbedderDriver {
  /** The model where none is configured. */
  model: string;
  open(options: ProviderOptions): Promise<Embedder>;
}

const openAiEmbedder = (provider: string): EmbedderDriver => ({
  model: defaultModel(provider, 'embedding'),
  open: async (options) => (await import('./embedders/openai.ts')).openOpenAiEmbedder(options),
});

const openAiLlm = {
  open: async (options: ProviderOptions): Promise<Llm> => (await import('./llms/openai.ts')).openOpenAiLlm(options),
};

/** The one list of all drivers. Each is imported when it is opened. */
export const drivers = {
  embedders: {
    local: { model: 'all-minilm-l6-v2', open: async () => (await import('./embedders/local.ts')).openLocalEmbedder() },
    openai: openAiEmbedder('openai'),
    openai_compatible: openAiEmbedder('openai_compatible'),
  } satisfies Record<string, EmbedderDriver>,
  stores: {
    lancedb: {
      url: '.kb/lancedb',
      open: async ({ url }: { url: string; options?: Record<string, unknown> | undefined }): Promise<VectorStore> =>
        (await import('./stores/lancedb.ts')).openLanceDb({ url }),
    },
    qdrant: {
      url: 'http://127.0.0.1:6333',
      open: async ({ url }: { url: string; options?: Record<string, unknown> | undefined }): Promise<VectorStore> =>
        (await import('./stores/qdrant.ts')).openQdrant({ url }),
    },
  },
  rerankers: {
    local: {
      open: async (_options: Omit<ProviderOptions, 'provider'>): Promise<Reranker> =>
        (await import('./rerankers/local.ts')).openLocalReranker(),
    },
  },
  llms: {
    local: {
      open: async ({ embedder }: ProviderOptions & { embedder?: Embedder | undefined }): Promise<Llm> =>
        (await import('./llms/local.ts')).openLocalLlm({ embedder }),
    },
    openai: openAiLlm,
    openai_compatible: openAiLlm,
  },
  reader: async (limits: { threads: number; seconds: number; megabytes: number }): Promise<DocumentReader> =>
    (await import('./parsers/reader.ts')).createDocumentReader(limits),
};
