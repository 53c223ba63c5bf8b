import { randomUUID } from 'node:crypto';
import type { Table, Version } from '@lancedb/lancedb';
import { LABELS } from './field-entries.ts';
import { lanceDb } from './lancedb-connection.ts';
import { isTableGone } from './store-error.ts';

// A tag keeps LanceDB from removing a version. Its name holds the time when it was made, and a reader renews it every minute: so a tag of a dead reader is
// known by its age, on whatever machine that was.

const RENEWED_EVERY = 60_000;
const STALE_AFTER = 300_000;

const tagName = (): string => `kb-read.${Date.now().toString(36)}.${randomUUID()}`;

/** Reads the time when a tag of a reader was made, in milliseconds; undefined for another tag. */
function madeAt(tag: string): number | undefined {
  const time = /^kb-read\.([0-9a-z]+)\./.exec(tag)?.[1];
  return time === undefined ? undefined : Number.parseInt(time, 36);
}

/** Keeps the table's version until the returned function is called; without effect in a read-only store. Throws what LanceDB throws if the version is gone. */
export async function keepVersion(table: Table): Promise<() => Promise<void>> {
  const [version, tags] = await Promise.all([table.version(), table.tags()]);
  let kept: string | undefined;
  const renew = async (): Promise<void> => {
    const name = tagName();
    await tags.create(name, version);
    const before = kept;
    kept = name;
    if (before !== undefined) await tags.delete(before);
  };
  await renew().catch((error: unknown) => {
    if (isTableGone(error)) throw error;
  });
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch(() => {}); // a tag that is removed too early ends the reading with an error, which says so
  }, RENEWED_EVERY).unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    if (kept !== undefined) await tags.delete(kept).catch(() => {});
  };
}

/** Lists the versions that are being read, and removes the tags of dead readers. */
async function versionsRead(table: Table): Promise<Set<number>> {
  const tags = await table.tags();
  const read = new Set<number>();
  for (const [name, { version }] of Object.entries(await tags.list())) {
    const made = madeAt(name);
    if (made === undefined || Date.now() - made <= STALE_AFTER) read.add(version);
    else await tags.delete(name).catch(() => {}); // another process was quicker
  }
  return read;
}

/** Removes the tags of all readers. */
async function releaseVersions(table: Table): Promise<void> {
  const tags = await table.tags();
  for (const name of Object.keys(await tags.list())) if (madeAt(name) !== undefined) await tags.delete(name).catch(() => {});
}

/** Rows from which a vector index pays: below, comparing all is as fast, and exact. In a bucket, that reads all vectors over the network. */
const VECTOR_INDEX_FROM = { folder: 50_000, bucket: 5_000 };
/** Maximum rows outside an index: they are searched one by one, in a few milliseconds. */
const UNINDEXED = 1_000;
/**
 * The same while more is written, at least, and as a share of all rows: each time, all of them are indexed anew. A write looks for its ids, which an index
 * finds at once, and to index ids is cheap; to index texts takes longer than to write them.
 */
const UNINDEXED_MEANWHILE = { id: { least: 25_000, share: 0.1 }, terms: { least: 100_000, share: 0.5 } } as const;
/** Pieces from which on they are joined while more is written: LanceDB reads the list of them with each write. */
const PIECES_MEANWHILE = 512;
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

/** Terms are made before the text is written: LanceDB only splits them at spaces. The longest has 100 characters (400 bytes). */
const TEXT_INDEX = {
  withPosition: false,
  baseTokenizer: 'whitespace',
  maxTokenLength: 512,
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
} as const;

/** Prepares a new, empty table: ids become its key, and its text can be searched from the first row, indexed or not. */
export async function prepare(table: Table): Promise<void> {
  const { Index } = await lanceDb();
  await table.setUnenforcedPrimaryKey('id');
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX), train: false });
}

/**
 * Brings the indexes up to date and joins the table's pieces, each where enough has come together. Versions older than an hour are removed, because a reader
 * may still be at a younger one, and all but the newest where there are many; of a table that is itself younger, all. What is being walked
 * through stays, and with it what came later. `whole` does all of it at once, and keeps no old version: a query that
 * meets a file that is gone begins again. `hasMore`: no row is rewritten, which would happen to each again and again as the table grows.
 */
export async function bringUpToDate(
  table: Table,
  {
    dimensions,
    created,
    place,
    whole = false,
    hasMore = false,
  }: { dimensions: number; created: number; place: keyof typeof VECTOR_INDEX_FROM; whole?: boolean; hasMore?: boolean },
): Promise<void> {
  const [rows, statistics] = await Promise.all([table.countRows(), table.stats()]);
  const pieces = statistics.fragmentStats.numFragments;
  if (hasMore && pieces < PIECES_MEANWHILE) return await indexMeanwhile(table, rows);
  const [text, vectors, versions] = await Promise.all([
    table.indexStats('terms_idx'),
    dimensions > 0 ? table.indexStats('vector_idx') : undefined,
    table.listVersions(),
  ]);
  const textsWaiting = text?.numUnindexedRows ?? rows;
  const waiting = Math.max(textsWaiting, vectors?.numUnindexedRows ?? 0);
  const piecesAllowed = Math.min(MOST_PIECES, Math.max(FEWEST_PIECES, rows / ROWS_OF_A_PIECE));
  const isInFew = pieces <= piecesAllowed && versions.length <= VERSIONS;
  if (whole) await compact(table, { versions, wanted: Date.now() });
  else if (isInFew && textsWaiting > Math.max(UNINDEXED, rows / 2)) await indexTexts(table);
  else if (!isInFew || waiting > UNINDEXED) await compact(table, { versions, wanted: oldestKept(versions, created) });
  if (rows > UNINDEXED) await indexKeys(table);
  if (dimensions > 0 && rows >= VECTOR_INDEX_FROM[place]) await indexVectors(table);
  if (whole) await compact(table, { versions: await table.listVersions(), wanted: Date.now() }); // versions that the steps before have left
}

/** Indexes ids and texts anew, each where much has come together. */
async function indexMeanwhile(table: Table, rows: number): Promise<void> {
  const { Index } = await lanceDb();
  const isDue = async (column: keyof typeof UNINDEXED_MEANWHILE): Promise<boolean> => {
    const { least, share } = UNINDEXED_MEANWHILE[column];
    const waiting = (await table.indexStats(`${column}_idx`))?.numUnindexedRows ?? rows;
    return waiting >= Math.max(least, rows * share);
  };
  if (await isDue('id')) await table.createIndex('id', { config: Index.btree() });
  if (await isDue('terms')) await indexTexts(table);
}

/** Joins the table's pieces, and removes the versions from before that time (milliseconds) that are older than any that is being read. */
async function compact(table: Table, { versions, wanted }: { versions: readonly Version[]; wanted: number }): Promise<void> {
  if (versions.length > VERSIONS_AT_MOST) await releaseVersions(table);
  const read = await versionsRead(table);
  const oldest = Math.min(...versions.filter(({ version }) => read.has(version)).map(({ timestamp }) => timestamp.getTime()));
  await table.optimize({ cleanupOlderThan: new Date(Math.min(wanted, oldest)) }).catch((error: unknown) => {
    if (!/tagged version/i.test(String(error))) throw error; // a reader has just begun: the rest is removed the next time
  });
}

/** Computes the time from which versions stay, by age and by number, in milliseconds. */
function oldestKept(versions: readonly Version[], created: number): number {
  const now = Date.now();
  const byAge = now - created < HOUR ? now + 24 * HOUR : now - HOUR;
  if (versions.length <= VERSIONS) return byAge;
  return Math.max(byAge, versions.map(({ timestamp }) => timestamp.getTime()).toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!);
}

/** Builds all indexes anew, whatever is left of them. */
export async function mendIndexes(table: Table, dimensions: number): Promise<void> {
  await indexTexts(table);
  for (const { name } of await table.listIndices()) if (name !== 'terms_idx') await table.dropIndex(name);
  const rows = await table.countRows();
  if (rows > UNINDEXED) await indexKeys(table);
  if (dimensions > 0 && rows >= VECTOR_INDEX_FROM.folder) await indexVectors(table);
}

/** Indexes all texts anew, without rewriting their rows. */
async function indexTexts(table: Table): Promise<void> {
  const { Index } = await lanceDb();
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX) });
}

/** Whether an index is missing, or lacks many rows. */
const isBehind = async (table: Table, index: string): Promise<boolean> =>
  ((await table.indexStats(index))?.numUnindexedRows ?? Infinity) > UNINDEXED;

async function indexKeys(table: Table): Promise<void> {
  const { Index } = await lanceDb();
  for (const column of ['id', 'source'])
    if (await isBehind(table, `${column}_idx`)) await table.createIndex(column, { config: Index.btree() });
  if (await isBehind(table, `${LABELS}_idx`)) await table.createIndex(LABELS, { config: Index.labelList() });
}

async function indexVectors(table: Table): Promise<void> {
  if (!(await isBehind(table, 'vector_idx'))) return;
  const { Index } = await lanceDb();
  await table.createIndex('vector', { config: Index.ivfRq({ numBits: 4, distanceType: 'cosine' }) });
}
