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
  /** The sources that are stored before the run. */
  before: ReadonlyMap<string, StoredSource>;
  /** Called with a sentence that says why nothing is kept. */
  onProblem(message: string): void;
}

interface OpenMemory {
  /** Undefined if nothing can be kept or no pages are requested. */
  pages: PageMemory | undefined;
  close(): Promise<void>;
}

const NONE: OpenMemory = { pages: undefined, close: async () => {} };

/** Opens what earlier runs know of the collection's pages. A page is recalled only if it is stored as this run would store it. Never throws. */
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
      isStored: (page) => isStoredAs(page, { before, chunking: settings.chunking, metadata: request.metadata }),
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

/** Removes the page memory of the collection. */
export async function dropMemory({ settings, home }: Context): Promise<void> {
  const { folder, name } = placeOf(settings, home);
  await rm(join(folder, name), { force: true }).catch(() => {}); // what it says is compared with what is stored
}

/** A hash of the settings and the kb version, which affect how pages are read; of sites only the names of what is sent. */
function circumstancesOf({ ingestion: { urls }, network }: Config): string {
  const given = network.sites.map(({ origin, headers = {}, cookies = {}, basic_auth }) => [
    origin,
    Object.keys(headers),
    Object.keys(cookies),
    basic_auth !== undefined,
  ]);
  return hash(JSON.stringify([packageVersion(), urls.frontmatter, urls.render, network.user_agent, given])).slice(0, 8);
}

/** Opens the memory while holding a lock on its file. Throws a KbError (`aborted`) if another run holds it. */
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
