import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KbError } from '../core/errors.ts';
import { hash } from '../core/ids.ts';
import { packageVersion } from '../core/project.ts';
import { lockForWriting } from '../drivers/stores/writer-lock.ts';
import type { StoredSource } from '../ports/stores.ts';
import type { Config } from '../schema/config.ts';
import type { IngestRequest } from '../schema/requests.ts';
import { openPageMemory, memoryErrorReason } from '../stages/extract/pages/memory/kept-page-memory.ts';
import type { PageMemory } from '../stages/extract/pages/page-memory.ts';
import { isStoredAs } from '../stages/ingest/read-documents.ts';
import type { Context } from './context.ts';
import { folderBeside } from './store-address.ts';

const placeOf = ({ storage, collection }: Config, home: string): { folder: string; name: string } => ({
  folder: folderBeside(storage, { home, name: '.pages' }),
  name: `${collection}.jsonl`,
});

interface MemoryOptions {
  request: IngestRequest;
  /** What is stored now. */
  before: ReadonlyMap<string, StoredSource>;
  /** Told in a sentence that nothing is kept, and why. */
  onProblem(message: string): void;
}

/** A memory and what lets go of it. */
interface OpenMemory {
  /** Undefined where nothing can be kept, or no pages are asked for. */
  pages: PageMemory | undefined;
  close(): Promise<void>;
}

const NONE: OpenMemory = { pages: undefined, close: async () => {} };

/**
 * What earlier runs know of the pages of the collection that the settings name. Only what is stored just as this run would store it is recalled: a page
 * that was deleted, or that is to be chunked in another way, is read again. Never throws.
 */
export async function openMemory(context: Context, { request, before, onProblem }: MemoryOptions): Promise<OpenMemory> {
  if (request.urls === undefined || (request.dry_run && request.force)) return NONE; // all is to be read, and nothing written down
  const { settings, home, surface } = context;
  const { folder, name } = placeOf(settings, home);
  const mode = request.dry_run ? 'read' : request.force ? 'write' : 'use';
  const file = join(folder, name);
  const place = surface === 'cli' ? ` in ${file}` : '';
  const problem = (reason: string) =>
    onProblem(`What is known of the pages can't be kept${place}: ${reason}. The next ingest loads them all again.`);
  const open = async (): Promise<OpenMemory> => {
    const memory = await openPageMemory({
      file,
      mode,
      settings: circumstancesOf(settings),
      isStored: (page) => isStoredAs(page, { before, chunking: settings.chunking }),
      isKnown: (source) => before.has(source),
      onProblem: problem,
    });
    return { pages: memory, close: () => memory.close() };
  };
  if (mode === 'read') return await open().catch(() => NONE);
  try {
    await mkdir(folder, { recursive: true });
    return await locked({ folder, name }, open);
  } catch (cause) {
    problem(cause instanceof KbError ? 'another run is writing to it' : memoryErrorReason(cause));
    return NONE;
  }
}

/** Removes what is known of the pages of the collection that the settings name. Nothing of the collection is left then that it could be about. */
export async function dropMemory({ settings, home }: Context): Promise<void> {
  const { folder, name } = placeOf(settings, home);
  await rm(join(folder, name), { force: true }).catch(() => {}); // what it says is compared with what is stored
}

/** What decides what becomes of a page, in few letters: the settings, and the version of kb, which may read it better. Of what sites are given the names alone: values are secret. */
function circumstancesOf({ ingestion: { urls }, network }: Config): string {
  const given = network.sites.map(({ origin, headers = {}, cookies = {}, basic_auth }) => [
    origin,
    Object.keys(headers),
    Object.keys(cookies),
    basic_auth !== undefined,
  ]);
  return hash(JSON.stringify([packageVersion(), urls.frontmatter, urls.render, network.user_agent, given])).slice(0, 8);
}

/** For as long as it is open, nobody else opens it to write: stores that are no folder have no lock of their own. Throws a KbError (`aborted`) where someone has. */
async function locked({ folder, name }: { folder: string; name: string }, open: () => Promise<OpenMemory>): Promise<OpenMemory> {
  const isTaken = new AbortController();
  const { release } = await lockForWriting(folder, `${name}.lock`, { signal: isTaken.signal, onWait: () => isTaken.abort() });
  try {
    const { pages, close } = await open();
    return { pages, close: () => close().finally(release) };
  } catch (cause) {
    await release();
    throw cause;
  }
}
