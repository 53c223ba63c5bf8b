import type { z } from 'zod';
import type { TokenScope } from './config.ts';

/** Configuration sections or keys that an operation reads; they become its flags. */
export type ConfigSection =
  | 'collection'
  | 'storage'
  | 'storage.vector_db'
  | 'storage.url'
  | 'storage.batch_size'
  | 'ingestion.docs'
  | 'ingestion.urls'
  | 'ingestion.api'
  | 'ingestion.html'
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

/** An operation as its callers see it. Flags, the HTTP interface, its OpenAPI document and the library derive from it. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  summary: string;
  /**
   * Right that a token needs. Reading files of the server and fetching addresses from it counts as writing: both disclose more than the
   * collections hold.
   */
  scope: TokenScope;
  input: Input;
  output: Output;
  sections: readonly ConfigSection[];
}

/** Returns a row of the table with the types of its schemas. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(row: Operation<Input, Output>): Operation<Input, Output> =>
  row;

/** Configuration keys that choose the store. */
export const storePlace = ['storage.vector_db', 'storage.url'] as const;
