import type { Embedder, Llm, Reranker } from '../ports/models.ts';
import type { DocumentReader, Renderer, RendererOptions } from '../ports/reading.ts';
import type { AccessRights } from '../core/access-rights.ts';
import type { Surface } from '../ports/engines.ts';
import type { VectorStore } from '../ports/stores.ts';
import type { PathPlace } from '../stages/extract/files/local-path.ts';
import type { HostLimiter } from '../stages/extract/pages/crawl/host-limiter.ts';
import type { Config } from '../schema/config.ts';
import { KbError } from '../core/errors.ts';
import { Sources } from '../schema/source-entries.ts';

/** Settings that name who embeds. */
export type ChosenEmbedder = Pick<Config['embedding'], 'model' | 'options'> & { provider: string };

/** What is opened when it is first needed, shared by all that ask for the same, and closed with the engine. */
export interface Resources {
  embedder(settings: ChosenEmbedder): Promise<Embedder>;
  /** The model of that embedder, which is not opened for it where its name is known without. */
  modelOf(settings: ChosenEmbedder): Promise<string>;
  store(settings: Config['storage']): Promise<VectorStore>;
  /** `llm` is who grades where the provider is `llm`, with the model and the options of `settings` over its own. */
  reranker(settings: Config['rerank'], llm: Config['chat']['llm']): Promise<Reranker>;
  /** `embedder` helps an answerer that compares sentences; undefined where the collection has no vectors. */
  llm(settings: Config['chat']['llm'], embedder: Embedder | undefined): Promise<Llm>;
  reader(): Promise<DocumentReader>;
  /** For one run: what may be private depends on what its user named. The browser behind it is shared, and starts with the first page. */
  renderer(door: RendererOptions): Renderer;
  /** Who may ask a host for pages, of all runs. */
  turns: HostLimiter;
  close(): Promise<void>;
}

/** What an operation has at hand, beside its request. */
export interface Context extends PathPlace {
  /** The configuration, with what the request says laid over it. */
  settings: Config;
  resources: Resources;
  surface: Surface;
  access?: AccessRights | undefined;
  signal?: AbortSignal | undefined;
  /** Whether the report's lists (`items`, `outputs`) are wanted; the counts always are. */
  lists: boolean;
}

/** Whether it says what is to be read. */
export const namesSources = (given: Sources): boolean =>
  Object.keys(Sources.shape).some((name) => given[name as keyof Sources] !== undefined);

/** Throws a KbError (`usage`) where neither a request nor the configuration says what is to be read. */
export function assertSources(request: Sources, { sources }: Config): void {
  if (namesSources(request) || namesSources(sources)) return;
  throw new KbError('usage', 'At least one of docs, urls, api or markdown must be provided.', {
    hint: 'For example {"docs": {"folder": "manuals"}}, or kb ingest --docs manuals; kb ingest also reads what kb.config.yaml lists under sources.',
  });
}
