import { advice, setting, operatorAdvice } from '../../core/advice/advice.ts';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Piscina } from 'piscina';
import { KbError } from '../../core/errors.ts';
import { keepUnlessFailed, mapAsFinished } from '../../core/concurrency.ts';
import { workerFile } from '../../core/project.ts';
import { throwIfAborted } from '../../core/run.ts';
import type { Embedder } from '../../ports/models.ts';
import type { EmbedTask, EmbedWorkerData } from './embed-worker.ts';
import { ExitGuard } from './exit-guard.ts';
import { DEFAULT_LOCAL_MODEL, isLocalModel, localModels, modelFolder, type LocalModelName } from './local-models.ts';

/** Few, so that a query does not wait long behind an ingest; enough that the overhead of passing tasks is negligible. */
const TEXTS_PER_TASK = 4;

/** Maximum workers. One takes some 60 MB, with the multilingual model 250. */
const MAX_THREADS = 8;

/**
 * Opens a bundled model in worker threads. Each has a session of one thread and runs one passage at a time, so that a text always gets the same vector. The
 * first worker starts now and warms up in the background, the others under load. Throws a KbError: `configuration` for an unknown model, `setup` if its files
 * are missing.
 */
export async function openLocalEmbedder({
  model = DEFAULT_LOCAL_MODEL,
  threads = Math.min(availableParallelism(), MAX_THREADS),
}: { model?: string | undefined; threads?: number } = {}): Promise<Embedder> {
  if (!isLocalModel(model)) throw unknownModelError(model);
  if (!existsSync(join(modelFolder(model), 'model.onnx'))) throw missingModelError(model);
  const { dimensions, min_retrieval_score, cosine_range, cosine_range_across_languages, vector_weight, coverage, english_only } =
    localModels[model];
  const run = await getWorkers(model, threads);
  const closed = new AbortController();
  const queries = new QueryCache();
  return {
    provider: 'local',
    model,
    dimensions,
    concurrency: 2,
    min_retrieval_score,
    cosine_range,
    is_calibrated: true,
    ...(cosine_range_across_languages && { cosine_range_across_languages }),
    vector_weight,
    coverage,
    ...(english_only && { english_only }),
    embed: async (texts, { input_type, signal }) => {
      const eitherSignal = signal ? AbortSignal.any([signal, closed.signal]) : closed.signal;
      throwIfAborted(eitherSignal);
      const embedUntil = (abort: AbortSignal, some: readonly string[]) =>
        embedAll(some, { run, dimensions, threads, input_type, signal: abort });
      if (input_type !== 'query') return await embedUntil(eitherSignal, texts);
      const embedQuery = async (text: string) => (await embedUntil(closed.signal, [text]))[0]!; // not the caller's signal: others may wait for this vector, too
      const vectors = await Promise.all(texts.map((text) => queries.get(text, () => embedQuery(text))));
      throwIfAborted(eitherSignal);
      return vectors;
    },
    close: async () => closed.abort(),
  };
}

/** Makes the error of a missing model: either its npm package is not installed, or files of the installation were removed. */
function missingModelError(model: LocalModelName): KbError {
  const { package: packageName } = localModels[model];
  if (packageName === undefined)
    return new KbError('setup', `The bundled embedding model is missing: there is no ${join(modelFolder(model), 'model.onnx')}.`, {
      hint: operatorAdvice`Restore the folder models/ of the installation, or set embedding.provider to another provider, or to none.`,
    });
  return new KbError('setup', `The embedding model ${model} is not installed: it comes in a package of its own.`, {
    hint: operatorAdvice`Install it beside kb: "npm install ${packageName}", with -g where kb was installed with it.`,
  });
}

/** Makes the error of an unknown model. The default must not take its place: its vectors would be stored under the wrong name. */
const unknownModelError = (model: string): KbError =>
  new KbError('configuration', `The provider local has no embedding model "${model}"; it has ${Object.keys(localModels).join(' and ')}.`, {
    hint: advice`Leave ${setting('embedding.model')} out, or name the provider that has it in ${setting('embedding.provider')}.`,
  });

/** Runs a task in a worker; returns the vectors of its texts one after another in one array. */
type RunTask = (task: EmbedTask) => Promise<Float32Array>;

/**
 * Workers of models, kept until the process ends: onnxruntime-node crashes in a thread that loads it after another thread with it has ended. Idle workers do
 * not keep a process alive.
 */
const startedWorkers = new Map<string, () => Promise<RunTask>>();

function getWorkers(model: LocalModelName, threads: number): Promise<RunTask> {
  const key = `${model} ${threads}`;
  const workers = startedWorkers.get(key) ?? keepUnlessFailed(() => startWorkers(model, threads));
  startedWorkers.set(key, workers);
  return workers();
}

async function startWorkers(model: LocalModelName, threads: number): Promise<RunTask> {
  // Otherwise onnxruntime collects telemetry in the home folder, sends it, and crashes while doing so with long texts. It is set here because onnxruntime
  // reads the environment of the process, of which a worker has only a copy.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const { Piscina } = await import('piscina');
  const guard = new ExitGuard();
  const pool: Piscina<EmbedTask, Float32Array> = new Piscina({
    filename: workerFile('drivers/embedders/embed-worker'),
    workerData: { model, memory: guard.memory } satisfies EmbedWorkerData,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: Infinity,
  });
  process.once('exit', () => guard.close());
  return (task) => pool.run(task).catch(throwModelFailure);
}

function throwModelFailure(cause: Error): never {
  throw new KbError('setup', `The bundled embedding model does not run: ${cause.message}`, {
    hint: operatorAdvice`Install kb again, or set embedding.provider to another provider, or to none.`,
    cause,
  });
}

interface EmbedContext extends Pick<EmbedTask, 'input_type'> {
  run: RunTask;
  dimensions: number;
  threads: number;
  signal: AbortSignal | undefined;
}

/** Embeds each distinct text once, in tasks that keep every worker busy. An abort does not stop running tasks. */
async function embedAll(texts: readonly string[], { run, dimensions, threads, input_type, signal }: EmbedContext): Promise<Float32Array[]> {
  const distinct = [...new Set(texts)];
  const vectors = new Map<string, Float32Array>();
  const tasks = splitIntoTasks(distinct, Math.min(TEXTS_PER_TASK, Math.ceil(distinct.length / threads)));
  const embed = async (task: string[]) => {
    throwIfAborted(signal);
    const joined = await run({ texts: task, input_type });
    throwIfAborted(signal);
    return { task, joined };
  };
  for await (const { task, joined } of mapAsFinished(tasks, threads, embed)) {
    for (const [i, text] of task.entries()) vectors.set(text, joined.subarray(i * dimensions, (i + 1) * dimensions));
  }
  return texts.map((text) => vectors.get(text)!);
}

function* splitIntoTasks(texts: readonly string[], size: number): Generator<string[]> {
  for (let at = 0; at < texts.length; at += size) yield texts.slice(at, at + size);
}

/** Maximum cached query vectors: a question may be searched in several collections, by the chat, and by other callers. */
const MAX_QUERIES = 1_000;

/** Caches vectors of queries (LRU). Concurrent requests for one query share its computation. */
export class QueryCache {
  readonly #vectors = new Map<string, Promise<Float32Array>>();
  readonly #capacity: number;

  constructor(capacity = MAX_QUERIES) {
    this.#capacity = capacity;
  }

  /** Returns the vector of a query; `make` computes an unknown one. A failure is not kept. */
  async get(query: string, compute: () => Promise<Float32Array>): Promise<Float32Array> {
    const vector = this.#vectors.get(query) ?? compute();
    this.#vectors.delete(query);
    this.#vectors.set(query, vector); // a Map keeps its entries in the order in which they were set
    if (this.#vectors.size > this.#capacity) this.#vectors.delete(this.#vectors.keys().next().value!);
    try {
      return await vector;
    } catch (error) {
      if (this.#vectors.get(query) === vector) this.#vectors.delete(query);
      throw error;
    }
  }
}
