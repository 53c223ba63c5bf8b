import { randomUUID } from 'node:crypto';
import type { Table, Version } from '@lancedb/lancedb';
import { LABELS } from './field-entries.ts';
import { loadLanceDb } from './lancedb-connection.ts';
import { isTableGone } from './lancedb-errors.ts';

// A tag keeps LanceDB from removing a version. Its name holds its creation time, and a reader renews its tag every minute: so the tag of a dead reader, on
// any machine, is recognized by its age.

const RENEWAL_INTERVAL = 60_000;
const STALE_AFTER = 300_000;

const tagName = (): string => `kb-read.${Date.now().toString(36)}.${randomUUID()}`;

/** Reads the creation time of a reader's tag, in milliseconds; undefined for another tag. */
function parseTagTime(tag: string): number | undefined {
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
    renewing = renewing.then(renew).catch(() => {}); // if the tag is lost, the reader fails with an error of its own
  }, RENEWAL_INTERVAL).unref();
  return async () => {
    clearInterval(timer);
    await renewing;
    if (kept !== undefined) await tags.delete(kept).catch(() => {});
  };
}

/** Lists the versions that readers use, and removes the tags of dead readers. */
async function listVersionsInUse(table: Table): Promise<Set<number>> {
  const tags = await table.tags();
  const inUse = new Set<number>();
  for (const [name, { version }] of Object.entries(await tags.list())) {
    const created = parseTagTime(name);
    if (created === undefined || Date.now() - created <= STALE_AFTER) inUse.add(version);
    else await tags.delete(name).catch(() => {}); // another process has removed it
  }
  return inUse;
}

/** Removes the tags of all readers. */
async function removeReaderTags(table: Table): Promise<void> {
  const tags = await table.tags();
  for (const name of Object.keys(await tags.list())) if (parseTagTime(name) !== undefined) await tags.delete(name).catch(() => {});
}

/** Rows from which a vector index pays: below, an exhaustive comparison is as fast, and exact; in a bucket it reads all vectors over the network. */
const VECTOR_INDEX_FROM = { folder: 50_000, bucket: 5_000 };
/** Maximum rows outside the indexes of ids, labels and vectors: a search scans them, in a few milliseconds. */
const MAX_UNINDEXED = 1_000;
/**
 * The same for the index of texts. Of texts of 150 words, a word search scans 100 in 0.8 ms, 200 in 1.5 ms, 1,000 in 6 ms; with the index it takes 1.3 ms
 * in all (900 rows). Indexing takes 0.06 s of processor time for 900 rows, 0.4 s for 10,000, 1.2 s for 50,000.
 */
const MAX_UNINDEXED_TEXTS = 200;
/**
 * The same while a job goes on writing: an absolute minimum, and a share of all rows, since each indexing covers all rows again. Indexing ids is cheap and
 * speeds up the writes, which look for their ids; indexing texts takes longer than writing them.
 */
const MAX_UNINDEXED_WHILE_WRITING = { id: { least: 25_000, share: 0.1 }, terms: { least: 100_000, share: 0.5 } } as const;
/** Fragments from which a table is compacted while a job goes on writing: LanceDB reads the list of fragments with each write. */
const MAX_FRAGMENTS_WHILE_WRITING = 512;
/**
 * Maximum fragments of a table (each write adds one), by its rows. A search of 5,000 rows in 10 fragments takes a fifth more processor time than in one, in
 * 20 twice the time, in 74 four times; but compacting takes as long as indexing the texts.
 */
const FRAGMENTS_OF_SMALL_TABLE = 12;
const FRAGMENTS_OF_LARGE_TABLE = 64;
const ROWS_PER_FRAGMENT = 1_000;
/** Maximum versions of a table, and how many of the newest are kept beyond that, however young the others are. */
const MAX_VERSIONS = 64;
const VERSIONS_KEPT = 24;
/** Versions beyond which old ones are removed even if a reader uses them. */
const MAX_VERSIONS_IN_USE = 2_000;
const HOUR = 3_600_000;

/** kb stems the terms before they are stored; LanceDB only splits them at spaces. The longest term has 100 characters (400 bytes). */
const TEXT_INDEX = {
  withPosition: false,
  baseTokenizer: 'whitespace',
  maxTokenLength: 512,
  lowercase: false,
  stem: false,
  removeStopWords: false,
  asciiFolding: false,
} as const;

/** Prepares a new, empty table: ids become its key, and its text can be searched at once, even before rows are indexed. */
export async function prepareTable(table: Table): Promise<void> {
  const { Index } = await loadLanceDb();
  await table.setUnenforcedPrimaryKey('id');
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX), train: false });
}

/**
 * Updates the indexes and compacts the table's fragments, each if enough has accumulated. Removes versions older than an hour (readers may use younger ones),
 * all but the newest if there are many, and all of a table that is itself younger than an hour. Versions in use, and later ones, stay. `whole` does
 * everything now and keeps no old version: a query whose files are gone starts again. `hasMore`: the job goes on writing, so that no row is rewritten;
 * otherwise each row would be rewritten again and again as the table grows.
 */
export async function optimizeTable(
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
  const fragments = statistics.fragmentStats.numFragments;
  if (hasMore && fragments < MAX_FRAGMENTS_WHILE_WRITING) return await indexWhileWriting(table, rows);
  const [text, vectors, versions] = await Promise.all([
    table.indexStats('terms_idx'),
    dimensions > 0 ? table.indexStats('vector_idx') : undefined,
    table.listVersions(),
  ]);
  const unindexedTexts = text?.numUnindexedRows ?? rows;
  const isBehind = unindexedTexts > MAX_UNINDEXED_TEXTS || (vectors?.numUnindexedRows ?? 0) > MAX_UNINDEXED;
  const mostFragments = Math.min(FRAGMENTS_OF_LARGE_TABLE, Math.max(FRAGMENTS_OF_SMALL_TABLE, rows / ROWS_PER_FRAGMENT));
  const isCompact = fragments <= mostFragments && versions.length <= MAX_VERSIONS;
  if (whole) await eraseDeleted(table);
  else if (isCompact && unindexedTexts > Math.max(MAX_UNINDEXED_TEXTS, rows / 2)) await indexTexts(table);
  else if (!isCompact || isBehind) await compact(table, { versions, before: oldestKeptTime(versions, created) });
  if (rows > MAX_UNINDEXED) await indexKeys(table);
  if (dimensions > 0 && rows >= VECTOR_INDEX_FROM[place]) await indexVectors(table);
  if (whole) await compact(table, { versions: await table.listVersions(), before: Date.now() }); // removes the versions that these steps have created
}

/**
 * Removes what is left of deleted rows: LanceDB keeps them in a fragment of which they are less than a tenth, and their words in the indexes. If it
 * has several fragments, their statistics do not show whether rows were deleted.
 */
async function eraseDeleted(table: Table): Promise<void> {
  const { numRows, fragmentStats } = await table.stats();
  const hasDeleted = fragmentStats.numFragments > 1 || fragmentStats.lengths.max !== numRows;
  if (hasDeleted && numRows > 0) await table.update({ where: 'true', valuesSql: { source: 'source' } }); // writes each row into a new fragment
  await compact(table, { versions: await table.listVersions(), before: Date.now() });
  await indexTexts(table);
  const keys = (await table.listIndices()).filter(({ name }) => name !== 'terms_idx' && name !== 'vector_idx');
  for (const { name } of keys) await table.dropIndex(name); // `indexKeys` makes them again
}

/** Indexes all ids, and all texts, each if many rows are not indexed yet. */
async function indexWhileWriting(table: Table, rows: number): Promise<void> {
  const { Index } = await loadLanceDb();
  const isDue = async (column: keyof typeof MAX_UNINDEXED_WHILE_WRITING): Promise<boolean> => {
    const { least, share } = MAX_UNINDEXED_WHILE_WRITING[column];
    const unindexed = (await table.indexStats(`${column}_idx`))?.numUnindexedRows ?? rows;
    return unindexed >= Math.max(least, rows * share);
  };
  if (await isDue('id')) await table.createIndex('id', { config: Index.btree() });
  if (await isDue('terms')) await indexTexts(table);
}

/** Compacts the table's fragments, and removes versions from before a time (milliseconds), except those in use and later ones. */
async function compact(table: Table, { versions, before }: { versions: readonly Version[]; before: number }): Promise<void> {
  if (versions.length > MAX_VERSIONS_IN_USE) await removeReaderTags(table);
  const inUse = await listVersionsInUse(table);
  const oldest = Math.min(...versions.filter(({ version }) => inUse.has(version)).map(({ timestamp }) => timestamp.getTime()));
  await table.optimize({ cleanupOlderThan: new Date(Math.min(before, oldest)) }).catch((error: unknown) => {
    if (!/tagged version/i.test(String(error))) throw error; // a reader has just tagged a version: the next compaction removes the rest
  });
}

/** Computes the time from which versions are kept, by age and by number, in milliseconds. */
function oldestKeptTime(versions: readonly Version[], created: number): number {
  const now = Date.now();
  const byAge = now - created < HOUR ? now + 24 * HOUR : now - HOUR;
  if (versions.length <= MAX_VERSIONS) return byAge;
  return Math.max(byAge, versions.map(({ timestamp }) => timestamp.getTime()).toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!);
}

/** Rebuilds all indexes, in whatever state they are. */
export async function rebuildIndexes(table: Table, dimensions: number): Promise<void> {
  await indexTexts(table);
  for (const { name } of await table.listIndices()) if (name !== 'terms_idx') await table.dropIndex(name);
  const rows = await table.countRows();
  if (rows > MAX_UNINDEXED) await indexKeys(table);
  if (dimensions > 0 && rows >= VECTOR_INDEX_FROM.folder) await indexVectors(table);
}

/** Rebuilds the index of texts, without rewriting rows. */
async function indexTexts(table: Table): Promise<void> {
  const { Index } = await loadLanceDb();
  await table.createIndex('terms', { config: Index.fts(TEXT_INDEX) });
}

/** Whether an index is missing, or lacks many rows. */
const lacksRows = async (table: Table, index: string): Promise<boolean> =>
  ((await table.indexStats(index))?.numUnindexedRows ?? Infinity) > MAX_UNINDEXED;

async function indexKeys(table: Table): Promise<void> {
  const { Index } = await loadLanceDb();
  for (const column of ['id', 'source'])
    if (await lacksRows(table, `${column}_idx`)) await table.createIndex(column, { config: Index.btree() });
  if (await lacksRows(table, `${LABELS}_idx`)) await table.createIndex(LABELS, { config: Index.labelList() });
}

async function indexVectors(table: Table): Promise<void> {
  if (!(await lacksRows(table, 'vector_idx'))) return;
  const { Index } = await loadLanceDb();
  await table.createIndex('vector', { config: Index.ivfRq({ numBits: 4, distanceType: 'cosine' }) });
}
