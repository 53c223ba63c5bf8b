import { KbError } from '../core/errors.ts';
import { createFilterMatcher } from '../core/filters.ts';
import type { Collection, SourceContent, StoredChunk, VectorStore } from '../ports/stores.ts';
import type { Filter } from '../schema/stored/filter.ts';

/** The chunks that a token may read and write. */
interface RowFilter {
  /** Name of the token. */
  name: string;
  filter: Filter;
}

/** Sources that are listed at once. */
const PAGE_SIZE = 10_000;

/**
 * Restricts a store to the chunks that match the filter of a token. All operations of a run use this view, so none can forget the filter. Reads return
 * matching chunks only. Writes throw a KbError (`forbidden`) for a chunk that does not match or would replace one that does not. Whole collections
 * cannot be replaced or removed.
 */
export function withRowFilter(store: VectorStore, rows: RowFilter): VectorStore {
  const refuse = async (): Promise<never> => {
    throw new KbError('forbidden', `The token "${rows.name}" has a filter: it cannot replace, copy or remove whole collections.`, {
      hint: 'Use a token without a filter.',
    });
  };
  return {
    provider: store.provider,
    collections: () => store.collections(),
    open: async (name) => {
      const collection = await store.open(name);
      return collection && { ...readsOf(collection, rows), ...writesOf(collection, rows) };
    },
    create: async (info) => {
      const collection = await store.create(info);
      return { ...readsOf(collection, rows), ...writesOf(collection, rows) };
    },
    draft: refuse,
    copy: refuse,
    drop: refuse,
    lock: (name, options) => store.lock(name, options),
    close: () => store.close(),
  };
}

type Writes = Pick<Collection, 'replace' | 'upsert' | 'delete' | 'optimize'>;

function readsOf(collection: Collection, { filter }: RowFilter): Omit<Collection, keyof Writes> {
  const matches = createFilterMatcher(filter);
  const narrow = <Request extends { filter?: Filter | undefined }>(request: Request): Request => ({
    ...request,
    filter: request.filter ? { and: [filter, request.filter] } : filter,
  });
  const contents = async (sources: readonly string[]) => await matchingContents(collection, { sources, filter });
  return {
    info: collection.info,
    get: async (ids) => (await collection.get(ids)).filter(matches),
    async *all(options) {
      for await (const page of collection.all(options)) yield page.filter(matches);
    },
    async sources() {
      const visible = new Set<string>();
      for await (const page of listSources(collection, filter)) for (const source of page) visible.add(source);
      return new Map([...(await collection.sources())].filter(([source]) => visible.has(source)));
    },
    sourcePage: (request) => collection.sourcePage(narrow(request)),
    contents,
    search: (request) => collection.search(narrow(request)),
    ...(collection.searchAll ? { searchAll: (requests) => collection.searchAll!(requests.map(narrow)) } : {}),
    ...(collection.withVectors ? { withVectors: (chunks) => collection.withVectors!(chunks) } : {}),
    async count() {
      let chunks = 0;
      for await (const page of listSources(collection, filter))
        for (const content of (await contents(page)).values()) chunks += content.chunks;
      return chunks;
    },
    bytes: async () => null,
  };
}

/** Yields the sources with chunks that match, in pages. */
async function* listSources(collection: Collection, filter: Filter): AsyncGenerator<string[], void, void> {
  for (let after: string | undefined; ;) {
    const { sources } = await collection.sourcePage({ filter, after, limit: PAGE_SIZE });
    if (sources.length > 0) yield sources;
    if (sources.length < PAGE_SIZE) return;
    after = sources.at(-1);
  }
}

/** Selects which of the sources have chunks that match. */
const selectSources = async (collection: Collection, sources: readonly string[], filter: Filter): Promise<string[]> =>
  sources.length === 0
    ? []
    : (await collection.sourcePage({ filter: { and: [{ source: { in: [...sources] } }, filter] }, limit: sources.length })).sources;

/** Reads the size and metadata of sources from their matching chunks only. */
async function matchingContents(
  collection: Collection,
  { sources, filter }: { sources: readonly string[]; filter: Filter },
): Promise<Map<string, SourceContent>> {
  const visible = await selectSources(collection, sources, filter);
  const contents = await collection.contents(visible);
  const matches = createFilterMatcher(filter);
  for (const source of await selectSources(collection, visible, { not: filter })) {
    const chunks: StoredChunk[] = [];
    for await (const page of collection.all({ source })) chunks.push(...page.filter(matches));
    const characters = chunks.reduce((sum, { text }) => sum + text.length, 0);
    contents.set(source, { chunks: chunks.length, characters, metadata: chunks[0]?.metadata ?? {} });
  }
  return contents;
}

function writesOf(collection: Collection, { name, filter }: RowFilter): Writes {
  const matches = createFilterMatcher(filter);
  const refuse = (written: string, reason: string): never => {
    throw new KbError('forbidden', `The token "${name}" cannot write ${written}: ${reason}.`, {
      hint: `Its filter is ${JSON.stringify(filter)}: send metadata that matches, and use names of sources that no other document has.`,
    });
  };
  const assertWritable = async (chunks: readonly StoredChunk[], replaced: readonly string[]): Promise<void> => {
    const unfit = chunks.find((chunk) => !matches(chunk));
    if (unfit) refuse(`"${unfit.source}"`, 'the metadata does not match the filter of the token');
    const [hidden] = await selectSources(collection, [...new Set(replaced)], { not: filter });
    if (hidden !== undefined) refuse(`"${hidden}"`, 'it has stored chunks that do not match the filter of the token');
    const foreign = (await collection.get(chunks.map(({ id }) => id))).find((chunk) => !matches(chunk));
    // its source may be one that the token must not know of
    if (foreign) refuse(`the chunk "${foreign.id}"`, 'a stored chunk with this id does not match the filter of the token');
  };
  return {
    async replace(replacements) {
      await assertWritable(
        replacements.flatMap(({ chunks }) => chunks),
        replacements.map(({ source }) => source),
      );
      await collection.replace(replacements);
    },
    async upsert(chunks, options) {
      await assertWritable(
        chunks,
        chunks.map(({ source }) => source),
      );
      await collection.upsert(chunks, options);
    },
    async delete(where) {
      if ('ids' in where) {
        const visible = (await collection.get(where.ids)).filter(matches);
        return await collection.delete({ ids: visible.map(({ id }) => id) });
      }
      const wanted = 'source' in where ? { source: where.source } : where.filter;
      return await collection.delete({ filter: { and: [filter, wanted] } });
    },
    optimize: (options) => collection.optimize(options),
  };
}
