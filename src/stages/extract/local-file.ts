import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import pLimit from 'p-limit';
import { KbError } from '../../base/errors.ts';

/** A larger file is refused: it would be read into memory whole. */
const MAX_BYTES = 512 * 2 ** 20;
/** A file up to this size is read in one go: to hand the steps of that to other threads takes longer than to do them. */
const SMALL_BYTES = 256 * 2 ** 10;
/** A larger file is not kept in memory between its hash and its parsing, but read again. */
const KEPT_BYTES = 2 ** 20;
/** Large files in memory at once, those that wait for a parser among them. */
const largeInTurn = pLimit(2);

/** Hands the bytes of a file to `use`, which may be called again later (`again`). */
export interface LocalFile<First> {
  first: First;
  again<Result>(use: (bytes: Uint8Array) => Promise<Result> | Result): Promise<Result>;
}

/** Reads a file for `first` (its hash), and lets it be read `again` for its document. Few large files are in memory at once. Throws a KbError that names `source`. */
export async function openLocalFile<First>(path: string, source: string, first: (bytes: Uint8Array) => First): Promise<LocalFile<First>> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      throw new KbError('too_large', `${source} has ${Math.round(size / 2 ** 20)} MiB; at most ${MAX_BYTES / 2 ** 20} are read.`, {
        hint: 'Split it.',
      });
    }
    if (size > KEPT_BYTES) {
      const again = <Result>(use: (bytes: Uint8Array) => Promise<Result> | Result) => largeInTurn(async () => use(await readFile(path)));
      return { first: await again(first), again };
    }
    const bytes = size <= SMALL_BYTES ? readFileSync(path) : await readFile(path);
    return { first: first(bytes), again: async (use) => use(bytes) };
  } catch (error) {
    if (error instanceof KbError) throw error;
    throw new KbError('invalid', `${source} cannot be read: ${(error as Error).message}.`, {
      hint: 'Check its permissions.',
      cause: error,
    });
  }
}
