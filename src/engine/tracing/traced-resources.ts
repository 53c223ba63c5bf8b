import type { Tracer } from '../../ports/tracing.ts';
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
