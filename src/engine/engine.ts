import type { z } from 'zod';
import { didYouMean } from '../core/nearest.ts';
import { withWording } from '../core/advice/advice.ts';
import { commandLineWording } from '../core/advice/wordings.ts';
import { type AccessRights, assertScope } from '../core/access-rights.ts';
import { explainChunkingConflict, explainRequestedOverlap, parseRequest } from '../core/parse-request.ts';
import { validateConfig } from '../config/load.ts';
import { KbError } from '../core/errors.ts';
import { mergeLayers, readOverrides } from '../core/settings.ts';
import { mapEvents, type Run, withSignal, runInContext } from '../core/run.ts';
import { type OperationName, operations, type ResultOf } from '../schema/operations.ts';
import { Config } from '../schema/config.ts';
import type { Event } from '../schema/results.ts';
import type { Engine, EngineOptions } from '../ports/engines.ts';
import { withOwnNames } from '../schema/provider-names.ts';
import { driverNames, requestOptionsOf, createResources, traceResources } from './resources.ts';
import { assertCollections, assertPermitted, requestedCollections, requestDefaults, requestedStores } from './permissions.ts';
import { withRowFilter } from './row-filter.ts';
import { stateFilter } from './state-files.ts';
import { assertSourcesConfigured, assertSources, type Context, type Resources } from './context.ts';

/** Creates an engine. Nothing is opened before the first run. Throws a KbError (`configuration`) for an invalid configuration, and for an own driver with a built-in name. */
export function createEngine(engineOptions: EngineOptions): Engine {
  const { config, home = process.cwd(), cwd = home, file, surface = 'cli', environment = process.env, tracer, ...own } = engineOptions;
  const surroundings = { home, cwd, surface, environment, tracer };
  const names = driverNames(own);
  const schema = withOwnNames(Config, names);
  validateConfig(config, (path) => path, schema);
  const opened = createResources({ config, home, surface, environment, own });
  const resources = tracer ? traceResources(opened, tracer) : opened;
  const prepare = (name: OperationName, request: unknown, access: AccessRights | undefined) => {
    const known = operationNamed(name);
    assertScope(access, operations[known].scope);
    const input = withOwnNames(operations[known].input as z.ZodType, names);
    const given = parseRequest(input, request);
    const layer = readOverrides(input, given);
    const isRequested = surface === 'server' || access !== undefined;
    const settings = schema.parse(mergeLayers(isRequested ? requestDefaults(config) : config, layer));
    const namesOverlap = (layer.chunking as { chunk_overlap?: number } | undefined)?.chunk_overlap !== undefined;
    const unfit = explainChunkingConflict(settings.chunking) ?? (namesOverlap ? explainRequestedOverlap(settings.chunking) : undefined);
    if (unfit) throw new KbError('usage', unfit);
    const collections = requestedCollections(known, given, settings);
    const places = requestedStores(known, given, { layer, settings });
    assertCollections(access, collections, { places, config, home });
    const { check, run } = implementations[known] as OperationImplementation;
    check?.(given, settings);
    const isState = stateFilter({ config, home, file });
    if (isRequested)
      for (const place of places)
        assertPermitted({ ...place, config, home, cwd, isState, requestOptions: requestOptionsOf(place.settings.storage.vector_db, own) });
    return { run, given, settings, collections, isRequested, isState };
  };
  return {
    config,
    async *run(name, request, options = {}) {
      const { signal, access, traceparent, wording = commandLineWording, onBegin, lists = true, hasMore = false } = options;
      const enter = <T>(work: () => T): T => withWording(wording, work);
      const { run, given, settings, collections, ...rights } = enter(() => prepare(name, request, access));
      onBegin?.(collections);
      const permitted = withAccess(resources, access);
      const steps = run(given, { ...surroundings, settings, resources: permitted, access, ...rights, signal, lists, hasMore });
      const running = runInContext(withSignal(steps, signal), enter);
      const isSpan = name !== 'watch'; // a watch ends with the process: each of its ingests is a span
      return (yield* numberEvents((isSpan && tracer?.run(name, running, { traceparent })) || running)) as ResultOf<typeof name>;
    },
    check: (name, request, { access, wording = commandLineWording } = {}) =>
      withWording(wording, () => prepare(name, request, access)).collections,
    collections: async ({ access } = {}) =>
      (await import('./collections.ts')).permittedCollections({ settings: config, resources, access }),
    embeddingModel: async () => (await (await import('./collections.ts')).embedderName({ settings: config, resources })).model,
    close: () => resources.close(),
  };
}

/** Restricts the stores of a run to the chunks that its caller may use. */
function withAccess(resources: Resources, access: AccessRights | undefined): Resources {
  const { name, filter } = access ?? {};
  if (name === undefined || filter === undefined) return resources;
  return { ...resources, store: async (settings) => withRowFilter(await resources.store(settings), { name, filter }) };
}

function operationNamed(name: string): OperationName {
  if (Object.hasOwn(operations, name)) return name as OperationName;
  throw new KbError('usage', `There is no operation "${name}".`, {
    hint: didYouMean(name, Object.keys(operations)) ?? `There are ${Object.keys(operations).join(', ')}.`,
  });
}

function numberEvents<R>(run: Run<R>): AsyncGenerator<Event, R, void> {
  let sequence = 0;
  return mapEvents(run, (event) => ({ ...event, sequence: sequence++ }));
}

type ParsedRequestOf<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>;

/** The implementation of an operation. */
interface OperationImplementation<Request = unknown, Result = unknown> {
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
const implementations: { [Name in OperationName]: OperationImplementation<ParsedRequestOf<Name>, ResultOf<Name>> } = {
  ingest: { check: assertSources, run: lazily(async () => (await import('./ingest.ts')).ingest) },
  watch: {
    check: assertSourcesConfigured,
    run: lazily(async () => {
      const [{ watchSources }, { ingest }] = await Promise.all([import('./watch-sources.ts'), import('./ingest.ts')]);
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
  export_collection: { run: lazily(async () => (await import('./copies/transfer.ts')).exportCollection) },
  import_collection: { run: lazily(async () => (await import('./copies/transfer.ts')).importCollection) },
  reembed_collection: { run: lazily(async () => (await import('./manage.ts')).reembed) },
  list_sources: { run: lazily(async () => (await import('./stored-source.ts')).listSources) },
  get_source: { run: lazily(async () => (await import('./stored-source.ts')).getSource) },
  delete_source: { run: lazily(async () => (await import('./stored-source.ts')).deleteSource) },
  copy_collection: { run: lazily(async () => (await import('./copies/copy-collection.ts')).copyCollection) },
  optimize_collection: { run: lazily(async () => (await import('./manage.ts')).optimizeCollection) },
  create_snapshot: { run: lazily(async () => (await import('./copies/snapshots.ts')).takeSnapshot) },
  list_snapshots: { run: lazily(async () => (await import('./copies/snapshots.ts')).listSnapshots) },
  restore_snapshot: { run: lazily(async () => (await import('./copies/snapshots.ts')).restoreSnapshot) },
  verify_snapshot: { run: lazily(async () => (await import('./copies/snapshots.ts')).verifySnapshot) },
  delete_snapshot: { run: lazily(async () => (await import('./copies/snapshots.ts')).deleteSnapshot) },
  doctor: { run: lazily(async () => (await import('./doctor.ts')).doctor) },
  evaluate: { run: lazily(async () => (await import('./evaluate.ts')).evaluate) },
  propose_questions: { run: lazily(async () => (await import('./evaluate.ts')).propose) },
  setup_browser: { run: lazily(async () => (await import('./doctor.ts')).setupBrowser) },
  setup_ocr: { run: lazily(async () => (await import('./doctor.ts')).setupOcr) },
};
