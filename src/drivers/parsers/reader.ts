import { extname } from 'node:path';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';
import { batched } from '../../base/batch.ts';
import { KbError } from '../../base/errors.ts';
import { workerFile } from '../../base/project.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { DocumentReader, ParsedDocument } from '../../ports/reading.ts';
import type { ParseTask } from './parse.ts';
import type { ParseOutcome } from './parse-worker.ts';
import { parsers } from './parsers.ts';

type Pool = Piscina<readonly ParseTask[], ParseOutcome[]>;

/** Documents of these kinds and at most this size go to a worker together: handing one over takes longer than to parse it. */
const SMALL_KINDS = new Set(['markdown', 'text', 'html-fragment']);
const SMALL_BYTES = 64 * 2 ** 10;
const SMALL_AT_ONCE = 16;
/** Of new objects in a thread, before they are sorted out: left to itself, V8 takes more the more documents pass through. */
const YOUNG_MEGABYTES = 16;

interface Limits {
  /** Files read at once, each in a thread of its own. */
  threads: number;
  /** For one document. */
  seconds: number;
  /** Of memory for one document (MiB of JavaScript's heap). */
  megabytes: number;
}

const fileTypes = new Map(parsers.flatMap(({ file_type, extensions }) => extensions.map((extension) => [extension, file_type])));

interface Wanted extends ParseTask {
  signal?: AbortSignal | undefined;
}

/** Reads documents in worker threads, which start with the first one. A document that takes too long or too much costs its thread, nothing else. */
export function createDocumentReader(limits: Limits): DocumentReader {
  const inTurn = pLimit(limits.threads);
  let opened: Promise<Pool> | undefined;
  const run = (tasks: readonly Wanted[]) => inTurn(async () => runIn(await (opened ??= openPool(limits)), tasks, limits));
  const runTogether = batched(SMALL_AT_ONCE, run);
  return {
    extensions: [...fileTypes.keys()],
    fileType: (path) => fileTypes.get(extname(path).toLowerCase()),
    async read(bytes, { source, file_type, signal }) {
      throwIfAborted(signal);
      const task: Wanted = { bytes, source, file_type, signal };
      const isSmall = SMALL_KINDS.has(file_type) && bytes.length <= SMALL_BYTES;
      // where a batch dies, each is read alone, so that only the one that is at fault fails
      const together = isSmall ? await runTogether(task).catch(() => undefined) : undefined;
      throwIfAborted(signal);
      return parsedOf(together ?? (await run([task]))[0]!);
    },
    close: async () => (await opened)?.destroy(),
  };
}

function parsedOf(outcome: ParseOutcome): ParsedDocument {
  if ('parsed' in outcome) return outcome.parsed;
  throw new KbError(outcome.failed.code, outcome.failed.message, { hint: outcome.failed.hint });
}

async function openPool({ threads, megabytes }: Limits): Promise<Pool> {
  const { Piscina } = await import('piscina');
  const pool: Pool = new Piscina({
    filename: workerFile(import.meta.url, 'parse-worker'),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: Infinity,
    atomics: 'disabled', // a worker that sleeps between two tasks would not run what a library left to do
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  pool.on('error', () => {}); // a worker that dies between two tasks is replaced
  return pool;
}

/** One message, stopped with its thread when it is late or not wanted any more. The bytes are copied: the caller still has a use for them. */
async function runIn(pool: Pool, tasks: readonly Wanted[], limits: Limits): Promise<ParseOutcome[]> {
  const wanted = tasks.flatMap(({ signal }) => signal ?? []);
  const clock = AbortSignal.timeout(limits.seconds * 1000);
  const copies = tasks.map(({ bytes, source, file_type }) => ({ bytes: new Uint8Array(bytes), source, file_type }));
  const { source } = tasks[0]!;
  try {
    wanted.forEach(throwIfAborted);
    return await pool.run(copies, { signal: AbortSignal.any([clock, ...wanted]), transferList: copies.map(({ bytes }) => bytes.buffer) });
  } catch (error) {
    wanted.forEach(throwIfAborted);
    throw clock.aborted ? late(source, limits) : failure(error, source, limits);
  }
}

const late = (source: string, { seconds }: Limits): KbError =>
  new KbError('too_large', `${source} was not read within ${seconds} s.`, { hint: 'Split it, or leave it out.' });

function failure(error: unknown, source: string, { megabytes }: Limits): KbError {
  if (error instanceof KbError) return error;
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new KbError('too_large', `${source} needs more than ${megabytes} MiB of memory to be read.`, {
      hint: 'Split it, or leave it out.',
      cause: error,
    });
  }
  return new KbError('invalid', `${source} cannot be read: ${(error as Error).message}.`, {
    hint: 'Open it in the program that made it, and save it again.',
    cause: error,
  });
}
