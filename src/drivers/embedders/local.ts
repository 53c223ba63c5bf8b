import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Piscina } from 'piscina';
import { KbError } from '../../base/errors.ts';
import { mapAsFinished } from '../../base/pool.ts';
import { workerFile } from '../../base/project.ts';
import { throwIfAborted } from '../../base/run.ts';
import type { Embedder } from '../../ports/models.ts';
import type { EmbedTask } from './embed-worker.ts';
import { Gate } from './gate.ts';
import { DIMENSIONS, MODEL, modelFolder } from './local-model.ts';
import { readableShare } from './readable-share.ts';

/** Texts in one task of a worker: few, so that a query does not wait long behind an ingest, enough that handing tasks over costs nothing. */
const TASK = 4;

/** A worker holds some 60 MB. On more cores than this, others have work for them too. */
const MOST_THREADS = 8;

/**
 * The score from which a passage is about the query, one for every mode, chosen together with what the extractive answerer declines (`bench/answers.ts`), on
 * every other question. On the rest 2.1 % (by vectors alone 2.7 %, by words alone 1.9 %) of the questions are lost by it that the paragraphs of SQuAD 2.0
 * (development set) answer, and 84 % (82 %, 82 %) of those on other subjects (HotpotQA, NFCorpus) score less.
 */
const MIN_RETRIEVAL_SCORE = 0.33;

/**
 * The bundled model, in worker threads: a session of one thread each, one passage a run, so that the same text gives the same vector always.
 * The first worker starts now and warms up in the background; the others start when there is more to do than it can.
 * @throws KbError `setup` when the model's files are missing.
 */
export async function openLocalEmbedder({
  threads = Math.min(availableParallelism(), MOST_THREADS),
}: { threads?: number } = {}): Promise<Embedder> {
  if (!existsSync(join(modelFolder, 'model.onnx'))) {
    throw new KbError('setup', `The bundled embedding model is missing: there is no ${join(modelFolder, 'model.onnx')}.`, {
      hint: 'Restore the folder models/ of the installation, or set embedding.provider to another provider, or to none.',
    });
  }
  const workers = await startWorkers(threads);
  return {
    provider: 'local',
    model: MODEL,
    dimensions: DIMENSIONS,
    concurrency: 2,
    min_retrieval_score: MIN_RETRIEVAL_SCORE,
    reads: readableShare,
    embed: (texts, { input_type, signal }) => embedAll(texts, { ...workers, threads, input_type, signal }),
    close: workers.close,
  };
}

interface Workers {
  /** The vectors of the texts, one after another. */
  run(task: EmbedTask): Promise<Float32Array>;
  close(): Promise<void>;
}

async function startWorkers(threads: number): Promise<Workers> {
  // onnxruntime would collect what it does in the home folder and send it to its maker, and crashes over that with long texts. It reads the variable of the
  // process, which a worker has only a copy of.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const { Piscina } = await import('piscina');
  const gate = new Gate();
  const pool: Piscina<EmbedTask, Float32Array> = new Piscina({
    filename: workerFile(import.meta.url, 'embed-worker'),
    workerData: gate.memory,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: Infinity,
  });
  const shut = () => gate.shut();
  process.once('exit', shut);
  const close = async () => {
    shut();
    process.off('exit', shut);
    await pool.destroy();
  };
  return { run: (task) => pool.run(task).catch((cause: Error) => failed(cause, gate.isShut)), close };
}

function failed(cause: Error, isClosed: boolean): never {
  if (isClosed) throw new KbError('aborted', 'The embedding model was closed.', { cause });
  throw new KbError('setup', `The bundled embedding model does not run: ${cause.message}`, {
    hint: 'Install kb again, or set embedding.provider to another provider, or to none.',
    cause,
  });
}

type Embedding = Pick<Workers, 'run'> & Pick<EmbedTask, 'input_type'> & { threads: number; signal: AbortSignal | undefined };

/** Embeds each different text once, in tasks that keep every worker busy. No worker is stopped in its task: an abort lets those end that run. */
async function embedAll(texts: readonly string[], { run, threads, input_type, signal }: Embedding): Promise<Float32Array[]> {
  const distinct = [...new Set(texts)];
  const vectors = new Map<string, Float32Array>();
  const tasks = tasksOf(distinct, Math.min(TASK, Math.ceil(distinct.length / threads)));
  const embed = async (task: string[]) => {
    throwIfAborted(signal);
    return { task, joined: await run({ texts: task, input_type }) };
  };
  for await (const { task, joined } of mapAsFinished(tasks, threads, embed)) {
    for (const [i, text] of task.entries()) vectors.set(text, joined.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
  }
  return texts.map((text) => vectors.get(text)!);
}

function* tasksOf(texts: readonly string[], size: number): Generator<string[]> {
  for (let at = 0; at < texts.length; at += size) yield texts.slice(at, at + size);
}
