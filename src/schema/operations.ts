import type { z } from 'zod';
import { DeleteSourceRequest, GetSourceRequest, GetSourceResult, ListSourcesRequest, ListSourcesResult } from './stored/stored-sources.ts';
import { collectionOperations, CollectionNameRequest } from './collection-operations.ts';
import { operation, storePlace } from './operation-row.ts';
import {
  ChunkRequest,
  DeleteRequest,
  EditRequest,
  EmbedRequest,
  StoreRequest,
  FetchRequest,
  IngestRequest,
  ParseRequest,
  ScrapeRequest,
  UploadRequest,
} from './requests.ts';
import { ChatRequest, QueryRequest, RetrieveRequest } from './questions.ts';
import { ChatResult, RetrieveResult } from './answers.ts';
import {
  ChunkResult,
  DeleteResult,
  DocumentsResult,
  EditResult,
  EmbedResult,
  IngestResult,
  PagesResult,
  StoreResult,
  UploadResult,
  WatchResult,
} from './results.ts';
import { DoctorRequest, DoctorResult, SetupBrowserRequest, SetupBrowserResult, SetupOcrRequest, SetupOcrResult } from './diagnosis.ts';
import { EvaluationRequest, EvaluationResult, ProposalRequest, ProposalResult } from './evaluation.ts';

const store = ['collection', 'storage'] as const;
const embedder = ['embedding.provider', 'embedding.model'] as const;
const searching = ['collection', ...storePlace, ...embedder, 'retrieval', 'rerank'] as const;

/** The table of operations, from which flags, HTTP routes, MCP tools and types derive; the engine implements each row. */
export const operations = {
  ingest: operation({
    summary: 'Read sources, split them into chunks, embed and store them',
    scope: 'write',
    input: IngestRequest,
    output: IngestResult,
    sections: [
      ...store,
      'ingestion.docs',
      'ingestion.urls',
      'ingestion.api',
      'ingestion.html',
      'chunking',
      'embedding',
      'concurrency',
      'network',
    ],
  }),
  watch: operation({
    summary: 'Ingest the configured sources, and again whatever changes',
    scope: 'write',
    input: CollectionNameRequest,
    output: WatchResult,
    sections: [
      ...store,
      'ingestion.docs',
      'ingestion.urls',
      'ingestion.api',
      'ingestion.html',
      'chunking',
      'embedding',
      'concurrency',
      'network',
      'watch',
    ],
  }),
  parse: operation({
    summary: 'Convert files to Markdown documents',
    scope: 'write',
    input: ParseRequest,
    output: DocumentsResult,
    sections: ['ingestion.docs', 'ingestion.html', 'network'],
  }),
  upload: operation({
    summary: 'Convert uploaded files to Markdown documents, or ingest them',
    scope: 'write',
    input: UploadRequest,
    output: UploadResult,
    sections: [...store, 'ingestion.docs', 'ingestion.html', 'chunking', 'embedding'],
  }),
  scrape: operation({
    summary: 'Convert web pages to Markdown documents',
    scope: 'write',
    input: ScrapeRequest,
    output: PagesResult,
    sections: ['ingestion.urls', 'ingestion.html', 'network'],
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
    sections: ['collection', ...storePlace],
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
  ...collectionOperations,
  list_sources: operation({
    summary: 'List the documents of a collection',
    input: ListSourcesRequest,
    output: ListSourcesResult,
    scope: 'read',
    sections: storePlace,
  }),
  get_source: operation({
    summary: 'Show the text and the chunks of a stored document',
    input: GetSourceRequest,
    output: GetSourceResult,
    scope: 'read',
    sections: storePlace,
  }),
  delete_source: operation({
    summary: 'Remove a stored document',
    input: DeleteSourceRequest,
    output: DeleteResult,
    scope: 'write',
    sections: storePlace,
  }),
  doctor: operation({
    summary: 'Check the configuration, credentials, store, model and browser',
    scope: 'admin',
    input: DoctorRequest,
    output: DoctorResult,
    sections: ['collection', ...storePlace, ...embedder, 'chat.llm'],
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
  setup_ocr: operation({
    summary: 'Install what reads scans and pictures (OCR), with languages',
    scope: 'admin',
    input: SetupOcrRequest,
    output: SetupOcrResult,
    sections: [],
  }),
};

type Operations = typeof operations;
/** Name of an operation. */
export type OperationName = keyof Operations;
/** Input of an operation, before defaults are filled in. */
export type RequestOf<Name extends OperationName> = z.input<Operations[Name]['input']>;
/** Result of an operation. */
export type ResultOf<Name extends OperationName> = z.output<Operations[Name]['output']>;
