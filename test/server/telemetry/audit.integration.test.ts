import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { createEngine } from '../../../src/engine/engine.ts';
import { settle } from '../../../src/core/run.ts';
import { mergeLayers } from '../../../src/core/settings.ts';
import { Config, DEFAULTS } from '../../../src/schema/config.ts';
import { Metrics } from '../../../src/server/telemetry/metrics.ts';
import { observeEngine } from '../../../src/server/telemetry/observed-engine.ts';
import { WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';

const access = { name: 'ci', scopes: ['read', 'write', 'admin'] as const, collections: ['*'] };

function audited() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, WORDS)), home: folder(), surface: 'server' });
  return { lines, engine: observeEngine(engine, { log, metrics: new Metrics() }) };
}

describe('the audit line of a write', () => {
  it('says who wrote what, where and how much, and nothing of the text', async () => {
    const { lines, engine } = audited();
    const storage = { collection: 'rules' };
    await settle(engine.run('ingest', { markdown: [{ text: 'Doors are locked at ten.', source: 'secret.md' }], storage }, { access }));
    await settle(engine.run('delete', { source: 'secret.md', collection: 'rules' }));
    await settle(engine.run('drop_collection', { name: 'rules' }, { access }));
    expect(lines).toMatchObject([
      {
        who: 'ci',
        operation: 'ingest',
        collections: ['rules'],
        outcome: 'done',
        counts: { sources: 1, stored: 1, failed: 0 },
        msg: 'wrote',
      },
      { who: 'anyone', operation: 'delete', collections: ['rules'], outcome: 'done', counts: { deleted: 1 } },
      { who: 'ci', operation: 'drop_collection', collections: ['rules'], outcome: 'done' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Doors|secret/);
    await engine.close();
  });

  it('is there for a write that failed or was stopped, and for none that was not allowed or only read', async () => {
    const { lines, engine } = audited();
    await expect(settle(engine.run('drop_collection', { name: 'absent' }, { access }))).rejects.toThrow(/absent/);
    const left = engine.run('ingest', { markdown: 'Doors.' }, { access });
    await left.next();
    await left.return(undefined as never);
    const reader = { ...access, scopes: ['read'] as const };
    await expect(settle(engine.run('delete', { source: 'x' }, { access: reader }))).rejects.toThrow(/write/);
    await settle(engine.run('retrieve', { query: 'x' }, { access }));
    expect(lines.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['drop_collection', 'failed'],
      ['ingest', 'stopped'],
    ]);
    await engine.close();
  });
});
