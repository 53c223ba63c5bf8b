import type { PathPlace } from '../stages/extract/files/local-path.ts';
import type { Config } from '../schema/config.ts';
import type { Resources } from './resources.ts';
import { KbError } from '../core/errors.ts';
import { Sources } from '../schema/source-entries.ts';

/** What an operation has at hand, beside its request. */
export interface Context extends PathPlace {
  /** The configuration, with what the request says laid over it. */
  settings: Config;
  resources: Resources;
  /** Where the engine runs: what the user of the command line names may be private, what a request to a server names may not. */
  surface: 'cli' | 'server';
  signal?: AbortSignal | undefined;
  /** Whether the report's lists (`items`, `outputs`) are wanted; the counts always are. */
  lists: boolean;
}

/** Sections of the configuration, or single keys, that an operation reads: those keys are its flags. */
export type ConfigSection =
  | 'collection'
  | 'storage'
  | 'storage.vector_db'
  | 'storage.url'
  | 'storage.batch_size'
  | 'ingestion.docs'
  | 'ingestion.urls'
  | 'ingestion.api'
  | 'chunking'
  | 'embedding'
  | 'embedding.provider'
  | 'embedding.model'
  | 'concurrency'
  | 'retrieval'
  | 'rerank'
  | 'chat'
  | 'chat.llm'
  | 'network'
  | 'server';

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
