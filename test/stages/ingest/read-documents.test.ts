import { expect, it } from 'vitest';
import { LanguageTally } from '../../../src/stages/ingest/read-documents.ts';

const chunks = (...texts: string[]) => texts.map((text, i) => ({ id: `${i}`, text, source: 'a', metadata: {} }));

it('counts the passages of documents in other languages than English', () => {
  const tally = new LanguageTally();
  expect(tally.foreign_share).toBe(0);
  tally.add([]);
  tally.add(chunks('The gate is locked at ten, and it is opened again at seven in the morning.'));
  tally.add(chunks('```\nconst a = 1;\n```'));
  expect(tally.foreign_share).toBe(0);
  tally.add(chunks('Das Tor', 'Das Tor wird um zehn Uhr abgeschlossen und am Morgen wieder geöffnet.'));
  expect(tally.foreign_share).toBe(0.5);
  tally.add(chunks('大门在十点上锁。', '大门在七点打开。', '大门在十点上锁。', '大门在七点打开。'));
  expect(tally.foreign_share).toBe(0.75);
});
