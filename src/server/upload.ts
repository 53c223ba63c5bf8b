import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import { isRunning } from '../core/process-owner.ts';
import { ByteCollector } from '../core/byte-collector.ts';
import { KbError } from '../core/errors.ts';
import { UPLOAD_PREFIX } from '../engine/state-files.ts';
import type { Server } from '../schema/config.ts';
import { size } from '../text/count.ts';
import { operations, type RequestOf } from '../schema/operations.ts';
import { sendResult, type WrittenJson } from './json-result.ts';
import { type Exchange, type RouteContext, runToJson } from './operation-routes.ts';
import { decodeBody, discardRest, monitorPace } from './request-bodies.ts';
import type { Route } from './routes.ts';

/** Prefix of the folders of this host; other hosts may share the temporary folder. */
const PREFIX = `${UPLOAD_PREFIX}${hostname()}-`;

/** Bytes of a field that is no file. */
const MAX_FIELD_BYTES = 65_536;

/** Registers a route of the table that takes a form. All other paths answer forms with 415. */
export async function registerUpload(
  server: FastifyInstance,
  route: Route,
  { context, settings }: { context: RouteContext; settings: UploadLimits },
): Promise<void> {
  const { default: multipart } = await import('@fastify/multipart');
  const { upload_limit, max_files } = settings;
  await server.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    await scope.register(multipart, {
      preservePath: true, // `uploadName` cleans it
      limits: { fileSize: upload_limit, files: max_files, fields: 10, fieldSize: MAX_FIELD_BYTES, parts: max_files + 10 },
    });
    scope.post(route.path, { config: { needs: operations[route.operation].scope } }, async (request, reply) => {
      if (!request.isMultipart())
        throw Object.assign(new Error('The body must be a form: set Content-Type to multipart/form-data.'), { statusCode: 415 });
      return sendResult(reply, await receive(route, { request, reply, limits: settings }, context));
    });
  });
}

/** Waits for a turn, reads the form and runs the operation. A disconnect, the deadline and a slow client end the turn. */
async function receive(
  route: Route,
  { request, reply, limits }: Omit<Exchange, 'given'> & { limits: UploadLimits },
  context: RouteContext,
): Promise<WrittenJson> {
  const deadline = context.deadlineFor(reply);
  try {
    const leave = await context.enter('upload', { signal: deadline.signal, client: request.ip });
    const pace = monitorPace(request.raw.socket);
    const cancelled = Promise.race([deadline.expired, pace.tooSlow]);
    cancelled.catch(() => {}); // avoids an unhandled rejection
    const work = (given: unknown) => {
      deadline.release();
      return runToJson(route, { request, reply, given }, { context });
    };
    return await withUpload(request, { cancelled, onRead: pace.release, limits }, work).finally(() => {
      pace.release();
      leave();
    });
  } catch (error) {
    if (!request.raw.readableEnded) void reply.header('connection', 'close');
    request.raw.unpipe();
    if (!deadline.signal.aborted && (error as { statusCode?: number }).statusCode !== 408) await discardRest(request.raw);
    throw deadline.reasonFor(error);
  } finally {
    deadline.release();
  }
}

interface FormReading {
  /** Rejects when reading must stop. */
  cancelled: Promise<never>;
  /** Called when the form was read to its end. */
  onRead(): void;
  limits: UploadLimits;
}

/** Limits of a form: bytes of a file, and number of files. */
type UploadLimits = Pick<Server, 'upload_limit' | 'max_files'>;

/**
 * Reads a multipart form, saves its files in a temporary folder, runs the work on them, and removes the folder in any case. Throws a
 * KbError for an invalid form, and the error that stops the reading.
 */
async function withUpload<T>(
  request: FastifyRequest,
  { cancelled, onRead, limits }: FormReading,
  work: (form: RequestOf<'upload'>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const reading = new AbortController();
  try {
    const form = await Promise.race([readForm(request, { folder, signal: reading.signal }).catch(formError(request, limits)), cancelled]);
    onRead();
    return await work(form);
  } finally {
    reading.abort(); // closes a file that is only partly received
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folder for the files, and the signal that stops writing them. */
interface Target {
  folder: string;
  signal: AbortSignal;
}

async function readForm(request: FastifyRequest, { folder, signal }: Target): Promise<RequestOf<'upload'>> {
  const files: { name: string; path: string }[] = [];
  const fields: Record<string, unknown> = {};
  for await (const part of request.parts()) {
    if (part.type === 'field') fields[part.fieldname] = valueOf(part);
    else if (part.fieldname === 'metadata') fields.metadata = await readJsonPart(part);
    else files.push(await saveFile(part, join(folder, String(files.length)), signal));
  }
  if (files.length === 0)
    throw new KbError('usage', 'files: the form contains no file.', { hint: 'Send each as a part with the name files.' });
  return { ...fields, files };
}

/** Makes the error of an invalid form: too large, incomplete or no form. Passes on other errors of Fastify and of the file system. */
const formError =
  ({ headers }: FastifyRequest, { upload_limit, max_files }: UploadLimits) =>
  (error: unknown): never => {
    const { statusCode, syscall, code, part } = error as { statusCode?: number; syscall?: string; code?: string; part?: MultipartFile };
    if (code === 'FST_REQ_FILE_TOO_LARGE') {
      const sent = headers['content-length'] === undefined ? '' : `; the form has ${size(Number(headers['content-length']))}`;
      const limit = `the limit of a file is ${size(upload_limit)} (server.upload_limit)`;
      throw new KbError('too_large', `${part?.filename || 'A file'} is too large: ${limit}${sent}.`, {
        hint: 'Split it; the operator can raise the limit.',
      });
    }
    if (code === 'FST_INVALID_JSON_FIELD_ERROR')
      throw new KbError('usage', 'metadata: a JSON object is expected, as the type of the part says.', {
        hint: 'For example {"team": "north"}.',
      });
    if (code === 'FST_FILES_LIMIT')
      throw new KbError('too_large', `The form has too many files: the limit is ${max_files} (server.max_files).`, {
        hint: 'Send fewer at once; the operator can raise the limit.',
      });
    if (error instanceof KbError || statusCode !== undefined || syscall !== undefined) throw error;
    throw new KbError('usage', 'The form could not be read completely.', { hint: 'Send it again, as multipart/form-data.', cause: error });
  };

async function saveFile(part: MultipartFile, path: string, signal: AbortSignal): Promise<{ name: string; path: string }> {
  if (part.fieldname !== 'files') {
    part.file.resume();
    throw new KbError('usage', `${part.fieldname}: the form takes no file of this name.`, {
      hint: 'Send each as a part with the name files.',
    });
  }
  await pipeline(part.file, createWriteStream(path), { signal });
  return { name: part.filename ?? '', path };
}

/** Parses a field, which is text in a form. */
function valueOf({ fieldname, value, valueTruncated }: Pick<MultipartValue, 'fieldname' | 'value' | 'valueTruncated'>): unknown {
  if (valueTruncated)
    throw new KbError('too_large', `${fieldname}: the field is too long.`, { hint: `At most ${size(MAX_FIELD_BYTES)} are read.` });
  if (fieldname === 'metadata') return typeof value === 'string' ? parseJson(fieldname, value) : value;
  return fieldname === 'frontmatter' || fieldname === 'store' ? parseBoolean(fieldname, value) : value;
}

/** Booleans of a form, in any case. */
const BOOLEAN_TEXTS = new Map<string, boolean>([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

function parseBoolean(name: string, value: unknown): boolean {
  const known = BOOLEAN_TEXTS.get(String(value).trim().toLowerCase());
  if (known !== undefined) return known;
  throw new KbError('usage', `${name}: true or false is expected (in a form also 1, 0, yes, no, on, off).`);
}

/** Reads metadata that a client sends as a file, as browsers do for a part with a type of its own. */
async function readJsonPart({ fieldname, file }: MultipartFile): Promise<unknown> {
  const bytes = new ByteCollector();
  for await (const chunk of file as AsyncIterable<Buffer>) if (bytes.length <= MAX_FIELD_BYTES) bytes.add(chunk);
  return valueOf({ fieldname, value: decodeBody(bytes.concat()), valueTruncated: bytes.length > MAX_FIELD_BYTES });
}

function parseJson(name: string, value: unknown): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch (cause) {
    throw new KbError('usage', `${name}: a JSON object is expected.`, { hint: 'For example {"team": "north"}.', cause });
  }
}

/** Removes the upload folders of servers that were killed. */
export async function sweepUploads(): Promise<void> {
  const found = await readdir(tmpdir()).catch(() => []);
  const names = found.filter((name) => name.startsWith(PREFIX) && !isRunning(Number.parseInt(name.slice(PREFIX.length), 10)));
  await Promise.allSettled(names.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}
