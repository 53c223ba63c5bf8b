import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { drivers } from '../drivers/registry.ts';
import type { DocumentReader, Embedder, Llm, Reranker, VectorStore } from '../ports.ts';
import type { Config } from '../schema/config.ts';

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
export function storeUrl({ url, vector_db }: Config['storage'], home: string): string {
  const given = url ?? drivers.stores[vector_db].url;
  return /^[a-z][a-z0-9+]+:\/\//i.test(given) || isAbsolute(given) ? given : resolve(home, given);
}

/** Resources for one engine; relative store paths are relative to `home`. */
export function createResources(home: string): Resources {
  const opened = new Map<string, Promise<{ close?(): Promise<void> }>>();
  const once = <T extends object>(key: unknown, open: () => Promise<T>): Promise<T> => {
    const name = JSON.stringify(key);
    const known = opened.get(name);
    if (known) return known as Promise<T>;
    const opening = open();
    opened.set(name, opening);
    opening.catch(() => opened.delete(name)); // what could not be opened is tried again when it is asked for again
    return opening;
  };
  return {
    embedder: ({ provider, model, options }) =>
      once(['embedder', provider, model, options], () => drivers.embedders[provider].open({ provider, model, options })),
    store: (settings) => {
      const url = storeUrl(settings, home);
      return once(['store', settings.vector_db, url, settings.options], () =>
        drivers.stores[settings.vector_db].open({ url, options: settings.options }),
      );
    },
    reranker: ({ provider, model, options }) =>
      once(['reranker', provider, model, options], () => drivers.rerankers[provider].open({ model, options })),
    llm: ({ provider, model, options }, embedder) =>
      once(['llm', provider, model, options, embedder?.provider, embedder?.model], () =>
        drivers.llms[provider].open({ provider, model, options, embedder }),
      ),
    reader: () => once(['reader'], () => drivers.reader(READER)),
    close: async () => {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.allSettled(all.map((result) => (result.status === 'fulfilled' ? result.value.close?.() : undefined)));
    },
  };
}
