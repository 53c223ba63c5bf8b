import { extname } from 'node:path';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';
import { KbError } from '../../base/errors.ts';
import { workerFile } from '../../base/project.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { DocumentReader, ParsedDocument } from '../../ports.ts';
import type { ParseTask } from './parse.ts';
import type { ParseOutcome } from './parse-worker.ts';
import { parsers } from './parsers.ts';

type Pool = Piscina<ParseTask, ParseOutcome>;

interface Limits {
  /** Files read at once, each in a thread of its own. */
  threads: number;
  /** For one document. */
  seconds: number;
  /** Of memory for one document (MiB of JavaScript's heap). */
  megabytes: number;
}

const fileTypes = new Map(parsers.flatMap(({ file_type, extensions }) => extensions.map((extension) => [extension, file_type])));

/** Reads documents in worker threads, which start with the first one. A document that takes too long or too much costs its thread, nothing else. */
export function createDocumentReader(limits: Limits): DocumentReader {
  const inTurn = pLimit(limits.threads);
  let opened: Promise<Pool> | undefined;
  return {
    extensions: [...fileTypes.keys()],
    fileType: (path) => fileTypes.get(extname(path).toLowerCase()),
    read: (bytes, { source, file_type, signal }) =>
      inTurn(async () => {
        throwIfAborted(signal);
        opened ??= openPool(limits);
        return readIn(await opened, { bytes, source, file_type }, { ...limits, signal });
      }),
    close: async () => (await opened)?.destroy(),
  };
}

async function openPool({ threads, megabytes }: Limits): Promise<Pool> {
  const { Piscina } = await import('piscina');
  const pool: Pool = new Piscina({
    filename: workerFile(import.meta.url, 'parse-worker'),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: Infinity,
    atomics: 'disabled', // a worker that sleeps between two tasks would not run what a library left to do
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  pool.on('error', () => {}); // a worker that dies between two tasks is replaced
  return pool;
}

/** One task, stopped with its thread when it is late or not wanted any more. The bytes are copied: the caller still has a use for them. */
async function readIn(
  pool: Pool,
  { bytes, source, file_type }: ParseTask,
  { signal, ...limits }: Limits & { signal: AbortSignal | undefined },
): Promise<ParsedDocument> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, limits.seconds * 1000);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const copy = new Uint8Array(bytes);
    const outcome = await pool.run({ bytes: copy, source, file_type }, { signal: stop.signal, transferList: [copy.buffer] });
    if ('parsed' in outcome) return outcome.parsed;
    throw new KbError(outcome.failed.code, outcome.failed.message, { hint: outcome.failed.hint });
  } catch (error) {
    throwIfAborted(signal);
    throw isLate ? late(source, limits) : failure(error, source, limits);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
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
