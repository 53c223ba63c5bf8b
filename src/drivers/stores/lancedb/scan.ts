import type { Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { SourceContent, StoredChunk, StoredSource } from '../../../ports/stores.ts';
import { columnsRead, reader, toChunks } from './columns.ts';
import { isTableGone, storeError } from './lancedb-connection.ts';
import type { TableHolder } from './table-holder.ts';
import { keepVersion } from './upkeep.ts';
import { inList, quoted } from './lancedb-filter.ts';
import { countContent, countSources } from '../count-sources.ts';

/** Rows of one page. */
const PAGE = 1_000;
/** How often a walk begins at a version that is removed before it is kept. */
const TRIES = 5;

interface WalkOptions {
  source?: string;
  vectors?: boolean;
}

/**
 * All chunks of one version of the table, the present one, in the order of its rows: what is written meanwhile is not among them. Those of one source are read at
 * once. Throws a KbError (`conflict`) where the collection is removed meanwhile.
 */
export async function* scanChunks(
  holder: TableHolder,
  { source, vectors = false }: WalkOptions = {},
): AsyncGenerator<StoredChunk[], void, void> {
  const columns = columnsRead(holder.entry, vectors);
  if (source === undefined) return yield* walk(holder, columns);
  const rows = await holder.read((table) =>
    table
      .query()
      .where(`source = ${quoted(source)}`)
      .select(columns)
      .toArrow(),
  );
  for (let at = 0; at < rows.numRows; at += PAGE) yield toChunks(rows.slice(at, at + PAGE));
}

async function* walk(holder: TableHolder, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  let isBegun = false;
  for (let tries = 1; ; tries++) {
    const table = await holder.pin();
    try {
      for await (const page of pagesOf(table, columns)) {
        isBegun = true;
        yield page;
      }
      return;
    } catch (error) {
      if (!isTableGone(error)) throw storeError(error, holder.url);
      if (isBegun || tries >= TRIES) throw removed(holder.entry.name, error);
    } finally {
      table.close();
    }
  }
}

/** Throws what LanceDB throws where files of the version are gone. */
async function* pagesOf(table: Table, columns: string[]): AsyncGenerator<StoredChunk[], void, void> {
  const letGo = await keepVersion(table);
  try {
    for await (const batch of table.query().select(columns))
      for (let at = 0; at < batch.numRows; at += PAGE) yield toChunks(batch.slice(at, at + PAGE));
  } finally {
    await letGo();
  }
}

const removed = (name: string, cause: unknown): KbError =>
  new KbError('conflict', `What was read of the collection «${name}» was removed meanwhile.`, {
    hint: 'Run it again.',
    cause,
    isRetryable: true,
  });

/** What is stored of each source. */
export async function storedSources(table: Table): Promise<Map<string, StoredSource>> {
  const rows = await table.query().select(['source', 'source_kind', 'version', 'siblings']).toArrow();
  const found = new Map<string, StoredSource>();
  for (const batch of rows.batches) {
    const [source, kind, version, siblings] = ['source', 'source_kind', 'version', 'siblings'].map((name) => reader(batch, name));
    for (let at = 0; at < batch.numRows; at++) {
      countSources(found, {
        source: source!(at) as string,
        source_kind: kind!(at) as string,
        version: (version!(at) as string | undefined) ?? '',
        chunk_count: siblings!(at) as number,
      });
    }
  }
  return found;
}

/** Sources of one query. */
const MOST_SOURCES = 1_000;

/** What the sources hold. The length of a text is counted by LanceDB, which hands none of them over. */
export async function sourceContents(holder: TableHolder, sources: readonly string[]): Promise<Map<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  for (let i = 0; i < sources.length; i += MOST_SOURCES) {
    const condition = inList('source', sources.slice(i, i + MOST_SOURCES));
    const columns = { source: 'source', metadata: 'metadata', characters: 'character_length(text)' };
    const rows = await holder.read((table) => table.query().where(condition).select(columns).toArrow());
    const [source, metadata, characters] = Object.keys(columns).map((name) => reader(rows, name));
    for (let at = 0; at < rows.numRows; at++)
      countContent(found, source!(at) as string, { metadata: metadata!(at) as string, characters: Number(characters!(at)) });
  }
  return found;
}
