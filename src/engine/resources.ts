import { advice, setting } from '../core/advice/advice.ts';
import { didYouMean } from '../core/nearest.ts';
import { KbError } from '../core/errors.ts';
import { drivers, type EmbedderDriver } from '../drivers/registry.ts';
import { findProvider } from '../drivers/providers/providers.ts';
import type { Environment, Factory, ModelOptions, OwnDrivers, StoreOptions, Surface, CallSpan, Tracer } from '../ports/engines.ts';
import type { Embedder, Llm, Reranker } from '../ports/models.ts';
import type { VectorStore, Collection } from '../ports/stores.ts';
import type { LlmConfig } from '../schema/config-chat.ts';
import { BUNDLED, DRIVER_KINDS, ownNames, type OwnNames } from '../schema/provider-names.ts';
import { openQuoteLlm } from '../stages/quote/quote-llm.ts';
import { withOwnParsers } from '../drivers/documents.ts';
import { untilStopped } from '../core/run.ts';
import type { Config } from '../schema/config.ts';
import { estimateTokens, windowOf } from '../stages/chat/budget.ts';
import { HostLimiter } from '../stages/extract/pages/host-limiter.ts';
import type { Resources } from './context.ts';
import { isOperatorsStore, storeUrl } from './store-address.ts';
import type { Http } from '../http/message.ts';
import type { Renderer } from '../ports/reading.ts';

interface Driver<Options, Opened> {
  /** For a driver that runs in this process and sends no requests: what it does. */
  in_process?: string;
  open(options: Options): Promise<Opened>;
}

/** What built-in drivers get besides the settings: the variables that hold their keys. */
type WithEnv<Options> = Options & { env?: Environment | undefined };

interface LlmRow extends Driver<WithEnv<ModelOptions> & { embedder?: Embedder | undefined }, Llm> {
  /** Whether it quotes the sources, and compares with the embedder of the collection. */
  quotes?: boolean;
}

/** The built-in language models, and the answerer without one. */
const llms: Record<string, LlmRow> = {
  [BUNDLED]: { quotes: true, in_process: 'quotes the sentences that answer', open: async (options) => openQuoteLlm(options) },
  ...drivers.llms,
};

/** Whether a provider answers by quoting, without a model. */
export const isQuoting = ({ provider }: Pick<LlmConfig, 'provider'>): boolean =>
  Object.hasOwn(llms, provider) && llms[provider]!.quotes === true;

/** Describes a built-in driver that runs in this process and calls no service; undefined for others. */
export function describeInProcess(kind: 'embedders' | 'llms' | 'rerankers', provider: string): string | undefined {
  const rows: Record<string, { in_process?: string; open: unknown }> = { ...drivers, llms }[kind];
  return Object.hasOwn(rows, provider) ? rows[provider]!.in_process : undefined;
}

/** The drivers of an engine by name. Each lookup throws a KbError (`configuration`) with the nearest name if there is none. */
interface DriverTable {
  /** `model` is absent if only the opened driver knows it. */
  embedder(name: string): Partial<EmbedderDriver> & Driver<WithEnv<ModelOptions>, Embedder>;
  llm(name: string): LlmRow;
  reranker(name: string): Driver<WithEnv<ModelOptions>, Reranker>;
  store(name: string): Driver<WithEnv<StoreOptions>, VectorStore>;
}

/** Lists the names of the caller's drivers. Throws a KbError (`configuration`) for a built-in name. */
export function driverNames(own: OwnDrivers): OwnNames {
  const names = ownNames(own);
  for (const [kind, { options }] of DRIVER_KINDS) {
    const taken = names[kind]?.find((name) => options.includes(name));
    if (taken !== undefined)
      throw new KbError('configuration', `${kind}.${taken}: kb has a built-in driver with that name.`, {
        hint: 'Give yours another name.',
      });
  }
  return names;
}

/** Combines the built-in drivers with those of the caller. */
export function createDriverTable(own: OwnDrivers): DriverTable {
  const { llm: _llm, ...rerankers } = drivers.rerankers; // it needs a language model, and is opened with one
  return {
    embedder: createLookup('embedding provider', { ...drivers.embedders, ...wrapFactories(own.embedders) }),
    llm: createLookup('language model provider', { ...llms, ...wrapFactories(own.llms) }),
    reranker: createLookup('reranker', { ...rerankers, ...wrapFactories(own.rerankers) }),
    store: createLookup('vector database', { ...drivers.stores, ...wrapFactories(own.stores) }),
  };
}

/** The names of `storage.options` that a network request may set for this vector database. */
export function requestOptionsOf(vector_db: string, own: OwnDrivers): readonly string[] {
  const rows: Record<string, { requestOptions?: readonly string[] }> = { ...drivers.stores, ...own.stores };
  return Object.hasOwn(rows, vector_db) ? (rows[vector_db]!.requestOptions ?? []) : [];
}

/** Adds the known context window of the provider if none is configured; it holds at least twice `max_tokens`. */
export function withKnownWindow(llm: LlmConfig): LlmConfig {
  const known = isQuoting(llm) ? Infinity : findProvider(llm.provider)?.llm?.context_window;
  if (llm.context_window !== undefined || known === undefined) return llm;
  return { ...llm, context_window: Math.max(known, 2 * llm.max_tokens) };
}

/** Makes drivers of the factories of the calling program, which has an environment of its own. */
const wrapFactories = <Options, Opened>(
  factories: Record<string, Factory<Options, Opened>> = {},
): Record<string, Driver<WithEnv<Options>, Opened>> =>
  Object.fromEntries(
    Object.entries(factories).map(([name, factory]) => [
      name,
      { open: async ({ env: _env, ...options }) => await factory(options as Options) },
    ]),
  );

function createLookup<Entry>(kind: string, table: Record<string, Entry>): (name: string) => Entry {
  return (name) => {
    if (Object.hasOwn(table, name)) return table[name]!;
    throw new KbError('configuration', `There is no ${kind} "${name}" here.`, {
      hint:
        didYouMean(name, Object.keys(table)) ??
        `There are ${Object.keys(table).join(', ')}; a driver of one's own is given to createEngine.`,
    });
  };
}

/** Maximum resources that stay open. Requests may name any number of models and stores. */
const MAX_OPEN = 64;

interface Closable {
  close?(): Promise<void>;
}

interface ResourceCache {
  /** The resource with this key, opened if necessary. A failed opening is not cached. */
  get<T extends object>(key: readonly unknown[], open: () => Promise<T>): Promise<T>;
  clear(): Promise<void>;
}

/** Creates a cache that evicts the least recently used resource. It may still be in use, so only `clear` closes it, unless it was collected. */
export function createResourceCache(most = MAX_OPEN): ResourceCache {
  const opened = new Map<string, Promise<Closable>>();
  const evicted = new Set<WeakRef<Closable>>();
  const evict = (): void => {
    const [oldest] = opened;
    opened.delete(oldest![0]);
    void oldest![1].then(
      (thing) => evicted.add(new WeakRef(thing)),
      () => {},
    );
    for (const reference of evicted) if (!reference.deref()) evicted.delete(reference);
  };
  return {
    get(key, open) {
      const name = JSON.stringify(key);
      const known = opened.get(name);
      opened.delete(name); // re-inserted at the end: the first is the least recently used
      const opening = known ?? open();
      opened.set(name, opening);
      if (!known) opening.catch(() => opened.get(name) === opening && opened.delete(name));
      if (opened.size > most) evict();
      return opening as Promise<never>;
    },
    async clear() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      const resources = [
        ...all.map((one) => (one.status === 'fulfilled' ? one.value : undefined)),
        ...[...evicted].map((one) => one.deref()),
      ];
      evicted.clear();
      await Promise.allSettled(resources.map((thing) => thing?.close?.()));
    },
  };
}

interface ResourceOptions {
  config: Config;
  /** The base of relative store paths. */
  home: string;
  surface: Surface;
  /** Default: `process.env`. */
  environment?: Environment | undefined;
  own?: OwnDrivers | undefined;
}

/** Creates the resources of an engine. On a server, a store gets its key only if the operator named the store. */
export function createResources({
  config,
  home,
  surface,
  environment: env = process.env,
  own: ownDrivers = {},
}: ResourceOptions): Resources {
  const table = createDriverTable(ownDrivers);
  const cache = createResourceCache();
  const browser = drivers.browser();
  const openLlm: Resources['llm'] = async ({ provider, model, context_window, temperature, options: given }, embedder) => {
    const { quotes, open } = table.llm(provider);
    if (quotes) return open({ provider, model, embedder });
    const options = { temperature, ...given };
    return cache.get(['llm', provider, model, context_window, options], () => open({ provider, model, context_window, options, env }));
  };
  const workers = createResourceCache(Infinity); // resources with threads are never evicted; one per model, whatever the options
  const openEmbedder: Resources['embedder'] = async ({ provider, model, options }) => {
    const row = table.embedder(provider);
    return row.in_process
      ? withDimensions(await workers.get(['embedder', provider, model ?? row.model], () => row.open({ provider, model })), options)
      : cache.get(['embedder', provider, model, options], () => row.open({ provider, model, options, env }));
  };
  const passwords = parsePasswords(env[config.ingestion.docs.password]);
  return {
    embedder: openEmbedder,
    modelOf: async (settings) => {
      const { model } = table.embedder(settings.provider);
      return model === undefined ? (await openEmbedder(settings)).model : (settings.model ?? model);
    },
    store: (settings) => {
      const { vector_db, options } = settings;
      const url = storeUrl(settings, home);
      const isTrusted = surface === 'cli' || isOperatorsStore(settings, { config, home });
      const open = () => table.store(vector_db).open({ url, options, isTrusted, env });
      return untilStopped(cache.get(['store', vector_db, url, options], open)); // shared with other runs, so only the wait is stopped
    },
    reranker: async ({ provider, model, options }, llm) => {
      if (provider !== 'llm')
        return cache.get(['reranker', provider, model, options], () => table.reranker(provider).open({ provider, model, options, env }));
      const context_window = model === undefined || model === llm.model ? llm.context_window : undefined; // applies to the model of chat.llm only
      const grader = { ...llm, context_window, model: model ?? llm.model, options: { ...llm.options, ...options } };
      const window = { tokens: windowOf(withKnownWindow(grader)).tokens, estimate: estimateTokens };
      const { max_tokens, timeout } = llm;
      return drivers.rerankers.llm.open({ llm: await openLlm(grader, undefined), max_tokens, timeout, window });
    },
    llm: openLlm,
    reader: async ({ docs: { ocr, ocr_languages }, html }) => {
      const readers = await workers.get(['readers'], () => drivers.readers());
      const { parsers } = await workers.get(['parsers'], async () => ({ parsers: await openParsers(ownDrivers.parsers) }));
      return withOwnParsers(readers.open({ ocr, languages: ocr_languages, passwords, html }), parsers);
    },
    renderer: browser.renderer,
    host_limiter: new HostLimiter(),
    close: async () => void (await Promise.all([cache.clear(), workers.clear(), browser.close()])),
  };
}

/** Returns an embedder whose vectors have one length. Throws a KbError (`configuration`) if the options ask for another length. */
function withDimensions(embedder: Embedder, { dimensions = embedder.dimensions }: { dimensions?: unknown } = {}): Embedder {
  if (dimensions === embedder.dimensions) return embedder;
  const { provider, model } = embedder;
  throw new KbError(
    'configuration',
    `${provider} makes vectors of ${embedder.dimensions} numbers with ${model}, not of ${JSON.stringify(dimensions)}.`,
    { hint: advice`Leave dimensions out of ${setting('embedding.options')}.` },
  );
}

const openParsers = (parsers: OwnDrivers['parsers'] = {}) => Promise.all(Object.values(parsers).map(async (open) => await open()));

/** Methods of a collection that are recorded, by the name of their span. */
const COLLECTION_SPANS = {
  search: 'search',
  get: 'read',
  sources: 'read',
  replace: 'store',
  upsert: 'store',
  delete: 'delete',
  optimize: 'optimize',
} as const satisfies Partial<Record<keyof Collection, string>>;

/** Names a request span, with the host only: the rest of an address may hold credentials. */
const requestSpan = (name: string): CallSpan => ({
  name,
  attributesOf: (address) => ({ 'server.address': URL.parse(String(address))?.hostname ?? '' }),
});

/** Records each request and each opened page of a run as a span. */
export const traceNetwork = <T extends { http: Http; renderer: Renderer }>(parts: T, tracer: Tracer): T => ({
  ...parts,
  http: tracer.instrument(parts.http, { request: requestSpan('fetch') }),
  renderer: tracer.instrument(parts.renderer, { render: requestSpan('render') }),
});

/** Records the work of models, stores and parsers as spans. */
export function traceResources(resources: Resources, tracer: Tracer): Resources {
  const collection = (found: Collection) => tracer.instrument(found, COLLECTION_SPANS);
  const store = (opened: VectorStore): VectorStore =>
    new Proxy(opened, {
      get(target, name) {
        if (name === 'open') return async (wanted: string) => ((found) => found && collection(found))(await target.open(wanted));
        if (name === 'create') return async (info: Parameters<VectorStore['create']>[0]) => collection(await target.create(info));
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return {
    ...resources,
    embedder: async (...args) => tracer.instrument(await resources.embedder(...args), { embed: 'embed' }),
    reranker: async (...args) => tracer.instrument(await resources.reranker(...args), { rank: 'rerank' }),
    llm: async (...args) => tracer.instrument(await resources.llm(...args), { generate: 'generate' }),
    reader: async (...args) => tracer.instrument(await resources.reader(...args), { read: 'parse' }),
    store: async (...args) => store(await resources.store(...args)),
  };
}

/** Parses passwords in an environment variable, one per line. */
const parsePasswords = (text = ''): string[] => text.split(/\r?\n/).filter((line) => line !== '');
