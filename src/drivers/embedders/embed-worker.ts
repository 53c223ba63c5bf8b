import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Gate } from './gate.ts';
import { upTo } from '../../base/cut.ts';
import { DIMENSIONS, modelFolder, QUERY_CHARACTERS, QUERY_WINDOWS, WINDOW } from './local-model.ts';
import { weightedMean, windows } from './windows.ts';

interface Model {
  session: InferenceSession;
  tokenizer: Tokenizer;
}

const gate = new Gate(workerData as SharedArrayBuffer);

const readJson = (name: string): object => JSON.parse(readFileSync(join(modelFolder, name), 'utf8')) as object;

async function load(): Promise<Model> {
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
  const loading = InferenceSession.create(join(modelFolder, 'model.onnx'), options);
  const tokenizer = new Tokenizer(readJson('tokenizer.json'), readJson('tokenizer_config.json'));
  return { tokenizer, session: await loading };
}

// Awaited here, so that a worker that has nothing to do yet is warm when the first task comes. A failure is kept for the tasks: thrown here, it would end the process.
const loaded = await gate.through(load).catch((error: unknown) => error as Error);

/** Runs the model over one text of at most WINDOW tokens. Never over several: its quantization scales by the batch, and a vector must not depend on its neighbours. */
async function run(session: InferenceSession, ids: readonly number[]): Promise<Float32Array> {
  const shape = [1, ids.length];
  const feeds = {
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
  };
  const { embedding } = await gate.through(() => session.run(feeds));
  return embedding!.data as Float32Array;
}

/** Texts that are embedded alike. */
export interface EmbedTask {
  texts: readonly string[];
  input_type: 'document' | 'query';
}

/** The vector of a text of any length: longer than the model reads, it is the mean over windows, weighted by their tokens. Of a query the first ones count. */
async function embed({ session, tokenizer }: Model, text: string, isQuery: boolean): Promise<Float32Array> {
  const { ids, tokens } = tokenizer.encode(isQuery ? upTo(text.replace(/\s+/g, ' '), QUERY_CHARACTERS) : text);
  if (ids.length <= WINDOW) return run(session, ids);
  const [first, last] = [ids[0]!, ids.at(-1)!];
  const body = ids.slice(1, isQuery ? Math.min(ids.length - 1, 1 + QUERY_WINDOWS * (WINDOW - 2)) : -1);
  const parts = windows(body.length, WINDOW - 2, (index) => tokens[index + 1]!.startsWith('##'));
  const vectors: Float32Array[] = [];
  for (const { start, end } of parts) vectors.push(await run(session, [first, ...body.slice(start, end), last]));
  return weightedMean(
    vectors,
    parts.map(({ start, end }) => end - start),
  );
}

/** One task of the pool: the vectors of the texts in one array, one after another. */
export default async function embedTask({ texts, input_type }: EmbedTask): Promise<Float32Array> {
  if (loaded instanceof Error) throw loaded;
  const joined = new Float32Array(texts.length * DIMENSIONS);
  for (const [i, text] of texts.entries()) joined.set(await embed(loaded, text, input_type === 'query'), i * DIMENSIONS);
  return joined;
}
