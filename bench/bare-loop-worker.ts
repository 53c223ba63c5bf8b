// One thread of the bare loop (bare-loop.ts): the model over one passage after another, and nothing else.
// oxlint-disable unicorn/require-post-message-target-origin -- a rule for windows; this is a thread
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { DEFAULT_LOCAL_MODEL, localModels, modelFolder } from '../src/drivers/embedders/local-models.ts';

const folder = modelFolder(DEFAULT_LOCAL_MODEL);
const { window } = localModels[DEFAULT_LOCAL_MODEL];

const readJson = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;

const tokenizer = new Tokenizer(readJson('tokenizer.json'), readJson('tokenizer_config.json'));
const session = await InferenceSession.create(join(folder, 'model.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 });

async function run(passage: string): Promise<void> {
  const { ids } = tokenizer.encode(passage);
  const read = ids.length > window ? [...ids.slice(0, window - 1), ids.at(-1)!] : ids;
  const tensor = (numbers: readonly number[]) => new Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]);
  await session.run({ input_ids: tensor(read), attention_mask: tensor(read.map(() => 1)) });
}

parentPort!.once('message', async () => {
  for (const passage of workerData as string[]) await run(passage);
  parentPort!.postMessage('done');
});
parentPort!.postMessage('ready');
