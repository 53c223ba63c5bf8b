import type { Connection, Table } from '@lancedb/lancedb';
import type { Collection, CollectionInfo } from '../../../ports/stores.ts';
import { openCatalog, type Catalog, type Entry } from './catalog.ts';
import { ChunkCache } from './chunk-cache.ts';
import { collectionIn } from './collection.ts';
import { schemaOf } from './columns.ts';
import { connectTo, persistent, type Connections, type StorePlace } from './connect.ts';
import { createdAt, hold, tableName, type Holder, type MayWrite } from './holder.ts';
import { prepare } from './upkeep.ts';

/** The tables of a store and the catalog of them. */
export interface Database {
  readonly catalog: Catalog;
  /** Opens the collection. All who open it share one queue of writes. */
  open(entry: Entry): Promise<Collection>;
  /** A new table for a collection; the catalog does not know it yet. */
  make(info: CollectionInfo): Promise<Entry>;
  /** Opens a table that the catalog does not know. */
  openDraft(entry: Entry): Promise<Collection>;
  drop(entry: Entry): Promise<void>;
  /** Makes every write fail to commit that was begun before: LanceDB lets none come through behind a restored version, the present one in this case. */
  fence(entry: Entry): Promise<void>;
  /** Removes tables that no collection has and that nobody has written to for an hour: processes that died have left them. */
  tidy(): Promise<void>;
  close(): void;
}

const ORPHANED_AFTER = 3_600_000;

/** Opens the store at the address, once; undefined as long as there is none and none is to be made. */
export function openDatabase(place: StorePlace, mayWrite: MayWrite): (options: { create: boolean }) => Promise<Database | undefined> {
  let connections: Connections | undefined;
  let database: Database | undefined;
  const { url } = place;
  return async ({ create }) => {
    connections ??= await connectTo(place, { create });
    if (!connections) return undefined;
    if (database) return database;
    const catalog = await openCatalog(connections.connection, { url, create });
    return (database ??= catalog && databaseOf(connections, { url, catalog, mayWrite }));
  };
}

function databaseOf(connections: Connections, { url, catalog, mayWrite }: { url: string; catalog: Catalog; mayWrite: MayWrite }): Database {
  const { connection, pinned } = connections;
  const holders = new Map<string, Promise<Holder>>();
  const common = { url, ...connections, mayWrite, chunks: new ChunkCache() };
  const held = (entry: Entry): Promise<Holder> => {
    const holder = holders.get(entry.table) ?? hold(entry, { ...common, current: catalog.find });
    holders.set(entry.table, holder);
    holder.catch(() => holders.delete(entry.table));
    return holder;
  };
  return {
    catalog,
    open: async (entry) => collectionIn(await held(entry)),
    make: async (info) => {
      const { name, provider, model, dimensions } = info;
      const entry = { name, provider, model, dimensions, table: tableName(name) };
      await prepare(await connection.createEmptyTable(entry.table, await schemaOf(info)));
      return entry;
    },
    openDraft: async (entry) => collectionIn(await hold(entry, { ...common, current: async () => entry })),
    drop: async ({ table }) => {
      holders.delete(table);
      await connection.dropTable(table);
    },
    fence: async ({ table: name }) => {
      const table = await connection.openTable(name);
      await persistent(async () => {
        await table.checkoutLatest();
        await table.checkout(await table.version());
        await table.restore();
      });
    },
    tidy: () => removeOrphans(connection, catalog),
    close: () => {
      connection.close();
      pinned.close();
    },
  };
}

async function removeOrphans(connection: Connection, catalog: Catalog): Promise<void> {
  const known = new Set((await catalog.list()).map(({ table }) => table));
  const old = Date.now() - ORPHANED_AFTER;
  for (const name of await connection.tableNames()) {
    if (known.has(name) || (createdAt(name) ?? Infinity) > old) continue;
    if ((await lastWritten(await connection.openTable(name))) < old) await connection.dropTable(name);
  }
}

const lastWritten = async (table: Table): Promise<number> =>
  Math.max(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime()));
