import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { KbError } from '../base/errors.ts';
import { drivers } from '../drivers/registry.ts';
import type { DocumentReader, Embedder, Llm, Reranker, VectorStore } from '../ports.ts';
import type { Config } from '../schema/config.ts';
import { createShelf } from './shelf.ts';

/** What is opened when it is first needed, shared by all that ask for the same, and closed with the engine. */
export interface Resources {
  embedder(settings: Config['embedding'] & { provider: keyof typeof drivers.embedders }): Promise<Embedder>;
  store(settings: Config['storage']): Promise<VectorStore>;
  reranker(settings: Config['rerank']): Promise<Reranker>;
  /** `embedder` helps an answerer that compares sentences; undefined where the collection has no vectors. */
  llm(settings: Config['chat']['llm'], embedder: Embedder | undefined): Promise<Llm>;
  reader(): Promise<DocumentReader>;
  close(): Promise<void>;
}

const READER = { threads: Math.min(4, availableParallelism()), seconds: 120, megabytes: 1024 };

/** The address of a store: as given where it is an address, else a path relative to `home`. */
export function storeUrl({ url, vector_db }: Pick<Config['storage'], 'url' | 'vector_db'>, home: string): string {
  const given = url ?? drivers.stores[vector_db].url;
  return /^[a-z][a-z0-9+]+:\/\//i.test(given) || isAbsolute(given) ? given : resolve(home, given);
}

/** The folder of this machine where what belongs to a store and not into it may lie: the store's own, or `.kb` where it is elsewhere. */
export function storeFolder(storage: Config['storage'], home: string): string {
  const url = storeUrl(storage, home);
  return isAbsolute(url) ? url : resolve(home, '.kb');
}

/** Resources for one engine; relative store paths are relative to `home`. */
export function createResources(home: string): Resources {
  const shelf = createShelf();
  const own = createShelf(Infinity); // what has threads of this process: never let go, and one of each, whatever options a request names
  return {
    embedder: ({ provider, model, options }) =>
      provider === 'local'
        ? bundled(model, () => own.get(['embedder'], () => drivers.embedders.local.open()))
        : shelf.get(['embedder', provider, model, options], () => drivers.embedders[provider].open({ provider, model, options })),
    store: (settings) => {
      const url = storeUrl(settings, home);
      return shelf.get(['store', settings.vector_db, url], () =>
        drivers.stores[settings.vector_db].open({ url, options: settings.options }),
      );
    },
    reranker: ({ provider, model, options }) =>
      shelf.get(['reranker', provider, model, options], () => drivers.rerankers[provider].open({ model, options })),
    llm: ({ provider, model, options }, embedder) =>
      shelf.get(provider === 'local' ? ['llm', provider, embedder?.provider, embedder?.model] : ['llm', provider, model, options], () =>
        drivers.llms[provider].open({ provider, model, options, embedder }),
      ),
    reader: () => own.get(['reader'], () => drivers.reader(READER)),
    close: async () => void (await Promise.all([shelf.clear(), own.clear()])),
  };
}

/** There is one bundled model: another name would be written on vectors that are not of it. */
async function bundled(model: string | undefined, open: () => Promise<Embedder>): Promise<Embedder> {
  if (model === undefined || model === drivers.embedders.local.model) return await open();
  throw new KbError('configuration', `The provider local has no embedding model «${model}»; it has ${drivers.embedders.local.model}.`, {
    hint: 'Leave embedding.model out, or name the provider that has it in embedding.provider.',
  });
}
