import { didYouMean } from '../core/nearest.ts';
import { KbError } from '../core/errors.ts';
import { drivers, type EmbedderDriver } from '../drivers/registry.ts';
import { providerNamed } from '../drivers/providers/providers.ts';
import type { Factory, ModelOptions, OwnDrivers, StoreOptions } from '../ports/drivers.ts';
import type { Embedder, Llm, Reranker } from '../ports/models.ts';
import type { VectorStore } from '../ports/stores.ts';
import type { LlmConfig } from '../schema/config-chat.ts';
import { BUNDLED, DRIVER_KINDS, ownNames, type OwnNames } from '../schema/provider-names.ts';
import { openQuoteLlm } from '../stages/quote/quote-llm.ts';

interface Driver<Options, Opened> {
  /** Of a driver that runs in this process and asks nobody: what it does. */
  in_process?: string;
  open(options: Options): Promise<Opened>;
}

interface LlmRow extends Driver<ModelOptions & { embedder?: Embedder | undefined }, Llm> {
  /** It quotes the sources, and compares with the embedder of whoever asks. */
  quotes?: boolean;
}

/** The built-in language models, and the answer without one. */
const llms: Record<string, LlmRow> = {
  [BUNDLED]: { quotes: true, in_process: 'quotes the sentences that answer', open: async (options) => openQuoteLlm(options) },
  ...drivers.llms,
};

/** Whether a provider answers by quoting, without a model. */
export const isQuoting = ({ provider }: Pick<LlmConfig, 'provider'>): boolean =>
  Object.hasOwn(llms, provider) && llms[provider]!.quotes === true;

/** Describes a built-in driver that runs in this process and calls no service; undefined for others. */
export function inProcess(kind: 'embedders' | 'llms' | 'rerankers', provider: string): string | undefined {
  const rows: Record<string, { in_process?: string; open: unknown }> = { ...drivers, llms }[kind];
  return Object.hasOwn(rows, provider) ? rows[provider]!.in_process : undefined;
}

/** The built-in and own drivers of an engine by name. Each lookup throws a KbError (`configuration`) with the nearest name if there is none. */
interface DriverTable {
  /** `model` is absent if only the opened driver knows it. */
  embedder(name: string): Partial<EmbedderDriver> & Driver<ModelOptions, Embedder>;
  llm(name: string): LlmRow;
  reranker(name: string): Driver<ModelOptions, Reranker>;
  store(name: string): Driver<StoreOptions, VectorStore>;
}

/** The names of own drivers. Throws a KbError (`configuration`) for a name that a built-in driver has. */
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

/** The built-in drivers and own drivers. */
export function driverTable(own: OwnDrivers): DriverTable {
  const { llm: _llm, ...rerankers } = drivers.rerankers; // it needs a language model, and is opened with one
  return {
    embedder: lookup('embedding provider', { ...drivers.embedders, ...toDrivers(own.embedders) }),
    llm: lookup('language model provider', { ...llms, ...toDrivers(own.llms) }),
    reranker: lookup('reranker', { ...rerankers, ...toDrivers(own.rerankers) }),
    store: lookup('vector database', { ...drivers.stores, ...toDrivers(own.stores) }),
  };
}

/** The names of `storage.options` that a network request may set for this vector database. */
export function requestOptionsOf(vector_db: string, own: OwnDrivers): readonly string[] {
  const rows: Record<string, { requestOptions?: readonly string[] }> = { ...drivers.stores, ...own.stores };
  return Object.hasOwn(rows, vector_db) ? (rows[vector_db]!.requestOptions ?? []) : [];
}

/** Adds the known context window of the provider if none is configured; it holds at least twice `max_tokens`. */
export function withKnownWindow(llm: LlmConfig): LlmConfig {
  const known = isQuoting(llm) ? Infinity : providerNamed(llm.provider)?.llm?.context_window;
  if (llm.context_window !== undefined || known === undefined) return llm;
  return { ...llm, context_window: Math.max(known, 2 * llm.max_tokens) };
}

const toDrivers = <Options, Opened>(factories: Record<string, Factory<Options, Opened>> = {}): Record<string, Driver<Options, Opened>> =>
  Object.fromEntries(Object.entries(factories).map(([name, factory]) => [name, { open: async (options) => await factory(options) }]));

function lookup<Entry>(kind: string, table: Record<string, Entry>): (name: string) => Entry {
  return (name) => {
    if (Object.hasOwn(table, name)) return table[name]!;
    throw new KbError('configuration', `There is no ${kind} «${name}» here.`, {
      hint:
        didYouMean(name, Object.keys(table)) ??
        `There are ${Object.keys(table).join(', ')}; a driver of one's own is given to createEngine.`,
    });
  };
}
