// How fast kb reads documents, short texts in its own process and others in processes of their own, beside worker threads that run the same parsers:
//   node bench/parsing.ts [--rounds 7]
// Both are warm, and take what there is to read in the same portions. In each round one after another, so that both meet the same machine.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import { createReader } from '@citekb/documents';
import type { ParseTask } from '../packages/documents/src/parser.ts';
import { pdfFile } from '../packages/documents/test/support/pdf-file.ts';
import { markdownTable, percentile } from './beir.ts';
import { manual, random, sentence } from './manual.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const workers = Math.min(4, availableParallelism());
const MEGABYTES = 1024;
const SMALL_AT_ONCE = 16;

function page(index: number): string {
  const next = random(index + 1);
  const section = (number: number) =>
    `<h2 id="s${number}">Section ${number}</h2><p>${sentences(next, 12)}</p><ul><li>${sentence(next)}</li></ul>`;
  const sections = Array.from({ length: 60 }, (_, number) => section(number)).join('');
  return `<!doctype html><html><head><title>Handbook ${index}</title></head><body><nav><a href="/">Start</a></nav><main><h1>Handbook ${index}</h1>${sections}</main></body></html>`;
}

const sentences = (next: () => number, count: number): string => Array.from({ length: count }, () => sentence(next)).join(' ');

function pdf(pages: number): Buffer {
  const next = random(pages);
  return pdfFile(Array.from({ length: pages }, () => Array.from({ length: 45 }, () => sentence(next))));
}

const tasks = (count: number, make: (index: number) => [source: string, file_type: string, content: string | Buffer]): ParseTask[] =>
  Array.from({ length: count }, (_, index) => {
    const [source, file_type, content] = make(index);
    return { bytes: new Uint8Array(Buffer.from(content as string)), source, file_type };
  });

const sets: Record<string, ParseTask[]> = {
  'Markdown files of 3 KB': tasks(4000, (index) => [`${index}.md`, 'markdown', manual(index)]),
  'HTML pages of 80 KB': tasks(40, (index) => [`${index}.html`, 'html', page(index)]),
  'PDF files of 300 pages': tasks(workers, (index) => [`${index}.pdf`, 'pdf', pdf(300)]),
};

/** Threads with the same limits, which get the bytes instead of a copy. */
function threads(): { read(set: readonly ParseTask[]): Promise<unknown>; close(): Promise<void> } {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('parsing-worker.ts', import.meta.url)),
    minThreads: workers,
    maxThreads: workers,
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES, maxYoungGenerationSizeMb: 16 },
  });
  const inTurn = pLimit(workers);
  const send = (portion: readonly ParseTask[]) => {
    const copies = portion.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes.slice() }));
    return pool.run(copies, { transferList: copies.map(({ bytes }) => bytes.buffer) });
  };
  const read = (set: readonly ParseTask[]) => {
    const size = set[0]!.file_type === 'markdown' ? SMALL_AT_ONCE : 1;
    const portions = Array.from({ length: Math.ceil(set.length / size) }, (_, index) => set.slice(index * size, (index + 1) * size));
    return Promise.all(portions.map((portion) => inTurn(() => send(portion))));
  };
  return { read, close: () => pool.destroy() };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const pool = threads();
const reader = createReader({ processes: workers, seconds: 600, megabytes: MEGABYTES });
const byReader = (set: readonly ParseTask[]) => Promise.all(set.map(({ bytes, source }) => reader.read(bytes, { name: source })));
const rows = [];
for (const [what, set] of Object.entries(sets)) {
  await Promise.all([pool.read(set), byReader(set)]); // warm
  const measured: { threads: number; kb: number }[] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    process.stderr.write(`parsing: ${what}, round ${round} of ${values.rounds}\n`);
    measured.push({ threads: await timed(() => pool.read(set)), kb: await timed(() => byReader(set)) });
  }
  const median = (of: (run: (typeof measured)[number]) => number) => percentile(measured.map(of), 50);
  const seconds = { threads: median((run) => run.threads) / 1000, kb: median((run) => run.kb) / 1000 };
  rows.push({
    what,
    files: set.length,
    'threads, files/s': set.length / seconds.threads,
    'kb, files/s': set.length / seconds.kb,
    'kb (threads = 1)': median((run) => run.threads / run.kb),
  });
}
await Promise.all([pool.close(), reader.close()]);
console.log(markdownTable(rows));
