import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { packMarks, unpackMarks } from '@citekb/documents/marks';
import { keepUnlessFailed, yieldToEventLoop } from '../core/concurrency.ts';
import { KbError, stoppedError } from '../core/errors.ts';
import { workerFile } from '../core/project.ts';
import { currentSignal } from '../core/run.ts';
import type { ParsedDocument } from '../ports/reading.ts';
import type { Chunking } from '../schema/config.ts';
import type { Chunk, Document } from '../schema/items.ts';
import { chunksOf } from './chunk/chunk.ts';
import { type Provenance, toDocument } from './extract/document.ts';
import type { FoundDocument } from './extract/extract.ts';
import type { TextAnswer, TextTask } from './text-worker.ts';

// A text of ten megabytes takes seconds to clean and to split. That happens in another thread, so that a server answers others meanwhile.

/** Characters of the longest text that is worked on in this thread: at most a tenth of a second of work. */
const MAX_LENGTH_HERE = 100_000;

/** Threads: enough that one long text does not wait for another. */
const THREADS = 2;
/** Milliseconds after which an idle thread ends. */
const IDLE_TIMEOUT = 10_000;

const openPool = keepUnlessFailed(async () => {
  const { Piscina: Pool } = await import('piscina');
  return new Pool({
    filename: workerFile('stages/text-worker'),
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_TIMEOUT,
  }) as Piscina<TextTask, TextAnswer>;
});

/** Runs a task in another thread. Stopping the run ends the thread. */
async function runApart(task: TextTask): Promise<Extract<TextAnswer, { made: unknown }>['made']> {
  const pool = await openPool();
  const signal = currentSignal();
  const answer = await pool
    .run(task, { ...(signal ? { signal } : {}), ...('port' in task ? { transferList: [task.port] } : {}) })
    .catch((error: unknown) => {
      throw signal?.aborted ? stoppedError(signal.reason) : error;
    });
  if (!('failed' in answer)) return answer.made;
  const { code, message, ...options } = answer.failed;
  throw new KbError(code, message, options);
}

const lengthOf = ({ text, members = [] }: ParsedDocument): number =>
  members.reduce((sum, { parsed }) => sum + lengthOf(parsed), text.length);

/** Makes a clean document of a parsed file (see `toDocument`). */
export async function makeDocument(parsed: ParsedDocument, provenance: Provenance): Promise<FoundDocument> {
  if (lengthOf(parsed) <= MAX_LENGTH_HERE) return toDocument(parsed, provenance);
  const { bare, marks } = await packMarks(parsed);
  const made = await runApart({ parsed: bare, marks, provenance });
  return await unpackMarks(made!.bare, made!.marks);
}

/** Splits a document into chunks (see `chunkDocument`), at most the first `limit`. */
export async function splitDocument(document: Document, chunking: Chunking, limit = Infinity): Promise<Chunk[]> {
  if (document.text.length <= MAX_LENGTH_HERE) return chunksOf(document, chunking).take(limit).toArray();
  const takeTurns = yieldToEventLoop(currentSignal());
  const { bare, marks } = await packMarks(document);
  const { port1, port2 } = new MessageChannel();
  const chunks: Chunk[] = [];
  try {
    await runApart({ document: bare, marks, chunking, limit, port: port2 });
    // all messages are there, and are taken one by one: as events, they would all come at once
    for (let received = receiveMessageOnPort(port1); received; received = receiveMessageOnPort(port1)) {
      for (const chunk of received.message as Chunk[]) chunks.push(chunk);
      await takeTurns();
    }
    return chunks;
  } finally {
    port1.close();
  }
}
