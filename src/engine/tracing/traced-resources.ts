import type { CallSpan, Tracer } from '../../ports/tracing.ts';
import type { Http } from '../../http/message.ts';
import type { Renderer } from '../../ports/reading.ts';
import type { Collection, VectorStore } from '../../ports/stores.ts';
import type { Resources } from '../context.ts';

/** Methods of a collection that wait for the store. */
const COLLECTION = {
  search: 'search',
  get: 'read',
  sources: 'read',
  replace: 'store',
  upsert: 'store',
  delete: 'delete',
  optimize: 'optimize',
} as const satisfies Partial<Record<keyof Collection, string>>;

/** A span of a request to an address: only its host is told, since the rest may hold credentials. */
const requestSpan = (name: string): CallSpan => ({
  name,
  about: (address) => ({ 'server.address': URL.parse(String(address))?.hostname ?? '' }),
});

/** The same door to the network and browser; each request that a run makes, and each page that it opens, is recorded. */
export const tracedNetwork = <T extends { http: Http; renderer: Renderer }>(parts: T, tracer: Tracer): T => ({
  ...parts,
  http: tracer.instrument(parts.http, { request: requestSpan('fetch') }),
  renderer: tracer.instrument(parts.renderer, { render: requestSpan('render') }),
});

/** The same resources; what their models, stores and parsers do is recorded. */
export function tracedResources(resources: Resources, tracer: Tracer): Resources {
  const collection = (found: Collection) => tracer.instrument(found, COLLECTION);
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
    reader: async () => tracer.instrument(await resources.reader(), { read: 'parse' }),
    store: async (...args) => store(await resources.store(...args)),
  };
}
