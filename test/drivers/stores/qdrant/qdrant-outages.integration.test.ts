import { describe, expect, it } from 'vitest';
import { collect } from '../../../../src/core/run.ts';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { Layer } from '../../../../src/core/settings.ts';
import { chunksIn, engineIn, result, WORDS } from '../../../support/engine.ts';
import { folder } from '../../../support/folder.ts';
import { emptyQdrant, QDRANT } from '../../../support/real-qdrant.ts';
import { openWay, type Way } from '../../../support/way.ts';

const documents = (word: string) =>
  Array.from({ length: 30 }, (_, i) => ({ source: `page-${i}`, text: `The ${word} page ${i}, on pumps. `.repeat(60) }));

/** A Qdrant and a way to it, with an engine that goes this way and one that does not. */
async function opened(options: Layer = {}) {
  const direct = await emptyQdrant();
  const way = await openWay(direct);
  const engine = (url: string) => engineIn(folder(), { ...WORDS, storage: { vector_db: 'qdrant', url, options, batch_size: 5 } });
  return { way, there: engine(way.url), direct: engine(direct), url: direct };
}

/** Who blocks the way when the second group of documents is written. */
function atSecondWrite(way: Way, act: () => void): void {
  way.once('"page-7"', act);
}

async function expectStored(engine: ReturnType<typeof engineIn>, word: string): Promise<void> {
  const chunks = await chunksIn(engine);
  expect(new Set(chunks.map(({ id }) => id)).size, 'no id twice').toBe(chunks.length);
  expect(new Set(chunks.map(({ source }) => source)).size).toBe(documents(word).length);
  for (const { text } of chunks) expect(text).toContain(` ${word} page`);
}

/** Asserts that each document is of one ingest alone. */
async function expectUnmixed(engine: ReturnType<typeof engineIn>): Promise<void> {
  for (const [source, chunks] of Map.groupBy(await chunksIn(engine), (chunk) => String(chunk['source'])))
    expect(new Set(chunks.map(({ text }) => / (\w+) page \d/.exec(String(text))![1])).size, source).toBe(1);
}

describe(`${QDRANT}, which starts again`, { timeout: 120_000 }, () => {
  it('is awaited during an ingest and a replacement', async () => {
    const { way, there, direct } = await opened();
    for (const word of ['first', 'second']) {
      atSecondWrite(way, () => way.restart(1_500));
      expect(await result(there, 'ingest', { markdown: documents(word) })).toMatchObject({ failed: 0, unchanged: 0 });
      await expectStored(direct, word);
    }
  });

  it('is awaited during a search', async () => {
    const { way, there } = await opened();
    await result(there, 'ingest', { markdown: documents('first') });
    way.restart(1_000);
    const { items, errors } = await result(there, 'retrieve', { query: 'pumps' });
    expect(errors).toEqual([]);
    expect(items.length).toBeGreaterThan(0);
  });
});

describe(`${QDRANT}, which freezes`, { timeout: 120_000 }, () => {
  const quick = { timeout: 0.5, retries: 1 };
  const told = /Qdrant at http:\/\/127\.0\.0\.1:\d+ did not answer within 0\.5 seconds/;

  it('is reported by a search after the configured timeout', async () => {
    const { way, there, direct } = await opened(quick);
    await result(direct, 'ingest', { markdown: documents('first') });
    expect((await result(there, 'retrieve', { query: 'pumps' })).errors).toEqual([]);
    way.freeze();
    const { errors } = await result(there, 'retrieve', { query: 'pumps' });
    expect(errors).toMatchObject([{ stage: 'retrieve', isRetryable: true, error: expect.stringMatching(told) }]);
    way.thaw();
    expect((await result(there, 'retrieve', { query: 'pumps' })).errors).toEqual([]);
  });

  it('is reported by an ingest, whose delayed writes then undo nothing of other writers', async () => {
    const { way, there, direct, url } = await opened(quick);
    await result(direct, 'ingest', { markdown: documents('first') });
    atSecondWrite(way, () => way.freeze());
    await expect(result(there, 'ingest', { markdown: documents('second') })).rejects.toMatchObject({
      code: 'unavailable',
      isRetryable: true,
      message: expect.stringMatching(told),
    });
    await expectUnmixed(direct);
    const { failed } = await result(direct, 'ingest', { markdown: documents('third') });
    expect(failed).toBe(0);
    way.thaw();
    await (await (await openQdrant({ url, environment: { XDG_STATE_HOME: folder() } })).open('default'))!.optimize();
    await expectStored(direct, 'third');
    expect(await result(there, 'ingest', { markdown: documents('fourth') })).toMatchObject({ failed: 0 });
    await expectStored(direct, 'fourth');
  });
});

describe(`${QDRANT}, which does not answer`, { timeout: 60_000 }, () => {
  const patient = { timeout: 500, retries: 10 };
  const stopped = { code: 'aborted' };
  /** Runs a search that is stopped half a second later. */
  async function stoppedSearch({ there }: Awaited<ReturnType<typeof opened>>) {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    return await collect(there.run('retrieve', { query: 'pumps' }, { signal: stop.signal }));
  }

  it('is no longer awaited when the run is aborted', async () => {
    const all = await opened(patient);
    await result(all.direct, 'ingest', { markdown: documents('first') });
    all.way.freeze();
    await expect(stoppedSearch(all)).rejects.toMatchObject(stopped);
    all.way.thaw();
    all.way.restart(300_000);
    await expect(stoppedSearch(all)).rejects.toMatchObject(stopped);
  });
});
