import type { Run } from '../core/run.ts';
import type { Config } from '../schema/config.ts';
import type { OperationName, operations, ResultOf } from '../schema/operations.ts';
import type { z } from 'zod';
import { assertSources, type Context } from './context.ts';

/** What a request is once it is checked, with its defaults. */
type Checked<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>;

/** How an operation is done. */
export interface Work<Request = unknown, Result = unknown> {
  /** Throws a KbError for a request that fits, but means nothing with these settings. */
  check?(request: Request, settings: Config): void;
  run(request: Request, context: Context): Run<Result>;
}

/** A run whose module is imported when it is asked for: the table itself loads nothing heavy. */
async function* later<R>(load: () => Promise<Run<R>>): Run<R> {
  return yield* await load();
}

/** How each operation of the table is done. */
export const work: { [Name in OperationName]: Work<Checked<Name>, ResultOf<Name>> } = {
  ingest: { check: assertSources, run: (request, context) => later(async () => (await import('./ingest.ts')).ingest(request, context)) },
  parse: { run: (request, context) => later(async () => (await import('./parse-sources.ts')).parse(request, context)) },
  upload: { run: (request, context) => later(async () => (await import('./parse-sources.ts')).upload(request, context)) },
  scrape: { run: (request, context) => later(async () => (await import('./parse-sources.ts')).scrape(request, context)) },
  fetch: { run: (request, context) => later(async () => (await import('./parse-sources.ts')).fetchApis(request, context)) },
  chunk: { run: (request, context) => later(async () => (await import('./chunks.ts')).chunk(request, context)) },
  embed: { run: (request, context) => later(async () => (await import('./chunks.ts')).embed(request, context)) },
  store: { run: (request, context) => later(async () => (await import('./chunks.ts')).storeEmbedded(request, context)) },
  edit: { run: (request, context) => later(async () => (await import('./chunks.ts')).editStored(request, context)) },
  delete: { run: (request, context) => later(async () => (await import('./chunks.ts')).deleteStored(request, context)) },
  retrieve: { run: (request, context) => later(async () => (await import('./query.ts')).retrieve(request, context)) },
  query: { run: (request, context) => later(async () => (await import('./query.ts')).retrieveInBlocks(request, context)) },
  chat: { run: (request, context) => later(async () => (await import('./query.ts')).chat(request, context)) },
  list_collections: { run: (request, context) => later(async () => (await import('./manage.ts')).listCollections(request, context)) },
  show_collection: { run: (request, context) => later(async () => (await import('./manage.ts')).showCollection(request, context)) },
  drop_collection: { run: (request, context) => later(async () => (await import('./manage.ts')).dropCollection(request, context)) },
  export_collection: { run: (request, context) => later(async () => (await import('./transfer.ts')).exportCollection(request, context)) },
  import_collection: { run: (request, context) => later(async () => (await import('./transfer.ts')).importCollection(request, context)) },
  reembed_collection: { run: (request, context) => later(async () => (await import('./manage.ts')).reembed(request, context)) },
  doctor: { run: (request, context) => later(async () => (await import('./doctor.ts')).doctor(request, context)) },
  evaluate: { run: (request, context) => later(async () => (await import('./evaluate.ts')).evaluate(request, context)) },
  propose_questions: { run: (request, context) => later(async () => (await import('./evaluate.ts')).propose(request, context)) },
  setup_browser: { run: (request, context) => later(async () => (await import('./prepare-browser.ts')).setupBrowser(request, context)) },
};
