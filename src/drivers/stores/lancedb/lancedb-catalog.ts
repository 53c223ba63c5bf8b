import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { isTableGone, persistent } from './lancedb-connection.ts';
import { quoted } from './lancedb-filter.ts';

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

/** Opens the catalog of the database. Without `create`, undefined where there is none: nothing was ever stored. */
export async function openCatalog(connection: Connection, { url, create }: { url: string; create: boolean }): Promise<Catalog | undefined> {
  const there = await tableIn(connection);
  if (!there && !create) return undefined;
  const table = there ?? (await makeTable(connection));
  if (create) await setKey(table);
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
    add: async (entry) => {
      const { numInsertedRows } = await persistent(() => table.mergeInsert('name').whenNotMatchedInsertAll().execute(row(entry)));
      return numInsertedRows > 0;
    },
    put: async (entry) => {
      await persistent(() => table.mergeInsert('name').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(row(entry)));
    },
    remove: async (name) => {
      await persistent(() => table.delete(`name = ${quoted(name)}`));
    },
  };
}

/** The catalog's table; undefined where nothing was ever stored, or who makes the store has only begun (or was killed then). */
async function tableIn(connection: Connection): Promise<Table | undefined> {
  if (!(await connection.tableNames()).includes(TABLE)) return undefined;
  return await connection.openTable(TABLE).catch((error: unknown) => {
    if (isTableGone(error)) return undefined;
    throw error;
  });
}

async function makeTable(connection: Connection): Promise<Table> {
  const arrow = await import('apache-arrow');
  const text = (name: string) => new arrow.Field(name, new arrow.Utf8(), false);
  const number = (name: string) => new arrow.Field(name, new arrow.Int32(), false);
  const fields = [text('name'), text('table'), text('provider'), text('model'), number('dimensions'), number('form')];
  const making = connection.createEmptyTable(TABLE, new arrow.Schema(fields), { mode: 'create', existOk: true });
  return await making.catch(async (error: unknown) => {
    const made = await tableIn(connection); // one that has its key already is of another schema, to LanceDB
    if (!made) throw error;
    return made;
  });
}

/** Makes names the key of the table: also where its maker was killed before that. */
const setKey = (table: Table): Promise<void> =>
  table.setUnenforcedPrimaryKey('name').catch((error: unknown) => {
    if (!/primary key|incompatible transaction|commit conflict/i.test(String(error))) throw error; // it is set, or being set
  });
