import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Run } from '../core/run.ts';
import { decodeUrlPart } from './message.ts';
import type { CallSpan, Tracer } from '../ports/engines.ts';

/** Maximum spans that wait to be sent; further ones are dropped. */
const MAX_WAITING = 2048;
/** Maximum spans of one request, and milliseconds after which an incomplete batch is sent. */
const BATCH = 512;
const SEND_EVERY = 5_000;

type Value = string | number;

/** A span in the JSON form of OTLP (opentelemetry-proto, trace/v1). */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano?: string;
  attributes: { key: string; value: object }[];
  status?: { code: number };
}

const [INTERNAL, SERVER] = [1, 2];
const ERROR = 2;
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

const attributes = (values: Record<string, Value>): Span['attributes'] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string' ? { stringValue: value } : Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value },
  }));

const now = (): string => String(Math.round((performance.timeOrigin + performance.now()) * 1e6));

const isIterator = (value: unknown): value is AsyncGenerator<unknown, unknown, void> =>
  typeof (value as AsyncGenerator | undefined)?.[Symbol.asyncIterator] === 'function';

/** Sends spans to a collector by OTLP over HTTP, as JSON. If that fails, they are dropped, and it is reported once: no work fails. */
export class OtlpTracer implements Tracer {
  readonly #settings: OtlpSettings;
  readonly #onProblem: (problem: string) => void;
  /** Span of the running code. */
  readonly #current = new AsyncLocalStorage<Span | undefined>();
  readonly #traced = new WeakMap<object, object>();
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(settings: OtlpSettings, onProblem: (problem: string) => void) {
    this.#settings = settings;
    this.#onProblem = onProblem;
  }

  async *run<R>(name: string, run: Run<R>, { traceparent }: { traceparent?: string | undefined } = {}): Run<R> {
    const [, traceId, parentSpanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (flags !== undefined && (Number.parseInt(flags, 16) & 1) === 0) return yield* run; // the caller does not sample this trace
    const parent = traceId ? { traceId, spanId: parentSpanId! } : this.#current.getStore();
    return yield* this.#follow(run, this.#begin(name, { parent, kind: this.#current.getStore() ? INTERNAL : SERVER }));
  }

  instrument<T extends object>(target: T, stages: { readonly [Method in keyof T]?: CallSpan }): T {
    const known = this.#traced.get(target);
    if (known) return known as T;
    const traced = new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        const stage = stages[name as keyof T];
        if (stage === undefined) return value.bind(object) as unknown;
        return (...args: unknown[]) => this.#call(stage, object, { call: () => value.apply(object, args) as unknown, args });
      },
    });
    this.#traced.set(target, traced);
    return traced;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#send();
    await this.#sending;
  }

  #begin(name: string, { parent, kind = INTERNAL }: { parent?: Pick<Span, 'traceId' | 'spanId'> | undefined; kind?: number }): Span {
    return {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      ...(parent ? { parentSpanId: parent.spanId } : {}),
      name,
      kind,
      startTimeUnixNano: now(),
      attributes: [],
    };
  }

  /** Records a call as a child of the current span; outside of one, it is not recorded. */
  #call(stage: CallSpan, target: object, { call, args }: { call: () => unknown; args: readonly unknown[] }): unknown {
    const parent = this.#current.getStore();
    if (!parent) return call();
    const { name, attributesOf } = typeof stage === 'string' ? { name: stage, attributesOf: () => ({}) } : stage;
    const span = this.#begin(name, { parent });
    const { provider, model } = target as { provider?: string; model?: string };
    const items = args.find((arg) => Array.isArray(arg))?.length;
    span.attributes.push(
      ...attributes({
        ...(provider ? { 'kb.provider': provider } : {}),
        ...(model ? { 'kb.model': model } : {}),
        ...(items === undefined ? {} : { 'kb.items': items }),
        ...attributesOf(...args),
      }),
    );
    return this.#current.run(span, () => {
      const result = call();
      return isIterator(result) ? this.#follow(result, span) : this.#settle(Promise.resolve(result), span);
    });
  }

  async #settle(result: Promise<unknown>, span: Span): Promise<unknown> {
    try {
      const value = await result;
      this.#end(span, Array.isArray(value) ? { 'kb.results': value.length } : numericAttributes(value));
      return value;
    } catch (error) {
      this.#fail(span, error);
      throw error;
    }
  }

  /** Runs each step of an iterator within the span, and ends the span with it. */
  async *#follow<Y, R>(run: AsyncGenerator<Y, R, void>, span: Span): AsyncGenerator<Y, R, void> {
    let isOver = false;
    try {
      for (;;) {
        const step = await this.#current.run(span, () => run.next());
        if (step.done) {
          isOver = true;
          this.#end(span, numericAttributes(step.value));
          return step.value;
        }
        yield step.value;
      }
    } catch (error) {
      isOver = true;
      this.#fail(span, error);
      throw error;
    } finally {
      if (!isOver) {
        await this.#current.run(span, () => run.return(undefined as never));
        this.#end(span, { 'kb.outcome': 'stopped' });
      }
    }
  }

  #fail(span: Span, error: unknown): void {
    span.status = { code: ERROR };
    const { code, name } = error as { code?: unknown; name?: unknown };
    this.#end(span, { 'error.type': String(code ?? name) }); // the message may hold text of a document
  }

  #end(span: Span, values: Record<string, Value>): void {
    span.endTimeUnixNano = now();
    span.attributes.push(...attributes(values));
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), SEND_EVERY).unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(async () => {
      while (this.#waiting.length > 0) await this.#post(this.#waiting.splice(0, BATCH));
    });
  }

  async #post(spans: Span[]): Promise<void> {
    const { url, headers, timeout, resource, version } = this.#settings;
    const scopeSpans = [{ scope: { name: 'kb', version }, spans }];
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes: attributes(resource) }, scopeSpans }] });
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error', // the headers hold the key of the collector
        signal: AbortSignal.timeout(timeout),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`it answered with ${response.status}`);
      this.#hasFailed = false;
    } catch (cause) {
      if (!this.#hasFailed)
        this.#onProblem(`Traces can't be sent to ${new URL(url).origin}: ${(cause as Error).message}. They are dropped.`);
      this.#hasFailed = true;
    }
  }
}

function numericAttributes(result: unknown): Record<string, number> {
  if (typeof result !== 'object' || result === null) return {};
  const numbers = Object.entries(result).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(numbers.map(([name, value]) => [`kb.${name}`, value]));
}

/** Endpoint and identity for sending spans. */
interface OtlpSettings {
  url: string;
  headers: Record<string, string>;
  /** Timeout in milliseconds. */
  timeout: number;
  /** Identity of the sender: `service.name`, and OTEL_RESOURCE_ATTRIBUTES. */
  resource: Record<string, string>;
  version: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the variables of OpenTelemetry ("OTLP Exporter Configuration"); empty without a collector. `problem`: why nothing can be sent. */
export function otlpSettings(variables: Variables, version: string): { settings?: OtlpSettings; problem?: string } {
  const endpoint = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || /^none$/i.test(variables.OTEL_TRACES_EXPORTER ?? '');
  if (!endpoint || isOff) return {};
  const protocol = variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || variables.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc') return { problem: 'Traces are not sent: kb speaks OTLP over HTTP (http/json), not over gRPC.' };
  const url = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    return { problem: 'Traces are not sent: OTEL_EXPORTER_OTLP_ENDPOINT is no HTTP address.' };
  const settings: OtlpSettings = {
    url,
    headers: { ...parsePairs(variables.OTEL_EXPORTER_OTLP_HEADERS), ...parsePairs(variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS) },
    timeout: Number(variables.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || variables.OTEL_EXPORTER_OTLP_TIMEOUT) || 10_000,
    resource: {
      'service.name': 'kb',
      'service.version': version,
      ...parsePairs(variables.OTEL_RESOURCE_ATTRIBUTES),
      ...(variables.OTEL_SERVICE_NAME ? { 'service.name': variables.OTEL_SERVICE_NAME } : {}),
    },
    version,
  };
  return { settings };
}

/** A list such as `api-key=secret,team=docs`; values are percent-encoded. */
function parsePairs(text = ''): Record<string, string> {
  const entries = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decodeUrlPart(value!)] as const];
  });
  return Object.fromEntries(entries);
}
