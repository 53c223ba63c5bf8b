import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settle } from '../../src/core/run.ts';
import { mergeLayers } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { otlpSettings, OtlpTracer } from '../../src/http/otlp-tracer.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { folder, write } from '../support/folder.ts';
import { kb, startKb } from '../support/program.ts';
import { openSite } from '../support/site.ts';
import { listening } from '../support/listening.ts';

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status?: { code: number };
}

/** A collector on a free port, and what it was sent. */
async function collector(status = 200) {
  const requests: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    requests.push({ path: request.url!, headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  const spans = (): ReceivedSpan[] =>
    requests.flatMap(({ body }) =>
      JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: ReceivedSpan[] }[] }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  return { url, requests, spans };
}

const variablesOf = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
  OTEL_SERVICE_NAME: 'support',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
});

function traced(url: string) {
  const problems: string[] = [];
  const tracer = new OtlpTracer(otlpSettings(variablesOf(url), '1.2.3').settings!, (problem) => problems.push(problem));
  const config = Config.parse(mergeLayers(DEFAULTS, { rerank: { enabled: true } }));
  const engine = createEngine({ config, home: folder(), tracer });
  onTestFinished(() => engine.close());
  return { engine, tracer, problems };
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('traces', () => {
  it('hold a span for each stage, nested, with counts and models but no text', async () => {
    const { url, requests, spans } = await collector();
    const { engine, tracer } = traced(url);
    await settle(engine.run('ingest', { markdown: [{ text: 'Marzipan is sold by weight.', source: 'sweets.md' }] }));
    await settle(engine.run('chat', { query: 'How is marzipan sold?' }, { traceparent: TRACEPARENT }));
    await tracer.close();
    const all = spans();
    const parents = new Map(all.map(({ spanId, name }) => [spanId, name]));
    const tree = all.map(({ name, parentSpanId = '' }) => `${parents.get(parentSpanId) ?? ''} > ${name}`);
    for (const edge of [
      'ingest > embed',
      'ingest > store',
      'chat > retrieval',
      'retrieval > embed',
      'retrieval > search',
      'retrieval > rerank',
    ])
      expect(tree).toContain(edge);
    for (const edge of ['chat > quality', 'chat > generation', 'generation > generate', ' > ingest', ' > chat'])
      expect(tree).toContain(edge);
    const chat = all.find(({ name }) => name === 'chat')!;
    expect([chat.traceId, chat.parentSpanId]).toEqual(TRACEPARENT.split('-').slice(1, 3));
    expect(all.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))).toBe(true);
    const embed = all.find(({ name }) => name === 'embed')!;
    expect(embed.attributes).toEqual(
      expect.arrayContaining([
        { key: 'kb.model', value: { stringValue: 'all-minilm-l6-v2' } },
        { key: 'kb.items', value: { intValue: '1' } },
      ]),
    );
    expect(requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'api-key': 'a key', 'content-type': 'application/json' } });
    expect(JSON.parse(requests[0]!.body).resourceSpans[0].resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'support' } },
      { key: 'service.version', value: { stringValue: '1.2.3' } },
      { key: 'deployment.environment', value: { stringValue: 'test' } },
    ]);
    expect(requests.map(({ body }) => body).join('')).not.toMatch(/marzipan|sweets/i);
  });

  it('hold a span for each request of a crawl, with host and status but no address', async () => {
    const { url, spans } = await collector();
    const site = await openSite({
      '/': '<title>A</title><main><p>Marzipan is sold by weight.</p><a href="/secret">on</a><a href="/gone">on</a></main>',
      '/secret': '<title>B</title><main><p>Nougat is sold by the piece.</p></main>',
    });
    onTestFinished(() => site.close());
    const { engine, tracer } = traced(url);
    await settle(engine.run('ingest', { urls: [{ url: site.url, mode: 'full' }] }));
    await tracer.close();
    const all = spans();
    const { spanId } = all.find(({ name }) => name === 'ingest')!;
    const fetches = all.filter(({ name }) => name === 'fetch');
    expect(fetches.length).toBe(site.hits.length);
    expect(fetches.every(({ parentSpanId }) => parentSpanId === spanId)).toBe(true);
    const host = { key: 'server.address', value: { stringValue: '127.0.0.1' } };
    expect(fetches.map(({ attributes, status }) => [status?.code, attributes])).toEqual(
      expect.arrayContaining([
        [undefined, [host, { key: 'kb.status', value: { intValue: '200' } }]],
        [2, [host, { key: 'error.type', value: { stringValue: 'not_found' } }]],
      ]),
    );
    expect(JSON.stringify(all)).not.toMatch(/marzipan|nougat|\/secret/i);
  });

  it('hold a trace for each ingest of a watch, and none for the watch itself', async () => {
    const { url, spans } = await collector();
    const cwd = folder({ 'kb.config.yaml': 'sources:\n  docs: docs\n', 'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n' });
    const server = startKb(['serve', '--watch', '--port', '0'], { cwd, env: variablesOf(url) });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    await server.until(/watch: Stored 1 chunk/);
    write(cwd, { 'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n' });
    await server.until(/Changed: docs\/bell\.md\.[^]*watch: Stored 1 chunk/);
    server.child.kill('SIGTERM');
    await server.done;
    const roots = spans().filter(({ parentSpanId }) => parentSpanId === undefined);
    expect([roots.map(({ name }) => name), new Set(roots.map(({ traceId }) => traceId)).size]).toEqual([['ingest', 'ingest'], 2]);
  });

  it('record a failure by its error code only, and follow a caller that samples nothing', async () => {
    const { url, spans } = await collector();
    const { engine, tracer } = traced(url);
    await expect(settle(engine.run('show_collection', { name: 'secret' }))).rejects.toThrow(/secret/);
    await settle(engine.run('list_collections', {}, { traceparent: TRACEPARENT.replace(/01$/, '00') }));
    await tracer.close();
    expect(spans()).toMatchObject([{ name: 'show_collection', status: { code: 2 } }]);
    expect(JSON.stringify(spans())).toContain('not_found');
    expect(JSON.stringify(spans())).not.toContain('secret');
  });

  it('are dropped if the collector refuses them or is unreachable, which is reported once', async () => {
    const { url } = await collector(503);
    for (const address of [url, 'http://127.0.0.1:9']) {
      const { engine, tracer, problems } = traced(address);
      await settle(engine.run('list_collections', {}));
      await tracer.close();
      await settle(engine.run('list_collections', {}));
      await tracer.close();
      expect(problems).toEqual([expect.stringContaining(new URL(address).origin)]);
    }
  });

  it('are sent by the program if the variables name a collector', async () => {
    const { url, spans } = await collector();
    const { code, error } = await kb(['ingest', '--markdown', 'Doors are locked.'], { cwd: folder(), env: variablesOf(url) });
    expect([code, error]).toEqual([0, expect.not.stringContaining('Traces')]);
    expect(spans().map(({ name }) => name)).toEqual(expect.arrayContaining(['ingest', 'store']));
  });
});

describe("OpenTelemetry's variables", () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/x' }, 'http://t:1/x'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ] as [Record<string, string>, string | undefined][])('%j send to %s', (variables, url) => {
    expect(otlpSettings(variables, '1').settings?.url).toBe(url);
  });

  it('are reported if kb does not support them', () => {
    const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(otlpSettings(grpc, '1')).toEqual({ problem: expect.stringContaining('gRPC') });
    expect(otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317' }, '1').problem).toMatch(/no HTTP address/);
  });
});
