import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { KbError, isAbort } from '../core/errors.ts';
import { coerceFields, parseRequest } from '../core/parse-request.ts';
import { settle } from '../core/run.ts';
import type { Wording } from '../core/advice/advice.ts';
import type { Engine } from '../ports/engines.ts';
import { Background } from '../schema/http-bodies.ts';
import { operations } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import type { Jobs } from './jobs/jobs.ts';
import { framesWithResult, type FrameWriter, sendEvents, withFinalEvent } from './event-stream.ts';
import { toFailure } from './envelope.ts';
import type { HeldBytes } from './held-bytes.ts';
import { sendResult, writeResult, type WrittenJson } from './json-result.ts';
import type { RequestBodies } from './request-bodies.ts';
import { httpWording, type Route } from './routes.ts';
import type { EnterQueue } from './queues.ts';

/** Milliseconds to wait for the first event of a stream; a failure until then gets its own status. */
const FIRST_EVENT_TIMEOUT = 2000;

/** Services that the routes share. */
export interface RouteContext {
  engine: Pick<Engine, 'run'>;
  enter: EnterQueue;
  deadlineFor: DeadlineFor;
  bodies: Pick<RequestBodies, 'release' | 'sizeOf'>;
  held: HeldBytes;
}

/** A request with its reply. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  given: unknown;
  /** Writes the events of a stream. Default: as server-sent events with their types. */
  write?: FrameWriter;
  /** Aborted when the client cancels the request (besides disconnecting). */
  cancelled?: AbortSignal;
  /** Wording of advice. Default: that of the operation's request. */
  wording?: Wording;
  /** Called with the events of an operation that responds only with its result. */
  onEvent?: (event: Event) => void;
}

/** The operation of a request, and its queue. */
type QueuedOperation = Pick<Route, 'operation' | 'queue'>;

type Result = Record<string, unknown>;
type Running = AsyncGenerator<Event, Result, void>;

const startRun = (
  { engine }: RouteContext,
  { operation }: QueuedOperation,
  { request, given, wording, signal }: Pick<Exchange, 'request' | 'given' | 'wording'> & { signal: AbortSignal },
): Running =>
  engine.run(operation, given as never, {
    signal,
    access: request.access,
    wording: wording ?? httpWording(operation, request),
    traceparent: request.headers.traceparent as string | undefined,
  }) as Running;

/** Makes a response of a result while the request still has its turn, so that few results are in memory at once. */
type Finish<Answer> = (result: Result, signal: AbortSignal) => Promise<Answer>;

/** Runs an operation and returns what `finish` makes of its result. Throws the error of the work, or the reason it was stopped. */
export async function runOperation<Answer>(
  route: QueuedOperation,
  { request, reply, given, wording, cancelled, onEvent }: Exchange,
  { context, finish }: { context: RouteContext; finish: Finish<Answer> },
): Promise<Answer> {
  const deadline = context.deadlineFor(reply);
  const { expired } = deadline;
  const signal = cancelled ? AbortSignal.any([cancelled, deadline.signal]) : deadline.signal;
  const run = async () => {
    context.held.assertRead(request.ip);
    const result = await settle(startRun(context, route, { request, given, wording, signal }), onEvent);
    context.bodies.release(request);
    return await finish(result, signal);
  };
  try {
    const leave = await context.enter(route.queue, { signal, client: request.ip });
    const work = run().finally(leave);
    return await Promise.race([work, expired]); // responds at the deadline, even if the work takes time to stop
  } catch (error) {
    throw deadline.reasonFor(error);
  } finally {
    deadline.release();
  }
}

/** Runs an operation and writes its result as JSON, or what `answerOf` makes of it. Throws what `runOperation` and `writeResult` throw. */
export function runToJson(
  route: QueuedOperation,
  exchange: Exchange,
  { context, answerOf = (result) => result }: { context: RouteContext; answerOf?: (result: Result) => unknown },
): Promise<WrittenJson> {
  const { reply } = exchange;
  const finish: Finish<WrittenJson> = (result, signal) => writeResult(answerOf(result), { held: context.held, reply, signal });
  return runOperation(route, exchange, { context, finish });
}

/** Runs an operation and answers with its events as they come. What fails before the first of them is thrown. */
export async function streamOperation(
  route: QueuedOperation,
  { request, reply, given, write, wording }: Exchange,
  context: RouteContext,
): Promise<FastifyReply> {
  const deadline = context.deadlineFor(reply);
  const { signal } = deadline;
  let run: Running | undefined;
  let leave = (): void => {};
  // the turn ends with the run, even if the client has left or never reads
  const end = async (): Promise<void> => {
    deadline.release();
    await run?.return(undefined as never).catch(() => {});
    context.bodies.release(request);
    leave();
  };
  try {
    leave = await context.enter(route.queue, { signal, client: request.ip });
    run = startRun(context, route, { request, given, wording, signal });
    const first = run.next();
    await waitAtMost(first, FIRST_EVENT_TIMEOUT);
    if (signal.aborted) throw signal.reason; // a closed connection emits no `close` event
    const onFailure = (error: unknown): unknown => {
      const reason = deadline.reasonFor(error);
      if (toFailure(reason, request.id).isServerFault) request.log.error({ err: reason }, 'a stream failed');
      return reason;
    };
    reply.raw.once('close', () => void end());
    const events = withFinalEvent({ run, first }, { operation: route.operation, onFailure });
    return sendEvents(reply, events, write ?? framesWithResult({ held: context.held, reply }));
  } catch (error) {
    void end();
    throw deadline.reasonFor(error);
  }
}

/** Waits for a promise for at most a number of milliseconds. Throws its rejection. */
async function waitAtMost(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((on) => (timer = setTimeout(on, milliseconds)));
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

interface RouteParts {
  context: RouteContext;
  engine: Pick<Engine, 'check'>;
  jobs: Jobs;
}

/** Registers a route of the table: body, query and path become the request of its operation, whose result is the response. */
export function registerRoute(server: FastifyInstance, route: Route, parts: RouteParts): void {
  const url = route.path.replace(/\{(\w+)\}/g, ':$1');
  server.route({
    method: route.method,
    url,
    config: { needs: operations[route.operation].scope },
    handler: async (request, reply) => {
      const given = requestOf(route, request);
      if (route.background && wantsBackground(route, given)) return await startJob(route, { request, reply, given }, parts);
      if (route.reply === 'stream') return await streamOperation(route, { request, reply, given }, parts.context);
      return sendResult(reply, await runToJson(route, { request, reply, given: withoutBackground(route, given) }, parts));
    },
  });
}

/** Makes the request of an operation from the body or the query, with the parameters of the path; the schema rejects what is no object. */
function requestOf({ method, operation }: Route, { body, params, query }: FastifyRequest): unknown {
  const named = { ...(method === 'POST' ? {} : (coerceFields(operations[operation].input, query) as object)), ...(params as object) };
  if (body === undefined || body === null || Array.isArray(body) || typeof body !== 'object') return body === undefined ? named : body;
  return { ...body, ...named };
}

/** Throws a KbError (`usage`) if `background` is neither true nor false, with whatever else is wrong in the request. */
function wantsBackground({ operation }: Route, given: unknown): given is { background: true } {
  const { success, data } = Background.safeParse((given as { background?: unknown } | null | undefined)?.background ?? undefined);
  if (!success) parseRequest((operations[operation].input as z.ZodObject).extend({ background: Background }), given);
  return data === true;
}

function withoutBackground({ background }: Route, given: unknown): unknown {
  if (!background || typeof given !== 'object' || given === null || !('background' in given)) return given;
  const { background: _, ...rest } = given;
  return rest;
}

/** Starts a job. Validates the request first: the client may never read the job. */
async function startJob(route: Route, { request, reply, given }: Exchange, { engine, jobs, context }: RouteParts): Promise<FastifyReply> {
  const asked = withoutBackground(route, given) as object;
  const { access } = request;
  const collections = engine.check(route.operation, asked as never, { access, wording: httpWording(route.operation, { access }) });
  const origin = { bytes: context.bodies.sizeOf(request), access, collections };
  const job = await jobs.start(route.operation as 'ingest' | 'scrape', asked, origin);
  return reply.code(202).header('location', `/v1/jobs/${job.id}`).send(job);
}

/** Milliseconds for a client to read the last events of stopped work. */
const MAX_CLOSING_TIME = 5_000;

interface RequestDeadline {
  readonly signal: AbortSignal;
  /** Rejects when the work must stop. */
  readonly expired: Promise<never>;
  /** Returns the error of the request: the reason why its work was stopped, else the error that it threw. */
  reasonFor(error: unknown): unknown;
  release(): void;
}

/** Makes the deadline for a request, which ends when its connection does; `isBounded: false` for one that only listens to what a job does. */
export type DeadlineFor = (reply: FastifyReply, options?: { isBounded: boolean }) => RequestDeadline;

/** Stops work when its client leaves or after `seconds`; `stopAll` stops all work, now and later. Clients that stop reading are disconnected. */
export function createDeadlines(seconds: number): { deadlineFor: DeadlineFor; stopAll(): void } {
  const active = new Set<AbortController>();
  let isStopping = false;
  return {
    deadlineFor(reply, { isBounded } = { isBounded: true }) {
      const controller = new AbortController();
      const { signal } = controller;
      const timers = isBounded ? [setTimeout(() => controller.abort(requestTimeoutError(seconds)), seconds * 1000)] : [];
      const onClose = () => {
        if (!reply.raw.writableFinished) controller.abort(new KbError('aborted', 'The client disconnected.'));
      };
      const expired = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => {
          timers.push(setTimeout(() => reply.raw.destroy(), MAX_CLOSING_TIME));
          reject(signal.reason as Error);
        }),
      );
      expired.catch(() => {}); // avoids an unhandled rejection
      reply.raw.once('close', onClose);
      active.add(controller);
      if (reply.raw.destroyed) onClose(); // the client left before the listener was added
      if (isStopping) controller.abort(serverStopsError()); // the request arrived after stopAll
      return {
        signal,
        expired,
        reasonFor: (error) => (signal.aborted && isAbort(error) ? signal.reason : error),
        release: () => {
          for (const timer of timers) clearTimeout(timer);
          reply.raw.off('close', onClose);
          active.delete(controller);
        },
      };
    },
    stopAll: () => {
      isStopping = true;
      for (const controller of active) controller.abort(serverStopsError());
    },
  };
}

const requestTimeoutError = (seconds: number): KbError =>
  new KbError('unavailable', `The request took longer than ${seconds} seconds, and was stopped.`, {
    hint: 'Ingest in the background ("background: true"), or ask for less at once; the operator can raise server.request_timeout.',
    isRetryable: true,
  });

/** Makes the error of a request that arrives or runs while the server stops. */
export const serverStopsError = (): KbError =>
  new KbError('unavailable', 'The server is stopping.', { hint: 'Try again when it is up.', isRetryable: true });
