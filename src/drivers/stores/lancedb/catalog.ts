import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../base/errors.ts';
import type { CollectionInfo } from '../../../ports.ts';

/** What the catalog knows of a collection: what it was made with, and which table holds it now. */
export interface Entry extends CollectionInfo {
  table: string;
}

const TABLE = '_kb_collections';
/** The form of the tables. A store of a later form is refused: it could be misread. */
const FORM = 1;

/** The collections of a store by name, in a small table of their own, so that a collection is put in the place of another in one step. */
export interface Catalog {
  list(): Promise<Entry[]>;
  find(name: string): Promise<Entry | undefined>;
  /** False where there is one of that name already; the two can't both happen. */
  add(entry: Entry): Promise<boolean>;
  put(entry: Entry): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens the catalog of the database, or makes it. */
export async function openCatalog(connection: Connection, url: string): Promise<Catalog> {
  const table = await catalogTable(connection);
  const list = async () => {
    const rows = (await table.query().toArray()) as (Entry & { form: number })[];
    const later = rows.find(({ form }) => form > FORM);
    if (later)
      throw new KbError(
        'configuration',
        `The store ${url} was made by a later version of kb (form ${later.form}; this one reads ${FORM}).`,
        { hint: 'Update kb, or set storage.url to another folder.' },
      );
    return rows.map(({ name, provider, model, dimensions, table: holder }) => ({ name, provider, model, dimensions, table: holder }));
  };
  const row = (entry: Entry) => [{ ...entry, form: FORM }];
  return {
    list,
    find: async (name) => (await list()).find((entry) => entry.name === name),
    add: async (entry) => (await table.mergeInsert('name').whenNotMatchedInsertAll().execute(row(entry))).numInsertedRows > 0,
    put: async (entry) => void (await table.mergeInsert('name').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(row(entry))),
    remove: async (name) => void (await table.delete(`name = '${name.replaceAll("'", "''")}'`)),
  };
}

/** Whether there is a catalog: without one, nothing was ever stored. */
export const hasCatalog = async (connection: Connection): Promise<boolean> => (await connection.tableNames()).includes(TABLE);

async function catalogTable(connection: Connection): Promise<Table> {
  if (await hasCatalog(connection)) return await connection.openTable(TABLE);
  const arrow = await import('apache-arrow');
  const text = (name: string) => new arrow.Field(name, new arrow.Utf8(), false);
  const number = (name: string) => new arrow.Field(name, new arrow.Int32(), false);
  const fields = [text('name'), text('table'), text('provider'), text('model'), number('dimensions'), number('form')];
  const table = await connection.createEmptyTable(TABLE, new arrow.Schema(fields), { mode: 'create', existOk: true });
  await table.setUnenforcedPrimaryKey('name').catch(async (error: unknown) => {
    if (!/primary key/i.test(String(error))) throw error; // another process has just set it
  });
  return table;
}
