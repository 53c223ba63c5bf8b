import type { z } from 'zod';
import type { Run } from '../core/run.ts';
import {
  CollectionRequest,
  CollectionsRequest,
  CollectionsResult,
  CollectionSummary,
  DropResult,
  ExportResult,
  ImportRequest,
  ImportResult,
  ReembedResult,
} from '../schema/collection-requests.ts';
import { ChunkRequest, DeleteRequest, EditRequest, EmbedRequest, StoreRequest } from '../schema/chunk-requests.ts';
import { ChatRequest, QueryRequest, RetrieveRequest } from '../schema/questions.ts';
import { FetchRequest, IngestRequest, ParseRequest, ScrapeRequest, UploadRequest } from '../schema/requests.ts';
import { ChatResult, RetrieveResult } from '../schema/answers.ts';
import {
  ChunkResult,
  DeleteResult,
  DocumentsResult,
  EditResult,
  EmbedResult,
  IngestResult,
  PagesResult,
  StoreResult,
} from '../schema/results.ts';
import { DoctorRequest, DoctorResult, SetupBrowserRequest, SetupBrowserResult } from '../schema/diagnosis.ts';
import { EvaluationRequest, EvaluationResult, ProposalRequest, ProposalResult } from '../schema/evaluation.ts';
import type { Config } from '../schema/config.ts';
import { assertSources, type ConfigSection, type Context } from './context.ts';

/** One thing that kb can do. Every door (flags, HTTP, library, MCP) is cut from this. */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  summary: string;
  input: Input;
  output: Output;
  sections: readonly ConfigSection[];
  /** Throws a KbError for a request that fits, but means nothing with these settings. */
  check?(request: z.output<Input>, settings: Config): void;
  run(request: z.output<Input>, context: Context): Run<z.output<Output>>;
}

const operation = <Input extends z.ZodType, Output extends z.ZodType>(row: Operation<Input, Output>): Operation<Input, Output> => row;

/** A run whose module is imported when it is asked for: the table itself loads nothing heavy. */
async function* later<R>(load: () => Promise<Run<R>>): Run<R> {
  return yield* await load();
}

const place = ['storage.vector_db', 'storage.url'] as const;
const store = ['collection', 'storage'] as const;
const embedder = ['embedding.provider', 'embedding.model'] as const;
const searching = ['collection', ...place, ...embedder, 'retrieval', 'rerank'] as const;

/** The table that every door is cut from. */
export const operations = {
  ingest: operation({
    summary: 'Read sources, split them into chunks, embed and store them',
    input: IngestRequest,
    output: IngestResult,
    sections: [...store, 'ingestion.docs', 'ingestion.urls', 'ingestion.api', 'chunking', 'embedding', 'concurrency', 'network'],
    check: assertSources,
    run: (request, context) => later(async () => (await import('./ingest.ts')).ingest(request, context)),
  }),
  parse: operation({
    summary: 'Turn files into normalized documents',
    input: ParseRequest,
    output: DocumentsResult,
    sections: ['ingestion.docs', 'network'],
    run: (request, context) => later(async () => (await import('./parse-sources.ts')).parse(request, context)),
  }),
  upload: operation({
    summary: 'Turn uploaded files into normalized documents',
    input: UploadRequest,
    output: DocumentsResult,
    sections: ['ingestion.docs'],
    run: (request, context) => later(async () => (await import('./parse-sources.ts')).upload(request, context)),
  }),
  scrape: operation({
    summary: 'Turn web pages into normalized documents',
    input: ScrapeRequest,
    output: PagesResult,
    sections: ['ingestion.urls', 'network'],
    run: (request, context) => later(async () => (await import('./parse-sources.ts')).scrape(request, context)),
  }),
  fetch: operation({
    summary: 'Turn the answers of HTTP APIs into normalized documents',
    input: FetchRequest,
    output: DocumentsResult,
    sections: ['ingestion.api', 'network'],
    run: (request, context) => later(async () => (await import('./parse-sources.ts')).fetchApis(request, context)),
  }),
  chunk: operation({
    summary: 'Split documents into chunks',
    input: ChunkRequest,
    output: ChunkResult,
    sections: ['chunking'],
    run: (request, context) => later(async () => (await import('./chunks.ts')).chunk(request, context)),
  }),
  embed: operation({
    summary: 'Embed chunks',
    input: EmbedRequest,
    output: EmbedResult,
    sections: ['embedding'],
    run: (request, context) => later(async () => (await import('./chunks.ts')).embed(request, context)),
  }),
  store: operation({
    summary: 'Write embedded chunks into a collection',
    input: StoreRequest,
    output: StoreResult,
    sections: [...store, 'embedding'],
    run: (request, context) => later(async () => (await import('./chunks.ts')).storeEmbedded(request, context)),
  }),
  edit: operation({
    summary: 'Change stored chunks',
    input: EditRequest,
    output: EditResult,
    sections: [...store, 'embedding'],
    run: (request, context) => later(async () => (await import('./chunks.ts')).editStored(request, context)),
  }),
  delete: operation({
    summary: 'Remove stored chunks',
    input: DeleteRequest,
    output: DeleteResult,
    sections: ['collection', ...place],
    run: (request, context) => later(async () => (await import('./chunks.ts')).deleteStored(request, context)),
  }),
  retrieve: operation({
    summary: 'Find the chunks that answer a query',
    input: RetrieveRequest,
    output: RetrieveResult,
    sections: searching,
    run: (request, context) => later(async () => (await import('./query.ts')).retrieve(request, context)),
  }),
  query: operation({
    summary: 'Find the chunks that answer a query (nested request)',
    input: QueryRequest,
    output: RetrieveResult,
    sections: searching,
    run: (request, context) => later(async () => (await import('./query.ts')).retrieveInBlocks(request, context)),
  }),
  chat: operation({
    summary: 'Answer a question from the collection, with sources',
    input: ChatRequest,
    output: ChatResult,
    sections: [...searching, 'chat'],
    run: (request, context) => later(async () => (await import('./query.ts')).chat(request, context)),
  }),
  list_collections: operation({
    summary: 'List the collections of the store',
    input: CollectionsRequest,
    output: CollectionsResult,
    sections: place,
    run: (request, context) => later(async () => (await import('./manage.ts')).listCollections(request, context)),
  }),
  show_collection: operation({
    summary: 'Tell what a collection holds',
    input: CollectionRequest,
    output: CollectionSummary,
    sections: place,
    run: (request, context) => later(async () => (await import('./manage.ts')).showCollection(request, context)),
  }),
  drop_collection: operation({
    summary: 'Remove a collection and all that is in it',
    input: CollectionRequest,
    output: DropResult,
    sections: place,
    run: (request, context) => later(async () => (await import('./manage.ts')).dropCollection(request, context)),
  }),
  export_collection: operation({
    summary: 'Write a collection as JSON Lines',
    input: CollectionRequest,
    output: ExportResult,
    sections: place,
    run: (request, context) => later(async () => (await import('./transfer.ts')).exportCollection(request, context)),
  }),
  import_collection: operation({
    summary: 'Make a collection of an export',
    input: ImportRequest,
    output: ImportResult,
    sections: [...place, 'storage.batch_size'],
    run: (request, context) => later(async () => (await import('./transfer.ts')).importCollection(request, context)),
  }),
  reembed_collection: operation({
    summary: 'Embed a collection anew with the configured model',
    input: CollectionRequest,
    output: ReembedResult,
    sections: [...place, 'embedding'],
    run: (request, context) => later(async () => (await import('./manage.ts')).reembed(request, context)),
  }),
  doctor: operation({
    summary: 'Check the configuration, credentials, store, model and browser',
    input: DoctorRequest,
    output: DoctorResult,
    sections: ['collection', ...place, ...embedder, 'chat.llm'],
    run: (request, context) => later(async () => (await import('./doctor.ts')).doctor(request, context)),
  }),
  evaluate: operation({
    summary: 'Measure retrieval, answers and refusals over a golden set',
    input: EvaluationRequest,
    output: EvaluationResult,
    sections: [...searching, 'chat'],
    run: (request, context) => later(async () => (await import('./evaluate.ts')).evaluate(request, context)),
  }),
  propose_questions: operation({
    summary: 'Propose questions for a golden set from what is stored',
    input: ProposalRequest,
    output: ProposalResult,
    sections: [...searching, 'chat.llm'],
    run: (request, context) => later(async () => (await import('./evaluate.ts')).propose(request, context)),
  }),
  setup_browser: operation({
    summary: 'Find the browser that renders web pages, or install one',
    input: SetupBrowserRequest,
    output: SetupBrowserResult,
    sections: [],
    run: (request, context) => later(async () => (await import('./prepare-browser.ts')).setupBrowser(request, context)),
  }),
};

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = z.input<Operations[Name]['input']>;
export type ResultOf<Name extends OperationName> = z.output<Operations[Name]['output']>;
