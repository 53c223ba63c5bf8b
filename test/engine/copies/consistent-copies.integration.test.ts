import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Layer } from '../../../src/core/settings.ts';
import type { Engine } from '../../../src/ports/engines.ts';
import { chunksIn, engineIn, result, WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { startMachine } from '../../support/machines.ts';
import { forEachStorage } from '../../support/storages.ts';

const DOCUMENTS = 5;
/** Chunks of a document: together more than a page of any store. */
const SECTIONS = 70;

const documents = (round: number) =>
  Array.from({ length: DOCUMENTS }, (_, i) => ({
    source: `doc-${i}`,
    text: Array.from({ length: SECTIONS }, (__, section) => `# Part ${section}\n\n${`This is of round ${round}. `.repeat(40)}`).join(
      '\n\n',
    ),
  }));

/** Of each document in its order the rounds that its chunks are of. */
async function roundsIn(engine: Engine): Promise<string[]> {
  const bySource = Map.groupBy(await chunksIn(engine), ({ source }) => String(source));
  return [...bySource.keys()].toSorted().map((source) => {
    const chunks = bySource.get(source)!;
    expect(chunks, source).toHaveLength(SECTIONS);
    return [...new Set(chunks.map(({ text }) => /of round (\d+)/.exec(String(text))![1]))].join('+');
  });
}

/** Documents are written one after the other: of any moment, the first ones are of a round, and the others of the round before. */
function expectOneMoment(rounds: readonly string[]): void {
  const [first, last] = [Number(rounds[0]), Number(rounds.at(-1))];
  expect(rounds, 'in their order').toEqual(rounds.toSorted((a, b) => Number(b) - Number(a)));
  expect(first - last, `${rounds.join(' ')}: of two rounds at most`).toBeLessThanOrEqual(1);
}

const open = (storage: Layer): Engine => engineIn(folder(), { ...WORDS, storage });

forEachStorage('a snapshot', (openStorage, kind) => {
  it('has one state while another process ingests, edits and deletes', { timeout: 240_000 }, async () => {
    const storage = { ...(await openStorage()), batch_size: SECTIONS };
    const [here, there] = [open(storage), startMachine({ storage })];
    await there.run('ingest', { markdown: documents(0) });
    for (let round = 1; round <= 3; round++) {
      const writing = there
        .run('ingest', { markdown: documents(round) })
        .then(() => there.run('delete', { source: `doc-${DOCUMENTS - 1}` }))
        .then(() => there.run('ingest', { markdown: documents(round).slice(-1) }));
      await Promise.all([wait(60 * round).then(() => result(here, 'create_snapshot', { name: `at-${round}` })), writing]);
    }
    for (const { name, error } of (await result(here, 'list_snapshots', {})).snapshots) {
      expect(error).toBeUndefined();
      await result(here, 'restore_snapshot', { name });
      const rounds = await roundsIn(here);
      if (kind === 'Qdrant') expectOneMoment(rounds);
      else expect(new Set(rounds).size, `${rounds.join(' ')}: writers wait`).toBe(1);
    }
  });

  it('is restored completely or not at all if the restore is killed', { timeout: 240_000 }, async () => {
    const storage = { ...(await openStorage()), batch_size: SECTIONS };
    const here = open(storage);
    for (const round of [0, 1]) {
      await result(here, 'ingest', { markdown: documents(round) });
      await result(here, 'create_snapshot', { name: `at-${round}` });
    }
    let present = 1;
    for (const delay of [20, 60, 120, 200]) {
      const there = startMachine({ storage });
      await there.run('list_collections', {}); // it has begun
      const wanted = 1 - present;
      const restoring = there.run('restore_snapshot', { name: `at-${wanted}` }).catch(() => {});
      await wait(delay);
      there.process.kill('SIGKILL');
      await restoring;
      const rounds = await roundsIn(here);
      expect(rounds).toEqual(Array.from({ length: DOCUMENTS }, () => rounds[0]));
      expect(['0', '1']).toContain(rounds[0]);
      present = Number(rounds[0]);
    }
    await result(here, 'restore_snapshot', { name: 'at-0' });
    expect(new Set(await roundsIn(here))).toEqual(new Set(['0']));
  });
});
