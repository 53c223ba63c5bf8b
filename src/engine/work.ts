import type { Run } from '../core/run.ts';
import type { Config } from '../schema/config.ts';
import type { OperationName, operations, ResultOf } from '../schema/operations.ts';
import type { z } from 'zod';
import { assertConfigured, assertSources, type Context } from './context.ts';

/** A validated request with its defaults. */
type Checked<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>;

/** The implementation of an operation. */
export interface Work<Request = unknown, Result = unknown> {
  /** Throws a KbError for a valid request that makes no sense with these settings. */
  check?(request: Request, settings: Config): void;
  run(request: Request, context: Context): Run<Result>;
}

/** An implementation that is imported on its first call: the table itself loads nothing heavy. */
const lazily = <Request, Result>(load: () => Promise<(request: Request, context: Context) => Run<Result>>) =>
  async function* (request: Request, context: Context): Run<Result> {
    return yield* (await load())(request, context);
  };

const convertUploads = lazily(async () => (await import('./parse-sources.ts')).upload);
const storeUploads = lazily(async () => (await import('./ingest.ts')).ingestUploads);

/** The implementation of each operation. */
export const work: { [Name in OperationName]: Work<Checked<Name>, ResultOf<Name>> } = {
  ingest: { check: assertSources, run: lazily(async () => (await import('./ingest.ts')).ingest) },
  watch: {
    check: assertConfigured,
    run: lazily(async () => {
      const [{ watchSources }, { ingest }] = await Promise.all([import('./watching/watch-sources.ts'), import('./ingest.ts')]);
      return (_request, context) => watchSources(context, ingest);
    }),
  },
  parse: { run: lazily(async () => (await import('./parse-sources.ts')).parse) },
  upload: { run: (request, context) => (request.store ? storeUploads : convertUploads)(request, context) },
  scrape: { run: lazily(async () => (await import('./parse-sources.ts')).scrape) },
  fetch: { run: lazily(async () => (await import('./parse-sources.ts')).fetchApis) },
  chunk: { run: lazily(async () => (await import('./chunks.ts')).chunk) },
  embed: { run: lazily(async () => (await import('./chunks.ts')).embed) },
  store: { run: lazily(async () => (await import('./chunks.ts')).storeEmbedded) },
  edit: { run: lazily(async () => (await import('./chunks.ts')).editStored) },
  delete: { run: lazily(async () => (await import('./chunks.ts')).deleteStored) },
  retrieve: { run: lazily(async () => (await import('./query.ts')).retrieve) },
  query: { run: lazily(async () => (await import('./query.ts')).retrieveInBlocks) },
  chat: { run: lazily(async () => (await import('./query.ts')).chat) },
  list_collections: { run: lazily(async () => (await import('./manage.ts')).listCollections) },
  show_collection: { run: lazily(async () => (await import('./manage.ts')).showCollection) },
  drop_collection: { run: lazily(async () => (await import('./manage.ts')).dropCollection) },
  export_collection: { run: lazily(async () => (await import('./transfer.ts')).exportCollection) },
  import_collection: { run: lazily(async () => (await import('./transfer.ts')).importCollection) },
  reembed_collection: { run: lazily(async () => (await import('./manage.ts')).reembed) },
  list_sources: { run: lazily(async () => (await import('./sources/list-sources.ts')).listSources) },
  get_source: { run: lazily(async () => (await import('./sources/get-source.ts')).getSource) },
  delete_source: { run: lazily(async () => (await import('./sources/get-source.ts')).deleteSource) },
  copy_collection: { run: lazily(async () => (await import('./upkeep/copy-collection.ts')).copyCollection) },
  optimize_collection: { run: lazily(async () => (await import('./upkeep/copy-collection.ts')).optimizeCollection) },
  create_snapshot: { run: lazily(async () => (await import('./upkeep/snapshots.ts')).takeSnapshot) },
  list_snapshots: { run: lazily(async () => (await import('./upkeep/snapshots.ts')).listSnapshots) },
  restore_snapshot: { run: lazily(async () => (await import('./upkeep/snapshots.ts')).restoreSnapshot) },
  delete_snapshot: { run: lazily(async () => (await import('./upkeep/snapshots.ts')).deleteSnapshot) },
  doctor: { run: lazily(async () => (await import('./doctor.ts')).doctor) },
  evaluate: { run: lazily(async () => (await import('./evaluate.ts')).evaluate) },
  propose_questions: { run: lazily(async () => (await import('./evaluate.ts')).propose) },
  setup_browser: { run: lazily(async () => (await import('./prepare-browser.ts')).setupBrowser) },
};
