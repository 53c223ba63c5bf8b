// How long a search takes in a bucket, and how many requests it needs:
//   node bench/buckets.ts --endpoint http://127.0.0.1:9000 [--bucket bench] [--delay 20] [--files 600] [--questions 100]
// The bucket is there, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may write to it. Each request waits `delay` ms on its way, as over a network.
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { drivers } from '../src/drivers/registry.ts';
import type { VectorStore } from '../src/ports/stores.ts';
import { markdownTable, mean, percentile } from './beir.ts';
import { collectionOf, found } from './collection.ts';
import { manualSet } from './manual.ts';
import { MODES, questionsOf } from './serving.ts';

const { values: options } = parseArgs({
  options: {
    endpoint: { type: 'string', default: 'http://127.0.0.1:9000' },
    bucket: { type: 'string', default: 'bench' },
    delay: { type: 'string', default: '20' },
    files: { type: 'string', default: '600' },
    questions: { type: 'string', default: '100' },
  },
});

let requests = 0;
let delay = 0;
const proxy = createServer(async (incoming, outgoing) => {
  requests++;
  const body = Buffer.concat(await incoming.toArray());
  await wait(delay);
  const { method, url, headers } = incoming;
  const upstream = send(new URL(url!, options.endpoint), { method: method!, headers }, (answer) =>
    answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers)),
  );
  upstream.end(body);
});
await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));

const SET = manualSet('bench-buckets', Number(options.files));
const openStore = (): Promise<VectorStore> =>
  drivers.stores.lancedb.open({
    url: `s3://${options.bucket}/kb`,
    options: { endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, region: 'us-east-1' },
  });

const embedder = await drivers.embedders.local.open();
const filled = (await (await openStore()).open(SET.name)) ?? (await collectionOf(SET, await openStore(), embedder));
await filled.optimize({ whole: true });
delay = Number(options.delay);
const rows = [];
for (const mode of MODES) {
  const store = await openStore();
  const collection = (await store.open(SET.name))!;
  const questions = questionsOf(Number(options.questions));
  for (const asked of ['the first', 'the others', 'all again']) {
    const [times, counts]: [number[], number[]] = [[], []];
    for (const query of asked === 'the first' ? questions.slice(0, 1) : asked === 'the others' ? questions.slice(1) : questions) {
      const [began, before] = [performance.now(), requests];
      await found({ query, mode, top_k: 5 }, { collection, embedder });
      times.push(performance.now() - began);
      counts.push(requests - before);
    }
    rows.push({ mode, asked, 'p50 ms': percentile(times, 50), 'p95 ms': percentile(times, 95), 'requests a search': mean(counts) });
  }
  await store.close();
}
console.log(`${await filled.count()} chunks, ${options.delay} ms a request`);
console.log(markdownTable(rows));
proxy.closeAllConnections();
proxy.close();
