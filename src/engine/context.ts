import { advice, call, field, optionalAdvice } from '../core/advice/advice.ts';
import type { Embedder, Llm, Reranker } from '../ports/models.ts';
import type { DocumentReader, ReadingOptions, Renderer, RendererOptions } from '../ports/reading.ts';
import type { AccessRights } from '../core/access-rights.ts';
import type { Environment, Surface, Tracer } from '../ports/engines.ts';
import type { VectorStore } from '../ports/stores.ts';
import type { PathPlace } from '../stages/extract/files/local-path.ts';
import type { HostLimiter } from '../stages/extract/pages/host-limiter.ts';
import type { Config } from '../schema/config.ts';
import { KbError } from '../core/errors.ts';
import { Sources } from '../schema/source-entries.ts';

/** Settings that choose an embedder. */
export type ChosenEmbedder = Pick<Config['embedding'], 'model' | 'options'> & { provider: string };

/** Resources that are opened on first use, shared, and closed with the engine. */
export interface Resources {
  embedder(settings: ChosenEmbedder): Promise<Embedder>;
  /** Returns the model of an embedder, without opening it if the name is known. */
  modelOf(settings: ChosenEmbedder): Promise<string>;
  store(settings: Config['storage']): Promise<VectorStore>;
  /** `llm` is the grader of the provider `llm`; model and options of `settings` override its own. */
  reranker(settings: Config['rerank'], llm: Config['chat']['llm']): Promise<Reranker>;
  /** `embedder` is used by an answerer that quotes; undefined if the collection has no vectors. */
  llm(settings: Config['chat']['llm'], embedder: Embedder | undefined): Promise<Llm>;
  /** `settings` say how scans and HTML are read. Passwords always come from the operator, never from a request. */
  reader(settings: Pick<Config['ingestion'], 'docs' | 'html'>): Promise<DocumentReader>;
  /** Makes a renderer for one run, whose options say which private addresses are allowed. All runs share one browser. */
  renderer(options: RendererOptions): Renderer;
  /** Limits requests per host across all runs. */
  host_limiter: HostLimiter;
  close(): Promise<void>;
}

/** What an operation needs besides its request. */
export interface Context extends PathPlace {
  /** The configuration, overridden by the settings of the request. */
  settings: Config;
  resources: Resources;
  surface: Surface;
  /** Variables with proxies. Default: `process.env`. */
  environment?: Environment | undefined;
  access?: AccessRights | undefined;
  /** Whether a program or person other than the operator asks: over HTTP or MCP, or with `access`. */
  isRequested: boolean;
  /** Whether a real path is of kb's own state. */
  isState(path: string): boolean;
  tracer?: Tracer | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the recognition of a page of a scan begins. */
  onPage?: ReadingOptions['onPage'];
  /** Whether the report includes its lists (`items`, `outputs`); counts are always included. */
  lists: boolean;
  /** Whether more requests of this kind follow at once. */
  hasMore: boolean;
}

/** The context for another collection than the configured one. */
export const inCollection = (context: Context, collection: string): Context => ({
  ...context,
  settings: { ...context.settings, collection },
});

/** The context for another store and a collection in it. */
export const inStore = (context: Context, storage: Config['storage'], collection: string): Context => ({
  ...context,
  settings: { ...context.settings, storage, collection },
});

/** Whether a request or configuration names a source of any kind. */
export const namesSources = (given: Sources): boolean =>
  Object.keys(Sources.shape).some((name) => given[name as keyof Sources] !== undefined);

/** Throws a KbError (`configuration`) if the configuration lists no source to watch. */
export function assertSourcesConfigured(_request: object, { sources }: Config): void {
  if (namesSources(sources)) return;
  throw new KbError('configuration', 'There is nothing to watch: the configuration lists no sources.', {
    hint: 'List files, sites or APIs under sources in kb.config.yaml, such as "sources: { docs: [manuals] }".',
  });
}

/** Throws a KbError (`usage`) if neither the request nor the configuration names a source. */
export function assertSources(request: Sources, { sources }: Config): void {
  if (namesSources(request) || namesSources(sources)) return;
  throw new KbError('usage', 'At least one of docs, urls, api or markdown must be provided.', {
    hint: [advice`For example ${call('ingest', { docs: 'manuals' })}.`, optionalAdvice`${field('sources')} names a file that lists them.`],
  });
}
