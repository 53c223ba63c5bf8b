import { existsSync } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../core/create-folder.ts';
import { z } from 'zod';
import { describeFileError } from '../core/file-names.ts';
import { replaceFile } from '../core/replace-file.ts';
import type { StoredSource } from '../ports/stores.ts';
import type { Config } from '../schema/config.ts';
import type { Origins } from '../stages/ingest/inventory.ts';
import type { Context } from './context.ts';
import { folderBeside } from './store-address.ts';
import { KbError } from '../core/errors.ts';
import { hash } from '../core/ids.ts';
import { DEAD_AFTER, HEARTBEAT_INTERVAL } from '../core/process-owner.ts';
import { packageVersion } from '../core/project.ts';
import { lockForWriting } from '../drivers/stores/writer-lock.ts';
import type { IngestRequest } from '../schema/requests.ts';
import { openPageMemory, memoryErrorReason, type PageMemory } from '../stages/extract/pages/page-memory.ts';
import { isStoredAs } from '../stages/ingest/read-documents.ts';

/** The sources that each configured input gave, and the hashes of versions that the next run has to confirm. */
const OriginsFile = z.object({
  version: z.literal(1),
  inputs: z.record(z.string(), z.array(z.string())),
  unconfirmed: z.record(z.string(), z.string()).optional(),
});

/** What is known of the sources of a collection besides their chunks. */
export interface KnownSources {
  origins: Origins;
  unconfirmed: Map<string, string>;
}

const originsFile = ({ storage, collection }: Config, home: string): string =>
  join(folderBeside(storage, { home, name: '.sources' }), `${collection}.json`);

/** Receives a sentence that says what failed and why. */
type OnProblem = (message: string) => void;

/** Reads which configured input each stored source came from, to find sources of inputs that were removed since. Never throws. */
export async function recallSources({ settings, home }: Context, onProblem: OnProblem): Promise<KnownSources> {
  try {
    const { inputs, unconfirmed = {} } = OriginsFile.parse(JSON.parse(await readFile(originsFile(settings, home), 'utf8')));
    const origins = Object.entries(inputs).flatMap(([input, sources]) => sources.map((source) => [source, input] as const));
    return { origins: new Map(origins), unconfirmed: new Map(Object.entries(unconfirmed)) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      onProblem(
        `What the configured sources gave before can't be read: ${describeProblem(cause)}. What left their list since is not told.`,
      );
    return { origins: new Map(), unconfirmed: new Map() };
  }
}

/** Saves what is known of the sources atomically. Never throws. */
export async function saveSources(
  { origins, unconfirmed }: KnownSources,
  { settings, home }: Context,
  onProblem: OnProblem,
): Promise<void> {
  const file = originsFile(settings, home);
  const inputs: Record<string, string[]> = {};
  for (const [source, input] of origins) (inputs[input] ??= []).push(source);
  try {
    if (origins.size + unconfirmed.size === 0) return await rm(file, { force: true });
    await createFolder(dirname(file));
    const content = { version: 1, inputs, unconfirmed: Object.fromEntries(unconfirmed) } satisfies z.infer<typeof OriginsFile>;
    await replaceFile(file, `${JSON.stringify(content)}\n`);
  } catch (cause) {
    onProblem(`What the configured sources gave can't be kept: ${describeProblem(cause)}. What leaves their list is not told then.`);
  }
}

/** Removes the saved origins of a collection. */
export const dropOrigins = ({ settings, home }: Context): Promise<void> => rm(originsFile(settings, home), { force: true }).catch(() => {});

/** Copies the saved origins of a collection. Never throws: unknown origins are not reported. */
export async function copyOrigins(from: Context, to: Context): Promise<void> {
  const [source, target] = [from, to].map(({ settings, home }) => originsFile(settings, home)) as [string, string];
  await rm(target, { force: true }).catch(() => {});
  await createFolder(dirname(target))
    .then(() => copyFile(source, target))
    .catch(() => {});
}

const describeProblem = (cause: unknown): string =>
  cause instanceof z.ZodError || cause instanceof SyntaxError ? 'it is damaged' : describeFileError(cause, 'write');

interface OriginsChange {
  /** Known before the run. */
  known: Origins;
  /** Found by this run. */
  found: Origins;
  before: ReadonlyMap<string, StoredSource>;
  removed: readonly string[];
  /** Whether the run read the configured sources; others have no origin. */
  isConfigured: boolean;
}

/** Computes the origins after a run: each source belongs to the last input that yielded it, and removed sources are dropped. */
export function changedOrigins({ known, found: met, before, removed, isConfigured }: OriginsChange): Origins {
  const gone = new Set(removed);
  const stays = [...known].filter(([source]) => before.has(source) && !met.has(source) && !gone.has(source));
  return new Map([...stays, ...(isConfigured ? met : [])]);
}

const memoryFile = ({ storage, collection }: Config, home: string): { folder: string; name: string } => ({
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

const NO_MEMORY: OpenMemory = { pages: undefined, close: async () => {} };

/** Opens the memory of the collection's pages. It recalls a page only if it is stored as this run would store it. Never throws. */
export async function openMemory(context: Context, { request, before, onProblem }: MemoryOptions): Promise<OpenMemory> {
  if (request.urls === undefined || (request.dry_run && request.force)) return NO_MEMORY; // reads everything and keeps nothing
  const { settings, home, surface } = context;
  const { folder, name } = memoryFile(settings, home);
  const mode = request.dry_run ? 'read' : request.force ? 'write' : 'use';
  const file = join(folder, name);
  const place = surface === 'cli' ? ` in ${file}` : '';
  const problem = (reason: string) =>
    onProblem(`What is known of the pages can't be kept${place}: ${reason}. The next ingest loads them all again.`);
  const open = async (): Promise<OpenMemory> => {
    const memory = await openPageMemory({
      file,
      mode,
      settings: hashSettings(settings),
      isStored: (page) => isStoredAs(page, { before, chunking: settings.chunking, metadata: request.metadata }),
      isKnown: (source) => before.has(source),
      onProblem: problem,
    });
    return { pages: memory, close: () => memory.close() };
  };
  if (mode === 'read') return await open().catch(() => NO_MEMORY);
  try {
    await createFolder(folder);
    return await withFileLock({ folder, name }, open);
  } catch (cause) {
    problem(cause instanceof KbError ? 'another run is writing to it' : memoryErrorReason(cause));
    return NO_MEMORY;
  }
}

/** Removes from the page memory of the collection what does not belong to a stored page. Throws a KbError if the file cannot be rewritten. */
export async function compactMemory({ settings, home }: Context, stored: ReadonlyMap<string, StoredSource>): Promise<void> {
  const { folder, name } = memoryFile(settings, home);
  const file = join(folder, name);
  if (!existsSync(file)) return;
  const throwProblem = (reason: string): never => {
    throw new KbError('unavailable', `The page memory of "${settings.collection}" (${file}) can't be rewritten: ${reason}.`, {
      hint: 'It may name pages that were deleted. Check the permissions and the free space, then run it again.',
    });
  };
  const options = { file, mode: 'use', settings: hashSettings(settings), isStored: () => true, onProblem: throwProblem } as const;
  const open = async (): Promise<OpenMemory> => {
    const memory = await openPageMemory({ ...options, isKnown: (source) => stored.has(source) });
    return { pages: undefined, close: () => memory.compact().finally(() => memory.close()) };
  };
  await withFileLock({ folder, name }, open)
    .then(({ close }) => close())
    .catch((cause: unknown) => {
      if (!(cause instanceof KbError)) throwProblem(memoryErrorReason(cause));
      throw cause;
    });
}

/** Removes the page memory of the collection. */
export async function dropMemory({ settings, home }: Context): Promise<void> {
  const { folder, name } = memoryFile(settings, home);
  // a leftover does no harm to later runs: its pages are compared with the stored ones
  for (const file of [name, `${name}.new`]) await rm(join(folder, file), { force: true }).catch(() => {});
}

/** Hashes the settings and the kb version that affect how pages are read. Of site credentials, only the names are hashed. */
function hashSettings({ ingestion: { urls, html }, network }: Config): string {
  const siteFields = network.sites.map(({ origin, headers = {}, cookies = {}, basic_auth }) => [
    origin,
    Object.keys(headers),
    Object.keys(cookies),
    basic_auth !== undefined,
  ]);
  return hash(JSON.stringify([packageVersion(), urls.frontmatter, urls.render, html, network.user_agent, siteFields])).slice(0, 8);
}

/**
 * Opens the memory while holding a lock on its file. Throws a KbError (`aborted`) if another run holds it for so long that it must be alive: this run holds the
 * lock of the collection, so the owner has usually died, perhaps on another machine.
 */
async function withFileLock({ folder, name }: { folder: string; name: string }, open: () => Promise<OpenMemory>): Promise<OpenMemory> {
  const { release } = await lockForWriting(folder, `${name}.lock`, { signal: AbortSignal.timeout(DEAD_AFTER + HEARTBEAT_INTERVAL) });
  try {
    const { pages, close } = await open();
    return { pages, close: () => close().finally(release) };
  } catch (cause) {
    await release();
    throw cause;
  }
}
