import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection, CollectionInfo, Replacement, SearchRequest, StoredChunk, Where } from '../../../ports/stores.ts';
import { assertVectors } from '../vectors.ts';
import { columnsRead, reader, toArrow, toChunks } from './columns.ts';
import { folderOf } from './lancedb-connection.ts';
import type { TableHolder } from './table-holder.ts';
import { searchTable } from './search-table.ts';
import { scanChunks, sourceContents, storedSources } from './scan.ts';
import { bringUpToDate } from './upkeep.ts';
import { readSourcePage } from './source-page.ts';
import { inList, whereSql } from './lancedb-filter.ts';

/** Ids of one query. */
const MOST_IDS = 1_000;

/** The collection whose rows `holder` holds. */
export function lanceCollection(holder: TableHolder): Collection {
  return {
    get info(): CollectionInfo {
      const { table: _table, ...info } = holder.entry;
      return info;
    },
    replace: (replacements) => replace(holder, replacements),
    upsert: (chunks) => upsert(holder, chunks),
    delete: (where) => remove(holder, where),
    get: (ids) => get(holder, ids),
    all: (options) => scanChunks(holder, options),
    sources: () => holder.read(storedSources),
    sourcePage: (request) => readSourcePage(holder, request),
    contents: (sources) => sourceContents(holder, sources),
    search: (request: SearchRequest) => searchTable(holder, request),
    count: () => holder.read((table) => table.countRows()),
    bytes: () => bytesOf(holder),
    optimize: ({ whole = false } = {}) =>
      holder.write((table) => bringUpToDate(table, { dimensions: holder.entry.dimensions, created: holder.created, whole })),
  };
}

/** The last of those that share an id: LanceDB would write each of them. */
const onePerId = (chunks: readonly StoredChunk[]): StoredChunk[] => [...new Map(chunks.map((chunk) => [chunk.id, chunk])).values()];

/** New documents are added, which is fastest; the others take the place of what is there, in one step. */
async function replace(holder: TableHolder, replacements: readonly Replacement[]): Promise<void> {
  const added = onePerId(replacements.filter(({ isNew }) => isNew).flatMap(({ chunks }) => chunks));
  const changed = replacements.filter(({ isNew }) => !isNew);
  const chunks = onePerId(changed.flatMap((replacement) => replacement.chunks));
  assertVectors([...added, ...chunks], holder.entry); // all or nothing
  if (added.length > 0) {
    const data = await toArrow(added, holder.entry);
    await holder.write((table) => table.add(data));
  }
  if (changed.length > 0) await change(holder, { sources: changed.map(({ source }) => source), chunks });
}

async function change(
  holder: TableHolder,
  { sources, chunks }: { sources: readonly string[]; chunks: readonly StoredChunk[] },
): Promise<void> {
  const ofSources = inList('source', sources);
  const ids = new Set(chunks.map(({ id }) => id));
  const data = chunks.length > 0 ? await toArrow(chunks, holder.entry) : undefined;
  await holder.write(async (table) => {
    if (!data) return await table.delete(ofSources);
    const there = await table.query().where(ofSources).select(['id']).toArrow();
    const id = reader(there, 'id') as (at: number) => string;
    // to look for rows that are to go takes a walk through the whole table: only where there are any
    const isLeft = Array.from({ length: there.numRows }, (_, at) => id(at)).some((known) => !ids.has(known));
    const merge = table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll();
    return await (isLeft ? merge.whenNotMatchedBySourceDelete({ where: ofSources }) : merge).execute(data);
  });
}

async function upsert(holder: TableHolder, given: readonly StoredChunk[]): Promise<void> {
  const chunks = onePerId(given);
  assertVectors(chunks, holder.entry);
  if (chunks.length === 0) return;
  const data = await toArrow(chunks, holder.entry);
  await holder.write((table) => table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data));
}

async function remove(holder: TableHolder, where: Where): Promise<{ id: string; source: string }[]> {
  const condition = whereSql(where);
  if (condition === undefined) return [];
  return await holder.write(async (table) => {
    const rows = await table.query().where(condition).select(['id', 'source']).toArrow();
    const [id, source] = [reader(rows, 'id'), reader(rows, 'source')] as ((at: number) => string)[];
    if (rows.numRows > 0) await table.delete(condition);
    return Array.from({ length: rows.numRows }, (_, at) => ({ id: id!(at), source: source!(at) }));
  });
}

async function get(holder: TableHolder, ids: readonly string[]): Promise<StoredChunk[]> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, StoredChunk>();
  for (let i = 0; i < wanted.length; i += MOST_IDS) {
    const condition = inList('id', wanted.slice(i, i + MOST_IDS));
    const rows = await holder.read((table) => table.query().where(condition).select(columnsRead(holder.entry, true)).toArrow());
    for (const chunk of toChunks(rows)) found.set(chunk.id, chunk);
  }
  return wanted.flatMap((id) => found.get(id) ?? []);
}

async function bytesOf({ url, entry }: TableHolder): Promise<number> {
  const folder = folderOf(url);
  if (folder === undefined) return 0;
  const files = await readdir(join(folder, `${entry.table}.lance`), { recursive: true, withFileTypes: true }).catch(() => []);
  // a file that an optimization has just removed counts nothing
  const sizes = await Promise.all(
    files.map(async (file) => (file.isFile() ? ((await stat(join(file.parentPath, file.name)).catch(() => undefined))?.size ?? 0) : 0)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
