import type { Table, Version } from '@lancedb/lancedb';
import { lanceDb } from './connect.ts';
import { letGo, versionsRead } from './kept-version.ts';

/** Rows from which a vector index pays: below, comparing all is as fast and exact. */
export const VECTOR_INDEX_FROM = 50_000;
/** Rows that may wait to be indexed: until then they are searched one by one, in a few milliseconds. */
const UNINDEXED = 1_000;
/**
 * Pieces (one for each write) that a table may lie in, by its rows: a search of 5,000 rows in 10 pieces takes a fifth more processor time than in one, in 20
 * twice the time, in 74 four times; and to join pieces takes as long as to index their texts.
 */
const FEWEST_PIECES = 12;
const MOST_PIECES = 64;
const ROWS_OF_A_PIECE = 1_000;
/** Versions that a table may have, and how many of the newest stay where it has more, however young the others are. */
const VERSIONS = 64;
const VERSIONS_KEPT = 24;
/** Versions from which on none stays for those who read it. */
const VERSIONS_AT_MOST = 2_000;
const HOUR = 3_600_000;

/** The text is already analysed when it is written: LanceDB is only to split it at the spaces. Our own longest term is 100 characters (400 bytes). */
const TEXT_INDEX = {
  withPosition: false,
  baseTokenizer: 'whitespace',
  maxTokenLength: 512,
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
} as const;

/** Makes a new, empty table ready: ids are its key, and its text can be searched from the first row, indexed or not. */
export async function prepare(table: Table): Promise<void> {
  const { Index } = await lanceDb();
  await table.setUnenforcedPrimaryKey('id');
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX), train: false });
}

/**
 * Brings the indexes up to date and joins the table's pieces, each where enough has come together. Versions older than an hour are removed, because a reader
 * may still be at a younger one, and all but the newest where there are many; of a table that is itself younger, all. What is being walked
 * through stays, and with it what came later.
 */
export async function bringUpToDate(table: Table, { dimensions, created }: { dimensions: number; created: number }): Promise<void> {
  const [rows, text, statistics, versions] = await Promise.all([
    table.countRows(),
    table.indexStats('terms_idx'),
    table.stats(),
    table.listVersions(),
  ]);
  const waiting = text?.numUnindexedRows ?? rows;
  const pieces = statistics.fragmentStats.numFragments;
  const piecesAllowed = Math.min(MOST_PIECES, Math.max(FEWEST_PIECES, rows / ROWS_OF_A_PIECE));
  const isInFew = pieces <= piecesAllowed && versions.length <= VERSIONS;
  if (waiting <= UNINDEXED && isInFew) return;
  if (isInFew && waiting > rows / 2) await indexTexts(table);
  else await compact(table, { versions, wanted: oldestKept(versions, created) });
  if (rows > UNINDEXED) await indexKeys(table);
  if (dimensions > 0 && rows >= VECTOR_INDEX_FROM) await indexVectors(table);
}

/** Joins the table's pieces, and removes the versions from before that time (milliseconds) that are older than any that is being read. */
async function compact(table: Table, { versions, wanted }: { versions: readonly Version[]; wanted: number }): Promise<void> {
  if (versions.length > VERSIONS_AT_MOST) await letGo(table);
  const read = await versionsRead(table);
  const oldest = Math.min(...versions.filter(({ version }) => read.has(version)).map(({ timestamp }) => timestamp.getTime()));
  await table.optimize({ cleanupOlderThan: new Date(Math.min(wanted, oldest)) }).catch((error: unknown) => {
    if (!/tagged version/i.test(String(error))) throw error; // someone has just begun to read: what is left is removed the next time
  });
}

/** When the oldest version may have been made that stays, by age and by number, in milliseconds. */
function oldestKept(versions: readonly Version[], created: number): number {
  const now = Date.now();
  const byAge = now - created < HOUR ? now + 24 * HOUR : now - HOUR;
  if (versions.length <= VERSIONS) return byAge;
  return Math.max(byAge, versions.map(({ timestamp }) => timestamp.getTime()).toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!);
}

/** Indexes all texts anew, without rewriting their rows. */
async function indexTexts(table: Table): Promise<void> {
  const { Index } = await lanceDb();
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX) });
}

async function indexKeys(table: Table): Promise<void> {
  if (await table.indexStats('id_idx')) return;
  const { Index } = await lanceDb();
  await table.createIndex('id', { config: Index.btree() });
  await table.createIndex('source', { config: Index.btree() });
}

async function indexVectors(table: Table): Promise<void> {
  if (await table.indexStats('vector_idx')) return;
  const { Index } = await lanceDb();
  await table.createIndex('vector', { config: Index.ivfRq({ numBits: 4, distanceType: 'cosine' }) });
}
