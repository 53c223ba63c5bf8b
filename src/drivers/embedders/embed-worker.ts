import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ExitGuard } from './exit-guard.ts';
import { truncate } from '../../text/truncate.ts';
import { localModels, modelFolder, type LocalModelName } from './local-models.ts';
import { weightedMean, splitIntoWindows } from './token-windows.ts';

interface Model {
  session: InferenceSession;
  tokenizer: Tokenizer;
}

/** Data with which a worker is started. */
export interface EmbedWorkerData {
  model: LocalModelName;
  memory: SharedArrayBuffer;
}

/** Maximum windows of a query (one or two thousand tokens), because a user is waiting. Documents are read whole. */
const QUERY_WINDOWS = 4;

/** Maximum characters of a query, more than fit into its windows; a run of white space counts as one. */
const QUERY_CHARACTERS = 16_000;

const { model: name, memory } = workerData as EmbedWorkerData;
const { dimensions, window, prefixes, continuesWord } = localModels[name];
const folder = modelFolder(name);
const guard = new ExitGuard(memory);

const readJson = (file: string): object => JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;

async function loadModel(): Promise<Model> {
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
  const loading = InferenceSession.create(join(folder, 'model.onnx'), options);
  const tokenizer = new Tokenizer(readJson('tokenizer.json'), readJson('tokenizer_config.json'));
  return { tokenizer, session: await loading };
}

// Loaded at the start, so that the worker is warm when the first task comes. A failure is kept for the tasks: thrown here, it would end the process.
const loadedModel = await guard.run(loadModel).catch((error: unknown) => error as Error);

/** Runs the model on one window. Never on several: quantization scales by the batch, and a vector must not depend on its neighbours. */
async function runWindow(session: InferenceSession, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const feeds = {
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
  };
  const { embedding } = await guard.run(() => session.run(feeds));
  return embedding!.data as Float32Array;
}

/** Texts to embed, all for the same use. */
export interface EmbedTask {
  texts: readonly string[];
  input_type: 'document' | 'query';
}

/** Embeds a text of any length: the mean of its windows, weighted by their tokens; each window gets the prefix. Only the first windows of a query count. */
async function embed({ session, tokenizer }: Model, text: string, input_type: EmbedTask['input_type']): Promise<Float32Array> {
  const isQuery = input_type === 'query';
  const prefix = prefixes[input_type];
  const { ids, tokens } = tokenizer.encode(prefix + (isQuery ? truncate(text.replace(/\s+/g, ' '), QUERY_CHARACTERS) : text));
  if (ids.length <= window) return runWindow(session, ids);
  const prefixIds = ids.slice(0, tokenizer.encode(prefix.trimEnd()).ids.length - 1);
  const size = window - prefixIds.length - 1;
  const body = ids.slice(prefixIds.length, isQuery ? Math.min(ids.length - 1, prefixIds.length + QUERY_WINDOWS * size) : -1);
  const parts = splitIntoWindows(body.length, size, (index) => continuesWord(tokens[index + prefixIds.length]!));
  const vectors: Float32Array[] = [];
  for (const { start, end } of parts) vectors.push(await runWindow(session, [...prefixIds, ...body.slice(start, end), ids.at(-1)!]));
  return weightedMean(
    vectors,
    parts.map(({ start, end }) => end - start),
  );
}

/** Runs a task of the pool. Returns the vectors of the texts in one array, one after another. */
export default async function embedTask({ texts, input_type }: EmbedTask): Promise<Float32Array> {
  if (loadedModel instanceof Error) throw loadedModel;
  const joined = new Float32Array(texts.length * dimensions);
  for (const [i, text] of texts.entries()) joined.set(await embed(loadedModel, text, input_type), i * dimensions);
  return joined;
}
