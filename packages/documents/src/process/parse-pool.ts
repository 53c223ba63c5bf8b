import { isUtf8 } from 'node:buffer';
import pLimit from 'p-limit';
import { DocumentError } from '../errors.ts';
import { type Death, CPU_TIME_EXCEEDED } from './worker-process.ts';
import { ProcessPool } from './pool.ts';
import { type ParseProcess, startProcess } from './prepare.ts';
import { parseChecked } from '../parse.ts';
import { unpackMarks } from './packed-marks.ts';
import type { ParseAnswer, ParsedContent, ParseOutcome, ParseTask } from '../parser.ts';
import { typeOfName } from '../file-types.ts';
import { hasDialect, isMdxName } from '../markup/markdown.ts';
import { looksLikeText } from '../bytes.ts';

const timeoutError = (source: string, limit: string): DocumentError =>
  new DocumentError('too_large', `${source} was not read within ${limit}.`, { hint: 'Split it, or leave it out.' });

/** Messages of V8 and the C++ library before they abort. */
const OUT_OF_MEMORY = /out of memory|allocation failed|invalid size error|bad_alloc/i;

/** Makes the error for a file whose process ended: killed by its watchdog (too slow), by SIGKILL (too much memory), or never started. */
function processError(
  source: string,
  { code, signal, stderr }: Death,
  { megabytes, seconds }: Omit<ReaderLimits, 'processes'>,
): DocumentError {
  if (stderr.endsWith(CPU_TIME_EXCEEDED)) return timeoutError(source, `${seconds} s of processor time`);
  if (signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr))
    return new DocumentError('too_large', `${source} needs more than ${megabytes} MiB of memory to be read.`, {
      hint: 'Split it, or leave it out.',
    });
  if (code === null && signal === null)
    return new DocumentError('no_process', `${source} cannot be read: no process could be started to parse it (${stderr}).`, {
      hint: 'Free memory, or raise the limit of processes, and try again.',
    });
  const message = /^(?:Uncaught )?\w*Error\b.*$/m.exec(stderr)?.[0].slice(0, 200);
  const reason = message ?? `the process that read it ended with ${signal ?? `code ${code}`}`;
  return new DocumentError('invalid', `${source} cannot be read: ${reason}.`, {
    hint: 'Open it in the program that made it, and save it again.',
  });
}

/** Resident bytes from which a process is replaced after a document, since they would count against the next one. */
const MAX_RESIDENT = 384 * 2 ** 20;

type ParsePool = ProcessPool<ParseProcess>;

/** Parses documents in one process, with a limit of processor time in seconds; the signal kills the process. */
async function parseIn(
  pool: ParsePool,
  tasks: readonly ParseTask[],
  { signal, seconds }: { signal: AbortSignal; seconds: number },
): Promise<ParseOutcome[] | { death: Death }> {
  const process = pool.take();
  const answer = await process.ask(tasks, { signal, seconds });
  pool.throwIfClosed();
  pool.giveBack(process, !('death' in answer || signal.aborted || answer.resident > MAX_RESIDENT));
  return 'death' in answer ? answer : await Promise.all(answer.outcomes.map(withMarks));
}

const withMarks = async (outcome: ParseAnswer['outcomes'][number]): Promise<ParseOutcome> =>
  'failed' in outcome ? outcome : { parsed: await unpackMarks(outcome.parsed, outcome.marks) };

/** Maximum bytes of a small document: starting a process for it takes longer than parsing it. */
const SMALL_BYTES = 64 * 2 ** 10;
/** Maximum small documents in a message to a process. */
const SMALL_AT_ONCE = 8;

/** Seconds of processor time for a document, and for each MiB of it. */
const SECONDS = 20;
const SECONDS_PER_MEBIBYTE = 10;
/** Elapsed time that a document may take, as a multiple of its processor time: other programs use the processor, too. */
const CLOCK_FACTOR = 4;

export interface ReaderLimits {
  /** Maximum files that are read at once, each in a process of its own. */
  processes: number;
  /** Maximum processor time for one document of any size. */
  seconds: number;
  /** Maximum JavaScript heap for one document (MiB); it may take half a GiB more of resident memory. */
  megabytes: number;
}

export interface PendingTask extends ParseTask {
  signal?: AbortSignal | undefined;
}

/** Parses documents within limits. */
export interface IsolatedParser {
  /** Throws a DocumentError that names the file and what is wrong with it; the reason of the signal if it is aborted. */
  parse(task: PendingTask): Promise<ParsedContent>;
  /** Ends all processes, also those that work. */
  close(): Promise<void>;
}

/** Parses short texts in this process, other documents in worker processes. A document that exceeds a limit costs only its process. */
export function createIsolatedParser(limits: ReaderLimits): IsolatedParser {
  const inTurn = pLimit(limits.processes);
  const pool = new ProcessPool(() => startProcess(limits.megabytes));
  const run = (tasks: readonly PendingTask[]) => inTurn(() => runTasks(pool, tasks, limits));
  const runSmall = createSmallTasks(run);
  return {
    async parse(task) {
      const { bytes, source, signal, file_type = typeOfName(source) } = task;
      signal?.throwIfAborted();
      if (file_type !== undefined && isShortText({ ...task, file_type })) return parseChecked({ ...task, file_type });
      // if a process that reads several documents crashes, each is read alone, so that only the faulty one fails
      const together = bytes.length <= SMALL_BYTES ? await runSmall(task) : undefined;
      signal?.throwIfAborted();
      return unwrapOutcome(together ?? (await run([task]))[0]!);
    },
    close: () => pool.close(),
  };
}

type RunTasks = (tasks: readonly PendingTask[]) => Promise<ParseOutcome[]>;

interface WaitingTask {
  task: PendingTask;
  resolve: (outcome: ParseOutcome | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes a function that parses small documents. Those that come while a process works wait for it, and are its next message; a further process works only
 * if a full message waits. Returns undefined for the documents of a message that failed.
 */
function createSmallTasks(run: RunTasks): (task: PendingTask) => Promise<ParseOutcome | undefined> {
  const waiting: WaitingTask[] = [];
  let running = 0;
  const sendNext = async (): Promise<void> => {
    if (waiting.length === 0 || (running > 0 && waiting.length < SMALL_AT_ONCE)) return;
    const batch = waiting.splice(0, SMALL_AT_ONCE);
    running += 1;
    try {
      const outcomes = await run(batch.map(({ task }) => task));
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]);
    } catch (error) {
      for (const { resolve, reject } of batch) {
        if (batch.length === 1) reject(error);
        else resolve(undefined);
      }
    }
    running -= 1;
    await sendNext();
  };
  return (task) =>
    new Promise((resolve, reject) => {
      waiting.push({ task, resolve, reject });
      setImmediate(() => void sendNext());
    });
}

function unwrapOutcome(outcome: ParseOutcome): ParsedContent {
  if ('parsed' in outcome) return outcome.parsed;
  const { code, message, hint } = outcome.failed;
  throw new DocumentError(code, message, { hint });
}

/** Sends tasks to a process in one message. The process is killed at the timeout, or if a task is aborted. */
async function runTasks(pool: ParsePool, tasks: readonly PendingTask[], limits: ReaderLimits): Promise<ParseOutcome[]> {
  const signals = tasks.flatMap(({ signal }) => signal ?? []);
  const { source } = tasks[0]!;
  const size = tasks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const seconds = Math.min(limits.seconds, Math.ceil(SECONDS + (size / 2 ** 20) * SECONDS_PER_MEBIBYTE));
  const clock = AbortSignal.timeout(seconds * CLOCK_FACTOR * 1000);
  signals.forEach((signal) => signal.throwIfAborted());
  const outcome = await parseIn(pool, tasks.map(toMessage), { signal: AbortSignal.any([clock, ...signals]), seconds });
  signals.forEach((signal) => signal.throwIfAborted());
  if (!('death' in outcome)) return outcome;
  throw clock.aborted ? timeoutError(source, `${seconds * CLOCK_FACTOR} s`) : processError(source, outcome.death, { ...limits, seconds });
}

/** Removes the signal, and turns the bytes from a Buffer into a plain array, because both would be serialized. */
const toMessage = ({ bytes, signal: _signal, ...options }: PendingTask): ParseTask => ({
  bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  ...options,
});

/** Maximum bytes of a short text: decoding it and looking for a heading takes less than a millisecond. */
const MAX_BYTES = 256 * 2 ** 10;
/** Maximum bytes of front matter: its aliases and merged keys stay small. */
const MAX_FRONT_MATTER = 4 * 2 ** 10;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Whether a document may be parsed in this process: a short text in UTF-8, whose parser takes linear time and a few times its size in memory. A text whose
 * encoding or type is guessed, one with long front matter or in a dialect of Markdown (with HTML tables) is parsed in a process that can be killed.
 */
export function isShortText({ bytes, file_type, source }: ParseTask): boolean {
  if (bytes.length === 0 || bytes.length > MAX_BYTES || (file_type !== 'markdown' && file_type !== 'text')) return false;
  if (!isUtf8(bytes) || bytes.includes(0) || !looksLikeText(bytes)) return false;
  return file_type === 'text' || (hasShortFrontMatter(bytes) && !isMdxName(source) && !hasDialect(new TextDecoder().decode(bytes)));
}

/** Whether the front matter of a text, if any, is within the bound. */
function hasShortFrontMatter(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = text.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const head = text.subarray(start, start + MAX_FRONT_MATTER).toString('latin1');
  return !head.startsWith('---') || head.includes('\n---');
}
