import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import { settle } from '../core/run.ts';
import type { Wording } from '../core/advice/wording.ts';
import type { Engine } from '../ports/engines.ts';
import { unwrapped } from '../schema/fields.ts';
import { Background } from '../schema/http-bodies.ts';
import { operations } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { Jobs } from './jobs/jobs.ts';
import { type FrameWriter, narrated, sendEvents } from './event-stream.ts';
import { envelopeOf } from './envelope.ts';
import type { Bodies } from './request-bodies.ts';
import type { DeadlineFor } from './request-deadline.ts';
import { httpWording, type Route } from './routes.ts';
import type { Queues } from './queues.ts';

/** Milliseconds that the first word of a stream is waited for: what fails by then is answered with its own status. */
const FIRST_WORD = 2000;

/** What every route works with. */
export interface RouteContext {
  engine: Pick<Engine, 'run'>;
  enter: Queues;
  deadlineFor: DeadlineFor;
  bodies: Pick<Bodies, 'release' | 'sizeOf'>;
}

/** A request with its reply. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  given: unknown;
  /** Writes the events of a stream; as server-sent events with their types where absent. */
  write?: FrameWriter;
  /** Aborted when the client takes this one back, beside leaving. */
  cancelled?: AbortSignal;
  /** The words in which advice is given. Default: those of the operation's own request. */
  wording?: Wording;
  /** Called with the events of an operation that responds only with its result. */
  onEvent?: (event: Event) => void;
}

/** What a request has done. */
type Work = Pick<Route, 'operation' | 'queue'>;

type Result = Record<string, unknown>;
type Running = AsyncGenerator<Event, Result, void>;

const begin = (
  { engine }: RouteContext,
  { operation }: Work,
  { request, given, wording, signal }: Pick<Exchange, 'request' | 'given' | 'wording'> & { signal: AbortSignal },
): Running =>
  engine.run(operation, given as never, {
    signal,
    access: request.access,
    wording: wording ?? httpWording(operation, request),
    traceparent: request.headers.traceparent as string | undefined,
  }) as Running;

/** Waits for the turn of a request; from then on its body is no longer among those that wait. */
async function turnOf({ queue }: Work, { request, signal }: { request: FastifyRequest; signal: AbortSignal }, context: RouteContext) {
  const leave = await context.enter(queue, { signal, client: request.ip });
  context.bodies.release(request);
  return leave;
}

/** Runs an operation and hands back its result. Throws what the work throws, or why it was stopped. */
export async function runOperation(
  route: Work,
  { request, reply, given, wording, cancelled, onEvent }: Exchange,
  context: RouteContext,
): Promise<Result> {
  const deadline = context.deadlineFor(reply);
  const { over } = deadline;
  const signal = cancelled ? AbortSignal.any([cancelled, deadline.signal]) : deadline.signal;
  try {
    const leave = await turnOf(route, { request, signal }, context);
    const work = settle(begin(context, route, { request, given, wording, signal }), onEvent).finally(leave);
    return await Promise.race([work, over]); // the client is answered at once where the work takes a while to notice that it is to stop
  } catch (error) {
    throw deadline.reasonFor(error);
  } finally {
    deadline.release();
  }
}

/** Runs an operation and answers with its events as they come. What fails before the first of them is thrown. */
export async function streamOperation(
  route: Work,
  { request, reply, given, write, wording }: Exchange,
  context: RouteContext,
): Promise<FastifyReply> {
  const deadline = context.deadlineFor(reply);
  const { signal } = deadline;
  let run: Running | undefined;
  let leave = (): void => {};
  // Its turn is over when the run has ended, which a client that left, or never read a word, does not wait for.
  const end = async (): Promise<void> => {
    deadline.release();
    await run?.return(undefined as never).catch(() => {});
    leave();
  };
  try {
    leave = await turnOf(route, { request, signal }, context);
    run = begin(context, route, { request, given, wording, signal });
    const first = run.next();
    await inTime(first, FIRST_WORD);
    if (signal.aborted) throw signal.reason; // nobody would hear the close of a connection that is closed already
    const onFailure = (error: unknown): unknown => {
      const reason = deadline.reasonFor(error);
      if (envelopeOf(reason, request.id).isOurs) request.log.error({ err: reason }, 'a stream failed');
      return reason;
    };
    reply.raw.once('close', () => void end());
    return sendEvents(reply, narrated({ run, first }, { operation: route.operation, onFailure }), write);
  } catch (error) {
    void end();
    throw deadline.reasonFor(error);
  }
}

/** Waits for the promise, but not longer than so many milliseconds. Throws what it rejects with by then. */
async function inTime(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((on) => (timer = setTimeout(on, milliseconds)));
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

interface RouteParts {
  context: RouteContext;
  engine: Pick<Engine, 'check'>;
  jobs: Jobs;
}

/** Mounts a row of the table: what comes in becomes the operation's request, its result the answer. */
export function registerRoute(server: FastifyInstance, route: Route, parts: RouteParts): void {
  const url = route.path.replace(/\{(\w+)\}/g, ':$1');
  server.route({
    method: route.method,
    url,
    config: { needs: operations[route.operation].scope },
    handler: async (request, reply) => {
      const given = requestOf(route, request);
      if (route.background && isForBackground(given)) return await startJob(route, { request, reply, given }, parts);
      if (route.reply === 'stream') return await streamOperation(route, { request, reply, given }, parts.context);
      return await runOperation(route, { request, reply, given: withoutBackground(route, given) }, parts.context);
    },
  });
}

/** Makes the request of an operation from the body or the query, with the parameters of the path; the schema rejects what is no object. */
function requestOf({ method, operation }: Route, { body, params, query }: FastifyRequest): unknown {
  const named = { ...(method === 'POST' ? {} : queryValues(operations[operation].input, query as object)), ...(params as object) };
  if (body === undefined || body === null || Array.isArray(body) || typeof body !== 'object') return body === undefined ? named : body;
  return { ...body, ...named };
}

function isForBackground(given: unknown): given is { background: true } {
  const read = Background.safeParse((given as { background?: unknown } | null | undefined)?.background ?? undefined);
  if (!read.success) throw new KbError('usage', 'background: true or false is expected.');
  return read.data === true;
}

function withoutBackground({ background }: Route, given: unknown): unknown {
  if (!background || typeof given !== 'object' || given === null || !('background' in given)) return given;
  const { background: _, ...rest } = given;
  return rest;
}

/** Starts a job. An invalid request is rejected now: nobody may look at the job again. */
async function startJob(route: Route, { request, reply, given }: Exchange, { engine, jobs, context }: RouteParts): Promise<FastifyReply> {
  const asked = withoutBackground(route, given) as object;
  const { access } = request;
  const collections = engine.check(route.operation, asked as never, { access, wording: httpWording(route.operation, { access }) });
  const origin = { bytes: context.bodies.sizeOf(request), access, collections };
  const job = await jobs.start(route.operation as 'ingest' | 'scrape', asked, origin);
  return reply.code(202).header('location', `/v1/jobs/${job.id}`).send(job);
}

/** A query knows text alone: what its fields hold besides is read from it. What can't be read stays text, for the schema to refuse. */
function queryValues({ shape }: z.ZodObject, query: object): Record<string, unknown> {
  const valueOf = (name: string, text: unknown) => {
    const field = unwrapped(shape[name] ?? z.string());
    if (typeof text !== 'string' || field instanceof z.ZodString || field instanceof z.ZodEnum) return text;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  };
  return Object.fromEntries(Object.entries(query).map(([name, text]) => [name, valueOf(name, text)]));
}
