import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A hidden name beside the file that nobody can guess, so that no link can be laid there. */
const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}.new`);

/** Replaces a file atomically, by renaming a draft beside it: a reader never sees half of the text. A failed draft is removed. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = draftOf(file);
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {});
    throw cause;
  }
}

/** Does the same synchronously. `mode` is that of the new file. */
export function replaceFileSync(file: string, text: string, { mode = 0o666 }: { mode?: number } = {}): void {
  const draft = draftOf(file);
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' });
    renameSync(draft, file);
  } catch (cause) {
    removeDraft(draft);
    throw cause;
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    return; // a draft that cannot be removed was not written
  }
}
