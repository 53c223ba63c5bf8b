import type { z } from 'zod';
import type { TokenScope } from '../config-server.ts';

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
  | 'watch'
  | 'server';

/** One thing that kb can do, as its callers see it. Flags, the HTTP interface with its description and the library are derived from it. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  summary: string;
  /** What a token must allow. Reading the files of the server and fetching addresses from it counts as writing: both give out what no collection holds. */
  scope: TokenScope;
  input: Input;
  output: Output;
  sections: readonly ConfigSection[];
}

/** A row of the table, with the types of its schemas. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(row: Operation<Input, Output>): Operation<Input, Output> =>
  row;

/** Keys that say which store. */
export const storePlace = ['storage.vector_db', 'storage.url'] as const;
