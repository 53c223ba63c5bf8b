import type { FastifyReply, FastifyRequest } from 'fastify';
import { settle } from '../core/run.ts';
import type { Wording } from '../core/advice/wording.ts';
import type { Engine } from '../ports/engines.ts';
import type { Event } from '../schema/results.ts';
import { type FrameWriter, narrated, sendEvents } from './event-stream.ts';
import { envelopeOf } from './envelope.ts';
import type { Bodies } from './request-bodies.ts';
import type { DeadlineFor } from './request-deadline.ts';
import { httpWording } from './http-wording.ts';
import type { Queues } from './queues.ts';
import type { Route } from './routes.ts';

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
