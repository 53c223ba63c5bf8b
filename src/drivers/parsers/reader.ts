import { extname } from 'node:path';
import pLimit from 'p-limit';
import { batched } from '../../base/batch.ts';
import { KbError } from '../../base/errors.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { DocumentReader, ParsedDocument } from '../../ports/reading.ts';
import { parseChecked, type ParseTask } from './parse.ts';
import { createParsePool, type ParsePool } from './parse-pool.ts';
import type { ParseOutcome } from './parse-tasks.ts';
import { parsers } from './parsers.ts';
import { deadProcess, lateFile } from './process-failures.ts';
import { isShortText } from './short-text.ts';

/** Documents of these kinds and at most this size go to a process together: handing one over takes longer than to parse it. */
const SMALL_KINDS = new Set(['markdown', 'text', 'html-fragment']);
const SMALL_BYTES = 64 * 2 ** 10;
const SMALL_AT_ONCE = 16;
/** MiB beside the heap: Node itself, the bytes of the document, what is unpacked of it. */
const BESIDE_HEAP = 512;

interface Limits {
  /** Files read at once, each in a process of its own. */
  processes: number;
  /** For one document. */
  seconds: number;
  /** Of JavaScript's heap for one document (MiB); of resident memory it may take half a GiB more. */
  megabytes: number;
}

const fileTypes = new Map(parsers.flatMap(({ file_type, extensions }) => extensions.map((extension) => [extension, file_type])));

interface Wanted extends ParseTask {
  signal?: AbortSignal | undefined;
}

/**
 * Reads short texts in this process, others in processes of their own, which start with the first one. A document that takes too long or too much costs its
 * process, nothing else.
 */
export function createDocumentReader(limits: Limits): DocumentReader {
  const inTurn = pLimit(limits.processes);
  const pool = createParsePool({ heap: limits.megabytes, resident: limits.megabytes + BESIDE_HEAP });
  const run = (tasks: readonly Wanted[]) => inTurn(() => runIn(pool, tasks, limits));
  const runTogether = batched(SMALL_AT_ONCE, run);
  return {
    extensions: [...fileTypes.keys()],
    fileType: (path) => fileTypes.get(extname(path).toLowerCase()),
    async read(bytes, { source, file_type, signal }) {
      throwIfAborted(signal);
      const task: Wanted = { bytes, source, file_type, signal };
      if (isShortText(task)) return parseChecked(task);
      const isSmall = SMALL_KINDS.has(file_type) && bytes.length <= SMALL_BYTES;
      // where a batch dies, each is read alone, so that only the one that is at fault fails
      const together = isSmall ? await runTogether(task).catch(() => undefined) : undefined;
      throwIfAborted(signal);
      return parsedOf(together ?? (await run([task]))[0]!);
    },
    close: pool.close,
  };
}

function parsedOf(outcome: ParseOutcome): ParsedDocument {
  if ('parsed' in outcome) return outcome.parsed;
  throw new KbError(outcome.failed.code, outcome.failed.message, { hint: outcome.failed.hint });
}

/** One message, stopped with its process when it is late or not wanted any more. */
async function runIn(pool: ParsePool, tasks: readonly Wanted[], limits: Limits): Promise<ParseOutcome[]> {
  const wanted = tasks.flatMap(({ signal }) => signal ?? []);
  const clock = AbortSignal.timeout(limits.seconds * 1000);
  const { source } = tasks[0]!;
  wanted.forEach(throwIfAborted);
  const ended = await pool.run(tasks.map(plainTask), AbortSignal.any([clock, ...wanted]));
  wanted.forEach(throwIfAborted);
  if (!('death' in ended)) return ended;
  throw clock.aborted ? lateFile(source, limits) : deadProcess(source, ended.death, limits);
}

/** Without the signal, and the bytes as what they are: the class Buffer would be sent, too. */
const plainTask = ({ bytes, source, file_type }: Wanted): ParseTask => ({
  bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  source,
  file_type,
});
