export { createEngine } from './engine/engine.ts';
export type { Engine, EngineOptions, RunOptions } from './ports/engines.ts';
export { loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';
export type { Factory, ModelOptions, OwnDrivers, StoreOptions } from './ports/engines.ts';
export type {
  Embedder,
  GenerateRequest,
  GroundingSource,
  Llm,
  Message,
  Outcome,
  RankOptions,
  Reranker,
  RerankPassage,
  Usage,
} from './ports/models.ts';
export type { PageFacts, ParsedDocument, Parser } from './ports/reading.ts';
export type {
  Collection,
  CollectionInfo,
  Fingerprint,
  Hit,
  Replacement,
  SearchRequest,
  StoredChunk,
  StoredSource,
  VectorStore,
  Where,
} from './ports/stores.ts';
export type { OperationName, RequestOf, ResultOf } from './schema/operations.ts';
export { KbError, type ErrorCode } from './core/errors.ts';
export { collect, settle } from './core/run.ts';
export { Config, DEFAULTS } from './schema/config.ts';
