import type { z } from 'zod';
import {
  CollectionNameRequest,
  CollectionRequest,
  CollectionsRequest,
  CollectionsResult,
  CollectionSummary,
  CopyRequest,
  CopyResult,
  CreateSnapshotRequest,
  CreateSnapshotResult,
  DeleteSnapshotResult,
  DropResult,
  ExportResult,
  ImportRequest,
  ImportResult,
  OptimizeResult,
  ReembedResult,
  RestoreSnapshotResult,
  SnapshotRequest,
  SnapshotsResult,
} from './collection-requests.ts';
import { DeleteSourceRequest, GetSourceRequest, GetSourceResult, ListSourcesRequest, ListSourcesResult } from './stored/stored-sources.ts';
import { ChunkRequest, DeleteRequest, EditRequest, EmbedRequest, StoreRequest } from './chunk-requests.ts';
import { ChatRequest, QueryRequest, RetrieveRequest } from './questions.ts';
import { FetchRequest, IngestRequest, ParseRequest, ScrapeRequest, UploadRequest } from './requests.ts';
import { ChatResult, RetrieveResult } from './answers.ts';
import { ChunkResult, DeleteResult, DocumentsResult, EditResult, EmbedResult, IngestResult, PagesResult, StoreResult } from './results.ts';
import type { TokenScope } from './config-server.ts';
import { DoctorRequest, DoctorResult, SetupBrowserRequest, SetupBrowserResult } from './diagnosis.ts';
import { EvaluationRequest, EvaluationResult, ProposalRequest, ProposalResult } from './evaluation.ts';

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

/** One thing that kb can do, as its callers see it. Flags, the HTTP interface with its description and the library are derived from it. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  summary: string;
  /** What a token must allow. Reading the files of the server and fetching addresses from it counts as writing: both give out what no collection holds. */
  scope: TokenScope;
  input: Input;
  output: Output;
  sections: readonly ConfigSection[];
}

const operation = <Input extends z.ZodType, Output extends z.ZodType>(row: Operation<Input, Output>): Operation<Input, Output> => row;

const place = ['storage.vector_db', 'storage.url'] as const;
const store = ['collection', 'storage'] as const;
const embedder = ['embedding.provider', 'embedding.model'] as const;
const searching = ['collection', ...place, ...embedder, 'retrieval', 'rerank'] as const;

/** The table from which every face is derived; the engine has the work of each. */
export const operations = {
  ingest: operation({
    summary: 'Read sources, split them into chunks, embed and store them',
    scope: 'write',
    input: IngestRequest,
    output: IngestResult,
    sections: [...store, 'ingestion.docs', 'ingestion.urls', 'ingestion.api', 'chunking', 'embedding', 'concurrency', 'network'],
  }),
  parse: operation({
    summary: 'Convert files to Markdown documents',
    scope: 'write',
    input: ParseRequest,
    output: DocumentsResult,
    sections: ['ingestion.docs', 'network'],
  }),
  upload: operation({
    summary: 'Convert uploaded files to Markdown documents',
    scope: 'write',
    input: UploadRequest,
    output: DocumentsResult,
    sections: ['ingestion.docs'],
  }),
  scrape: operation({
    summary: 'Convert web pages to Markdown documents',
    scope: 'write',
    input: ScrapeRequest,
    output: PagesResult,
    sections: ['ingestion.urls', 'network'],
  }),
  fetch: operation({
    summary: 'Convert responses of HTTP APIs to Markdown documents',
    scope: 'write',
    input: FetchRequest,
    output: DocumentsResult,
    sections: ['ingestion.api', 'network'],
  }),
  chunk: operation({
    summary: 'Split documents into chunks',
    scope: 'read',
    input: ChunkRequest,
    output: ChunkResult,
    sections: ['chunking'],
  }),
  embed: operation({
    summary: 'Embed chunks',
    scope: 'read',
    input: EmbedRequest,
    output: EmbedResult,
    sections: ['embedding'],
  }),
  store: operation({
    summary: 'Store embedded chunks in a collection',
    scope: 'write',
    input: StoreRequest,
    output: StoreResult,
    sections: [...store, 'embedding'],
  }),
  edit: operation({
    summary: 'Change stored chunks',
    scope: 'write',
    input: EditRequest,
    output: EditResult,
    sections: [...store, 'embedding'],
  }),
  delete: operation({
    summary: 'Remove stored chunks',
    scope: 'write',
    input: DeleteRequest,
    output: DeleteResult,
    sections: ['collection', ...place],
  }),
  retrieve: operation({
    summary: 'Find the chunks that match a query',
    scope: 'read',
    input: RetrieveRequest,
    output: RetrieveResult,
    sections: searching,
  }),
  query: operation({
    summary: 'Find the chunks that match a query (nested request)',
    scope: 'read',
    input: QueryRequest,
    output: RetrieveResult,
    sections: searching,
  }),
  chat: operation({
    summary: 'Answer a question from the collection, with sources',
    scope: 'read',
    input: ChatRequest,
    output: ChatResult,
    sections: [...searching, 'chat'],
  }),
  list_collections: operation({
    summary: 'List the collections of the store',
    scope: 'read',
    input: CollectionsRequest,
    output: CollectionsResult,
    sections: place,
  }),
  show_collection: operation({
    summary: 'Show what a collection contains',
    scope: 'read',
    input: CollectionRequest,
    output: CollectionSummary,
    sections: place,
  }),
  drop_collection: operation({
    summary: 'Remove a collection and everything in it',
    scope: 'admin',
    input: CollectionRequest,
    output: DropResult,
    sections: place,
  }),
  export_collection: operation({
    summary: 'Export a collection as JSON Lines',
    scope: 'read',
    input: CollectionRequest,
    output: ExportResult,
    sections: place,
  }),
  import_collection: operation({
    summary: 'Create a collection from an export',
    scope: 'write',
    input: ImportRequest,
    output: ImportResult,
    sections: [...place, 'storage.batch_size'],
  }),
  reembed_collection: operation({
    summary: 'Embed a collection again with the configured model',
    scope: 'admin',
    input: CollectionRequest,
    output: ReembedResult,
    sections: [...place, 'embedding'],
  }),
  list_sources: operation({
    summary: 'List the documents of a collection',
    input: ListSourcesRequest,
    output: ListSourcesResult,
    scope: 'read',
    sections: ['collection', ...place],
  }),
  get_source: operation({
    summary: 'Show the text and the chunks of a stored document',
    input: GetSourceRequest,
    output: GetSourceResult,
    scope: 'read',
    sections: ['collection', ...place],
  }),
  delete_source: operation({
    summary: 'Remove a stored document',
    input: DeleteSourceRequest,
    output: DeleteResult,
    scope: 'write',
    sections: ['collection', ...place],
  }),
  copy_collection: operation({
    summary: 'Copy a collection under another name',
    input: CopyRequest,
    output: CopyResult,
    scope: 'admin',
    sections: place,
  }),
  optimize_collection: operation({
    summary: 'Bring the indexes of a collection up to date and remove its old versions',
    input: CollectionNameRequest,
    output: OptimizeResult,
    scope: 'admin',
    sections: ['collection', ...place],
  }),
  create_snapshot: operation({
    summary: 'Keep the present state of a collection as a snapshot',
    input: CreateSnapshotRequest,
    output: CreateSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...place],
  }),
  list_snapshots: operation({
    summary: 'List the snapshots of all collections',
    input: CollectionsRequest,
    output: SnapshotsResult,
    scope: 'admin',
    sections: place,
  }),
  restore_snapshot: operation({
    summary: 'Replace what a collection holds by a snapshot of it',
    input: SnapshotRequest,
    output: RestoreSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...place],
  }),
  delete_snapshot: operation({
    summary: 'Remove a snapshot',
    input: SnapshotRequest,
    output: DeleteSnapshotResult,
    scope: 'admin',
    sections: ['collection', ...place],
  }),
  doctor: operation({
    summary: 'Check the configuration, credentials, store, model and browser',
    scope: 'admin',
    input: DoctorRequest,
    output: DoctorResult,
    sections: ['collection', ...place, ...embedder, 'chat.llm'],
  }),
  evaluate: operation({
    summary: 'Measure retrieval, answers and refusals with a golden set',
    scope: 'read',
    input: EvaluationRequest,
    output: EvaluationResult,
    sections: [...searching, 'chat'],
  }),
  propose_questions: operation({
    summary: 'Propose questions for a golden set from the collection',
    scope: 'read',
    input: ProposalRequest,
    output: ProposalResult,
    sections: [...searching, 'chat.llm'],
  }),
  setup_browser: operation({
    summary: 'Find a browser for rendering web pages, or install one',
    scope: 'admin',
    input: SetupBrowserRequest,
    output: SetupBrowserResult,
    sections: [],
  }),
};

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = z.input<Operations[Name]['input']>;
export type ResultOf<Name extends OperationName> = z.output<Operations[Name]['output']>;
