import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { describeFileError } from '../core/file-names.ts';
import type { StoredSource } from '../ports/stores.ts';
import type { Config } from '../schema/config.ts';
import type { Origins } from '../stages/ingest/inventory.ts';
import type { Context } from './context.ts';
import { folderBeside } from './store-address.ts';

/** The sources that each configured input gave. */
const Kept = z.object({ version: z.literal(1), inputs: z.record(z.string(), z.array(z.string())) });

const fileOf = ({ storage, collection }: Config, home: string): string =>
  join(folderBeside(storage, { home, name: '.sources' }), `${collection}.json`);

/** Called with a sentence that says what failed and why. */
type OnProblem = (message: string) => void;

/** Reads which stored sources came from which configured source, so that those that left the configuration can be told from others. Never throws. */
export async function recallOrigins({ settings, home }: Context, onProblem: OnProblem): Promise<Origins> {
  try {
    const { inputs } = Kept.parse(JSON.parse(await readFile(fileOf(settings, home), 'utf8')));
    return new Map(Object.entries(inputs).flatMap(([input, sources]) => sources.map((source) => [source, input] as const)));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      onProblem(`What the configured sources gave before can't be read: ${reasonOf(cause)}. What left their list since is not told.`);
    return new Map();
  }
}

/** Saves the origins atomically. Never throws. */
export async function keepOrigins(origins: Origins, { settings, home }: Context, onProblem: OnProblem): Promise<void> {
  const file = fileOf(settings, home);
  const inputs: Record<string, string[]> = {};
  for (const [source, input] of origins) (inputs[input] ??= []).push(source);
  try {
    if (origins.size === 0) return await rm(file, { force: true });
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(`${file}.new`, `${JSON.stringify({ version: 1, inputs } satisfies z.infer<typeof Kept>)}\n`);
    await rename(`${file}.new`, file);
  } catch (cause) {
    onProblem(`What the configured sources gave can't be kept: ${reasonOf(cause)}. What leaves their list is not told then.`);
  }
}

/** Removes the saved origins of a collection. */
export const dropOrigins = ({ settings, home }: Context): Promise<void> => rm(fileOf(settings, home), { force: true }).catch(() => {});

type Place = Pick<Context, 'settings' | 'home'>;

/** Writes down the same of the collection of `to` as of that of `from`. Never throws: what is not known is not told. */
export async function copyOrigins(from: Place, to: Place): Promise<void> {
  const [source, target] = [from, to].map(({ settings, home }) => fileOf(settings, home)) as [string, string];
  await rm(target, { force: true }).catch(() => {});
  await mkdir(dirname(target), { recursive: true })
    .then(() => copyFile(source, target))
    .catch(() => {});
}

const reasonOf = (cause: unknown): string =>
  cause instanceof z.ZodError || cause instanceof SyntaxError ? 'it is damaged' : describeFileError(cause, 'write');

interface Change {
  /** Known before the run. */
  known: Origins;
  /** Found by this run. */
  met: Origins;
  before: ReadonlyMap<string, StoredSource>;
  removed: readonly string[];
  /** Whether the run read the configured sources; others have no origin. */
  isConfigured: boolean;
}

/** The origins after a run: the last input that gave a source owns it, and removed sources are dropped. */
export function changedOrigins({ known, met, before, removed, isConfigured }: Change): Origins {
  const gone = new Set(removed);
  const stays = [...known].filter(([source]) => before.has(source) && !met.has(source) && !gone.has(source));
  return new Map([...stays, ...(isConfigured ? met : [])]);
}
