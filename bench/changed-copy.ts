import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What takes the place of what, in a file of the project. */
export type Change = readonly [file: string, written: string, instead: string];

/** A copy of the sources and benchmarks with these changes, in a temporary folder that the caller removes. Throws where what is to be replaced does not stand there once. */
export function copyWith(changes: readonly Change[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'kb-bench-'));
  try {
    for (const part of ['src', 'packages', 'bench', 'package.json']) cpSync(join(root, part), join(copy, part), { recursive: true });
    for (const part of ['node_modules', 'models', 'examples']) symlinkSync(join(root, part), join(copy, part));
    for (const [file, written, instead] of changes) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (text.split(written).length !== 2) throw new Error(`"${written}" does not stand in ${file} once.`);
      writeFileSync(
        path,
        text.replace(written, () => instead),
      );
    }
    return copy;
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}
