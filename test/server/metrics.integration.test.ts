import { describe, expect, it } from 'vitest';
import { Metrics, observeEngine } from '../../src/server/metrics.ts';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';
import { pino } from 'pino';
import { createEngine } from '../../src/engine/engine.ts';
import { settle } from '../../src/core/run.ts';
import { mergeLayers } from '../../src/core/settings.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { WORDS } from '../support/engine.ts';

/** A line of Prometheus' text format, version 0.0.4: a comment or a sample. */
const LINE = /^(?:# (?:HELP|TYPE) \w+ .+|[a-z_]\w*(?:\{\w+="(?:\\.|[^"\\])*"(?:,\w+="(?:\\.|[^"\\])*")*\})? (?:\+Inf|[\d.e+-]+))$/;

async function read({ get }: Served): Promise<(series: string) => number | undefined> {
  const { status, headers, text } = await get('/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(
    text
      .trimEnd()
      .split('\n')
      .filter((line) => !LINE.test(line)),
  ).toEqual([]);
  const values = new Map(text.split('\n').map((line) => line.split(/ (?=\S+$)/) as [string, string]));
  return (series) => (values.has(series) ? Number(values.get(series)) : undefined);
}

describe('/metrics', () => {
  it('counts requests, durations, operations, chunks and jobs, without text', async () => {
    const server = await serveIn(folder());
    await server.post('/v1/pipelines/ingest', { markdown: 'Marzipan is sold by weight.' });
    for (let i = 0; i < 3; i++) await server.post('/v1/retrieve', { query: 'marzipan' });
    await server.post('/v1/chat', { query: 'How is marzipan sold?' });
    await server.post('/v1/retrieve', { query: 'marzipan', top_k: 0 });
    await server.get('/v1/marzipan');
    const value = await read(server);
    expect(value('kb_http_requests_total{method="POST",route="/v1/retrieve",status="200"}')).toBe(3);
    expect(value('kb_http_requests_total{method="POST",route="/v1/retrieve",status="400"}')).toBe(1);
    expect(value('kb_http_requests_total{method="any",route="none",status="404"}')).toBe(1);
    expect(value('kb_http_request_duration_seconds_count{route="/v1/retrieve"}')).toBe(4);
    expect(value('kb_http_request_duration_seconds_bucket{route="/v1/retrieve",le="+Inf"}')).toBe(4);
    expect(value('kb_operations_total{operation="retrieve",outcome="done"}')).toBe(3);
    expect(value('kb_operations_total{operation="retrieve",outcome="failed"}')).toBe(1);
    expect([value('kb_chunks_stored_total'), value('kb_chunks_retrieved_total')]).toEqual([1, 4]);
    expect([value('kb_jobs{state="running"}'), value('kb_queue_waiting{queue="search"}')]).toEqual([0, 0]);
    expect(value('kb_http_requests_in_progress')).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect((await server.get('/metrics')).text).not.toMatch(/marzipan/i);
  });

  it('needs a token if the server has any', async () => {
    const tokens = { prometheus: { scopes: ['read' as const], collections: ['none'] } };
    const { get } = await serveIn(folder(), { tokens });
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', { authorization: 'Bearer prometheus' })).status).toBe(200);
  });
});

describe('metrics', () => {
  it('are written with description and type, with escaped labels', () => {
    const metrics = new Metrics();
    metrics.count('kb_operations_total', { operation: 'a"b\\c\nd' }, 2);
    expect(metrics.text({})).toBe(
      '# HELP kb_operations_total Operations run, also by jobs, by operation and outcome\n# TYPE kb_operations_total counter\n' +
        'kb_operations_total{operation="a\\"b\\\\c\\nd"} 2\n',
    );
  });
});

const access = { name: 'ci', scopes: ['read', 'write', 'admin'] as const, collections: ['*'] };

function audited() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, WORDS)), home: folder(), surface: 'server' });
  return { lines, engine: observeEngine(engine, { log, metrics: new Metrics() }) };
}

describe('the audit line of a write', () => {
  it('says who wrote what, where and how much, without text', async () => {
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

  it('is written for failed and stopped writes, but not for refused ones and reads', async () => {
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
