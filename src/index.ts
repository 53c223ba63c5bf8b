export { createEngine, type Engine, type EngineOptions, type RunOptions } from './engine/engine.ts';
export { loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';
export type { OperationName, RequestOf, ResultOf } from './engine/operations.ts';
export { KbError, type ErrorCode } from './base/errors.ts';
export { collect, settle } from './base/run.ts';
export { Config, DEFAULTS } from './schema/config.ts';
