// How fast PDF files are read, beside pdf-parse, which reads their text alone:
//   node bench/pdf-speed.ts FOLDER... [--rounds 5] [--each]
// Both read each file of the folders one after the other in the same process, warm; seconds are of the processor, the median of the rounds.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PDFParse } from 'pdf-parse';
import { parseDocument } from '../packages/documents/src/parse.ts';
import { markdownTable, percentile } from './beir.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, each: { type: 'boolean', default: false } },
});

// libraries print warnings about files
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

async function pagesWithPdfParse(bytes: Buffer): Promise<number> {
  const parser = new PDFParse({ data: new Uint8Array(bytes), verbosity: 0 });
  return (await parser.getText({ pageJoiner: '' }).finally(() => parser.destroy())).total;
}

const readers = {
  kb: (bytes: Buffer) => parseDocument({ bytes: Buffer.from(bytes), source: 'file.pdf', file_type: 'pdf' }),
  'pdf-parse': pagesWithPdfParse,
};

/** Seconds of the processor that a call takes, which other programs on the machine do not change. */
async function processorTime(call: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

interface Timing {
  file: string;
  pages: number;
  kb: number;
  'pdf-parse': number;
}

async function timingOf(path: string): Promise<Timing | undefined> {
  const bytes = readFileSync(path);
  const pages = await pagesWithPdfParse(bytes).catch(() => 0);
  if (pages === 0 || !(await readers.kb(bytes).catch(() => undefined))) return undefined;
  const seconds = { kb: [] as number[], 'pdf-parse': [] as number[] };
  for (let round = 0; round < Number(options.rounds); round++)
    for (const name of ['kb', 'pdf-parse'] as const) seconds[name].push(await processorTime(() => readers[name](bytes)));
  return { file: basename(path), pages, kb: percentile(seconds.kb, 50), 'pdf-parse': percentile(seconds['pdf-parse'], 50) };
}

const rows: Record<string, string | number>[] = [];
for (const folder of folders) {
  const timings: Timing[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.pdf')) continue;
    process.stderr.write(`pdf-speed: ${entry.name}\n`);
    timings.push(...[(await timingOf(join(entry.parentPath, entry.name))) ?? []].flat());
  }
  const sum = (key: 'pages' | 'kb' | 'pdf-parse') => timings.reduce((all, timing) => all + timing[key], 0);
  const row = (file: string, pages: number, seconds: { kb: number; 'pdf-parse': number }) => ({
    file,
    pages,
    'kb, pages/s': pages / seconds.kb,
    'pdf-parse, pages/s': pages / seconds['pdf-parse'],
    'kb / pdf-parse': seconds['pdf-parse'] / seconds.kb,
  });
  if (options.each) rows.push(...timings.map((timing) => row(timing.file, timing.pages, timing)));
  rows.push(row(`${basename(folder)}: ${timings.length} files`, sum('pages'), { kb: sum('kb'), 'pdf-parse': sum('pdf-parse') }));
}
process.stdout.write(`${markdownTable(rows)}\n`);
