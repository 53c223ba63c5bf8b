import type { FastifyInstance } from 'fastify';
import type { Engine, RunOptions } from '../ports/engines.ts';
import { type OperationName, operations, type RequestOf, type ResultOf } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { Log } from './request-log.ts';

/** Upper bounds of the duration buckets, in seconds: from a search to a synchronous ingest. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

type Labels = Readonly<Record<string, string | number>>;

/**
 * Description of each metric. The end of its name decides its type: `_total` a counter, `_seconds` of requests a histogram, else a gauge.
 */
const HELP = {
  kb_http_requests_total: 'Requests answered, by method, route and status',
  kb_http_request_duration_seconds: 'Time until a request was answered, by route',
  kb_http_requests_in_progress: 'Requests being answered',
  kb_queue_running: 'Requests being worked on, by queue',
  kb_queue_waiting: 'Requests waiting for their turn, by queue',
  kb_jobs: 'Known jobs, by state',
  kb_operations_total: 'Operations run, also by jobs, by operation and outcome',
  kb_watch_last_run_timestamp_seconds: 'When the last run of kb serve --watch ended, in seconds since 1970',
  kb_chunks_retrieved_total: 'Chunks found by searches, those for answers among them',
  kb_chunks_stored_total: 'Chunks written',
  kb_llm_tokens_total: 'Tokens of answers as the providers count them, by direction',
  process_resident_memory_bytes: 'Resident memory of the server',
  process_heap_bytes: 'JavaScript heap in use',
  process_cpu_seconds_total: 'Processor time of the server',
  process_start_time_seconds: 'When the server started, in seconds since 1970',
} as const;
type MetricName = keyof typeof HELP;

/** Values that are read when the metrics are requested. */
export type Gauges = Partial<Record<MetricName, readonly (readonly [labels: Labels, value: number])[]>>;

/** The metrics of a server. Labels are names of the interface: no text of a request or a document, no collection. */
export class Metrics {
  readonly #series = new Map<MetricName, Map<string, number>>();

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    this.#add(name, seriesName(name, labels), by);
  }

  /** Records a duration, in seconds. */
  observe(name: MetricName, labels: Labels, seconds: number): void {
    for (const bound of [...BUCKETS, Infinity])
      this.#add(name, seriesName(`${name}_bucket`, { ...labels, le: bound === Infinity ? '+Inf' : bound }), seconds <= bound ? 1 : 0);
    this.#add(name, seriesName(`${name}_sum`, labels), seconds);
    this.#add(name, seriesName(`${name}_count`, labels), 1);
  }

  /** Writes all metrics in the text format of Prometheus, version 0.0.4. */
  text(gauges: Gauges): string {
    const lines = (Object.keys(HELP) as MetricName[]).flatMap((name) => {
      const read = (gauges[name] ?? []).map(([labels, value]) => [seriesName(name, labels), value] as const);
      const values = [...(this.#series.get(name) ?? []), ...read].map(([series, value]) => `${series} ${value}`);
      return values.length === 0 ? [] : [`# HELP ${name} ${HELP[name]}`, `# TYPE ${name} ${typeOf(name)}`, ...values];
    });
    return `${lines.join('\n')}\n`;
  }

  #add(name: MetricName, series: string, by: number): void {
    const all = this.#series.get(name) ?? new Map<string, number>();
    this.#series.set(name, all.set(series, (all.get(series) ?? 0) + by));
  }
}

const typeOf = (name: MetricName): string =>
  name.endsWith('_total') ? 'counter' : name === 'kb_http_request_duration_seconds' ? 'histogram' : 'gauge';

function seriesName(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${String(value).replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`,
  );
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
}

const STARTED = Math.round((Date.now() - performance.now()) / 1000);

const processGauges = (): Gauges => {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    process_resident_memory_bytes: [[{}, rss]],
    process_heap_bytes: [[{}, heapUsed]],
    process_cpu_seconds_total: [[{}, (user + system) / 1e6]],
    process_start_time_seconds: [[{}, STARTED]],
  };
};

/** Counts all responses, and serves /metrics with the counts and the gauges that `read` returns. */
export function registerMetrics(server: FastifyInstance, metrics: Metrics, read: () => Promise<Gauges>): void {
  server.addHook('onResponse', async ({ method, routeOptions, is404 }, { statusCode, elapsedTime }) => {
    const route = is404 ? 'none' : (routeOptions.url ?? 'none');
    metrics.count('kb_http_requests_total', { method: is404 ? 'any' : method, route, status: statusCode });
    metrics.observe('kb_http_request_duration_seconds', { route }, elapsedTime / 1000);
  });
  server.get('/metrics', { config: { needs: 'read' } }, async (_, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text({ ...processGauges(), ...(await read()) })),
  );
}

interface FinishedRun {
  operation: OperationName;
  /** `stopped`: by its caller, before its end. */
  outcome: 'done' | 'failed' | 'stopped';
  who: string;
  /** Collections of the run; undefined if it did not begin. */
  collections: readonly string[] | undefined;
  result: object;
}

/** The metrics and the log to which runs are reported. */
export interface Observers {
  log: Log;
  metrics: Metrics;
}

interface Countable {
  retrieved?: number;
  retrieval?: { retrieved: number };
  stored?: number;
  llm?: { input_tokens?: number; output_tokens?: number };
}

/** Wraps an engine: counts its runs and logs those that write: caller, operation, collections and amounts, no text. */
export function observeEngine<E extends Pick<Engine, 'run'>>(engine: E, observers: Observers): E {
  async function* run<Name extends OperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: RunOptions = {},
  ): AsyncGenerator<Event, ResultOf<Name>, void> {
    let collections: readonly string[] | undefined;
    let outcome: FinishedRun['outcome'] = 'stopped';
    let result: object = {};
    try {
      const done = yield* engine.run(operation, request, { ...options, onBegin: (about) => (collections = about) });
      outcome = 'done';
      result = done;
      return done;
    } catch (error) {
      if (!options.signal?.aborted) outcome = 'failed';
      throw error;
    } finally {
      observeRun({ operation, outcome, who: options.access?.name ?? 'anyone', collections, result }, observers);
    }
  }
  return { ...engine, run };
}

/** Counts a run and, if it writes, logs it. */
export function observeRun({ operation, outcome, who, collections, result }: FinishedRun, { log, metrics }: Observers): void {
  countResult(result, metrics);
  metrics.count('kb_operations_total', { operation, outcome });
  if (collections && collections.length > 0 && operations[operation].scope !== 'read')
    log.info({ who, operation, collections, outcome, ...countsOf(result) }, 'wrote');
}

function countResult({ retrieved, retrieval, stored, llm }: Countable, metrics: Metrics): void {
  metrics.count('kb_chunks_retrieved_total', {}, retrieval?.retrieved ?? retrieved ?? 0);
  metrics.count('kb_chunks_stored_total', {}, stored ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'input' }, llm?.input_tokens ?? 0);
  metrics.count('kb_llm_tokens_total', { direction: 'output' }, llm?.output_tokens ?? 0);
}

const countsOf = (result: object): { counts?: Record<string, number> } => {
  const numbers = Object.entries(result).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return numbers.length > 0 ? { counts: Object.fromEntries(numbers) } : {};
};
