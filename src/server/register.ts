import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { KbError } from '../core/errors.ts';
import type { Engine } from '../ports/engines.ts';
import { unwrapped } from '../schema/keys.ts';
import { operations } from '../schema/operations.ts';
import type { Server } from '../schema/config-server.ts';
import { Background } from '../schema/server-results.ts';
import { httpWording } from './http-wording.ts';
import { dropRest, keepPace } from './request-bodies.ts';
import type { Jobs } from './jobs/jobs.ts';
import { type Exchange, type RouteContext, runOperation, streamOperation } from './perform.ts';
import type { Route } from './routes.ts';
import { LONGEST_FIELD, type UploadLimits, withUpload } from './upload.ts';

interface RouteParts {
  context: RouteContext;
  engine: Pick<Engine, 'check'>;
  jobs: Jobs;
  settings: Server;
}

/** Mounts a row of the table: what comes in becomes the operation's request, its result the answer. */
export async function registerRoute(server: FastifyInstance, route: Route, parts: RouteParts): Promise<void> {
  const url = route.path.replace(/\{(\w+)\}/g, ':$1');
  if (route.reply === 'upload') return registerUpload(server, { ...route, path: url }, parts);
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

/** Only here are forms read: everywhere else they are a 415. */
async function registerUpload(server: FastifyInstance, route: Route, { context, settings }: RouteParts): Promise<void> {
  const { default: multipart } = await import('@fastify/multipart');
  const { upload_limit, max_files } = settings;
  await server.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    await scope.register(multipart, {
      limits: { fileSize: upload_limit, files: max_files, fields: 10, fieldSize: LONGEST_FIELD, parts: max_files + 10 },
    });
    scope.post(route.path, { config: { needs: operations[route.operation].scope } }, async (request, reply) => {
      if (!request.isMultipart())
        throw Object.assign(new Error('The body must be a form: set Content-Type to multipart/form-data.'), { statusCode: 415 });
      return await receive(route, { request, reply, limits: settings }, context);
    });
  });
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

/** Waits for a turn, reads the form, and has it worked on. Whatever ends the reading ends the turn: the client that leaves, the time that runs out, the pace that is too slow. */
async function receive(
  route: Route,
  { request, reply, limits }: Omit<Exchange, 'given'> & { limits: UploadLimits },
  context: RouteContext,
): Promise<object> {
  const deadline = context.deadlineFor(reply);
  try {
    const leave = await context.enter('upload', { signal: deadline.signal, client: request.ip });
    const pace = keepPace(request.raw.socket);
    const ends = Promise.race([deadline.over, pace.tooSlow]);
    ends.catch(() => {}); // nobody may be waiting for it
    const work = (given: unknown) => {
      deadline.release();
      return runOperation(route, { request, reply, given }, context);
    };
    return await withUpload(request, { ends, onRead: pace.release, limits }, work).finally(() => {
      pace.release();
      leave();
    });
  } catch (error) {
    if (!request.raw.readableEnded) void reply.header('connection', 'close');
    request.raw.unpipe();
    if (!deadline.signal.aborted && (error as { statusCode?: number }).statusCode !== 408) await dropRest(request.raw);
    throw deadline.reasonFor(error);
  } finally {
    deadline.release();
  }
}
