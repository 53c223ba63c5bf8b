import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { engineIn, result, sourcesIn } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';

const CYCLES = 36;
const document = (i: number, words: string) => ({ source: `doc-${i}`, text: `# Document ${i}\n\n${`This is ${words}. `.repeat(30)}` });

/** Bytes and number of files in the folder; those under several names count once. */
function sizeOf(path: string): { bytes: number; files: number } {
  const sizes = new Map<number, number>();
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const found = entry.isFile() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined;
    if (found) sizes.set(found.ino, found.size);
  }
  return { bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0), files: sizes.size };
}

it.each([
  ['has just been made', 0],
  ['is older than an hour', 2 * 3_600_000],
])(
  'a collection that %s takes no more space after many cycles of edits, ingests, deletions and snapshots',
  { timeout: 300_000 },
  async (_, age) => {
    const home = folder();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - age });
    const engine = engineIn(home);
    await result(engine, 'ingest', { markdown: Array.from({ length: 20 }, (__, i) => document(i, 'new')) });
    vi.useRealTimers();
    const sizes: { bytes: number; files: number }[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      await result(engine, 'ingest', { markdown: [document(cycle % 20, `edited ${cycle}`), document(20 + cycle, 'added')] });
      await result(engine, 'delete', { source: `doc-${20 + cycle}` });
      if (cycle % 3 === 2) await result(engine, 'create_snapshot', { keep: 2 });
      sizes.push(sizeOf(join(home, '.kb')));
    }
    expect(await sourcesIn(engine)).toHaveLength(20);
    for (const what of ['bytes', 'files'] as const) {
      const most = (part: typeof sizes) => Math.max(...part.map((size) => size[what]));
      expect(most(sizes.slice(-CYCLES / 3)), what).toBeLessThan(1.2 * most(sizes.slice(0, -CYCLES / 3)));
    }
  },
);
