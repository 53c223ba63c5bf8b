import type { Engine } from '../../src/ports/engines.ts';
import { engineIn, result, WORDS } from './engine.ts';
import type { Layer } from '../../src/core/settings.ts';
import { folder } from './folder.ts';

/** Three rules of a harbour. */
export const RULES = [
  { source: 'gate', text: 'The gate is locked at ten in the evening. The key hangs in the office.', metadata: { year: 2020 } },
  { source: 'bell', text: 'The bell rings at noon. The error ERR-4042 means that its rope is torn.', metadata: { year: 2024 } },
  { source: 'lamp', text: 'The lamp at the harbour is lit at six. Nobody needs to do that by hand.', metadata: { year: 2026 } },
];

/** A direction for each of the three things: what a model that understands them would say. */
export const vector = (text: string): number[] => ['gate', 'bell', 'lamp'].map((word) => (new RegExp(word, 'i').test(text) ? 1 : 0.01));

/** An engine with the rules in its collection. */
export async function filled(settings: Layer = WORDS, home = folder()): Promise<Engine> {
  const engine = engineIn(home, settings);
  await result(engine, 'ingest', { markdown: RULES });
  return engine;
}
