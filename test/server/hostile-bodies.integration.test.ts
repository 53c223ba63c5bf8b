import { expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

const many = <Entry>(count: number, entry: (i: number) => Entry): Entry[] => Array.from({ length: count }, (_, i) => entry(i));
const storage = { collection: 'harbor' };

/** Bodies at the bounds of their operations, in shapes that once kept the server from everything else. A function makes one of a size. */
const BODIES: [string, string, (size: number) => unknown][] = [
  ['texts of one source', '/v1/pipelines/ingest', (size) => ({ storage, markdown: many(size, (i) => ({ text: `t ${i}`, source: 's' })) })],
  ['texts', '/v1/pipelines/ingest', (size) => ({ storage, markdown: many(size, (i) => ({ text: `t ${i}`, source: `s${i}` })) })],
  ['refused pages', '/v1/pipelines/ingest', (size) => ({ storage, urls: many(size / 10, (i) => `http://127.0.0.1:9/${i}`) })],
  ['refused APIs', '/v1/ingest/api', (size) => ({ apis: many(size / 10, (i) => ({ url: `http://127.0.0.1:9/${i}` })) })],
  ['parameters', '/v1/ingest/url', (size) => ({ url: many(size / 20, (i) => `http://127.0.0.1:9/?${'a=b&'.repeat(2_000)}${i}`) })],
  ['globs', '/v1/ingest/docs', (size) => ({ files: many(size / 10, (i) => `**/*${i}.md`) })],
  ['documents with metadata', '/v1/chunk', (size) => ({ markdown: many(size, (a) => ({ text: 'a', source: `s${a}`, metadata: { a } })) })],
  [
    'vectors of another length',
    '/v1/store',
    (size) => ({ embedded_chunks: many(size, (i) => ({ id: `${i}`, text: 'a', embedding: [1] })) }),
  ],
  ['unknown chunks', '/v1/edit', (size) => ({ chunks: many(size, (i) => ({ id: `x${i}`, text: 'a' })) })],
  ['unknown ids', '/v1/delete', (size) => ({ ids: many(size, (i) => `x${i}`) })],
  ['too many ids', '/v1/delete', (size) => ({ ids: many(size * 20, (i) => `x${i}`) })],
  ['values of a filter', '/v1/retrieve', (size) => ({ query: 'a', filter: { source: { in: many(size / 2, (i) => `s${i}`) } } })],
  ['keys', '/v1/retrieve', (size) => ({ query: 'a', ...Object.fromEntries(many(size * 5, (i) => [`k${i}`, 1])) })],
  ['a long key', '/v1/retrieve', (size) => ({ query: 'a', ['k'.repeat(size * 50)]: 1 })],
  ['a long query', '/v1/retrieve', (size) => ({ query: '漢字 '.repeat(size), mode: 'text' })],
  ['a long history', '/v1/chat', (size) => ({ query: 'and that?', history: many(size, () => ({ role: 'user', content: 'a'.repeat(4) })) })],
];
const [SMALL, LARGE] = [40, 20_000];

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Milliseconds of processor time that this thread works in one go while a request is answered: for so long, nobody else is. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let [longest, before, isOver] = [0, processorTime(), false];
  const turn = () => {
    const now = processorTime();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  turn();
  return longest;
}

async function send({ url }: Served, path: string, body: string): Promise<void> {
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for await (const _bytes of response.body!);
  expect([200, 400, 404, 413, 422]).toContain(response.status);
}

/** A text that takes as long to parse as an honest large request: the longest stretch is compared with it, so that the speed of the machine does not matter. */
const HONEST = JSON.stringify(many(100_000, (i) => ({ id: `${i}`, text: 'The pump stops.', metadata: { page: i } })));

it('no body keeps the server from others for much longer than it takes to parse a large one', { timeout: 300_000 }, async () => {
  const served = await serveIn(folder(), { settings: { embedding: { provider: 'none' } } });
  const honest = await longestStretch(async () => JSON.parse(HONEST));
  const stretches: Record<string, number> = {};
  for (const [name, path, body] of BODIES) {
    await send(served, path, JSON.stringify(body(SMALL))); // loads what the operation needs
    const text = JSON.stringify(body(LARGE));
    const stretch = await longestStretch(() => send(served, path, text));
    if (stretch > 5 * honest) stretches[name] = Math.round(stretch / honest);
  }
  expect(stretches).toEqual({});
});
