import { expect } from 'vitest';
import { collect } from '../../src/core/run.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { engineIn, result, WORDS } from './engine.ts';
import { folder } from './folder.ts';

/** Three texts. */
export const TEXTS = ['The gate is locked at ten.', 'The bell rings at noon.', 'The lamp is lit at six.'];

/** The texts with a source, a title and metadata each. */
export const named = TEXTS.map((text, i) => ({ source: `rule-${i}`, text, title: `Rule ${i}`, metadata: { year: 2020 + i } }));

/** An engine with three texts in the collection "default". */
export async function filled(settings = WORDS, home = folder()): Promise<Engine> {
  const engine = engineIn(home, settings);
  expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3, failed: 0 });
  return engine;
}

/** The lines of an export. */
export async function exported(engine: Engine, name = 'default'): Promise<string[]> {
  const { events } = await collect(engine.run('export_collection', { name }));
  return events.map(({ data }) => JSON.stringify(data));
}

/** An export, to be read again. */
export async function* lines(of: readonly string[]): AsyncGenerator<string, void, void> {
  yield* of;
}
