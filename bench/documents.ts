// How much of documents of every kind is read, beside the libraries that read them alone:
//   node bench/documents.ts SET... [--officeparser FOLDER] [--rows 20000]
// SET is a folder with pairs.jsonl: a file, and what is in it (`expected_file`, `expected_text`, `expected_sheets`). Words are compared as bags, without markup.
// With --rows also how many rows of a large table are read by second of the processor.
// officeparser is no part of this project: FOLDER is one that it is installed in. Speed is files by second of the processor, one after another in one thread, warm: both get the same bytes.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Readability } from '@mozilla/readability';
import { decodeHTML } from 'entities';
import mammoth from 'mammoth';
import { PDFParse } from 'pdf-parse';
import TurndownService from 'turndown';
import XLSX from 'xlsx';
import { decodeText } from '../packages/documents/src/bytes.ts';
import { parseHtml } from '../packages/documents/src/html/dom.ts';
import { parseDocument } from '../packages/documents/src/parse.ts';
import { parsers } from '../packages/documents/src/formats.ts';
import { jsonLines, markdownTable, mean, percentile } from './beir.ts';
import { largeTables } from './large-tables.ts';
import { type Score, scored } from './extraction-score.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { officeparser: { type: 'string' }, rows: { type: 'string' } },
});

interface Pair {
  file: string;
  kind?: string;
  expected_file?: string;
  expected_text?: string;
  expected_sheets?: string[];
}

type Extract = (bytes: Buffer, file: string) => Promise<string>;

const sheetText: Extract = async (bytes) => {
  const { SheetNames, Sheets } = XLSX.read(bytes);
  return SheetNames.map((name) => `${name}\n${XLSX.utils.sheet_to_csv(Sheets[name]!)}`).join('\n');
};

const pdfText: Extract = async (bytes) => {
  const parser = new PDFParse({ data: new Uint8Array(bytes), verbosity: 0 });
  const { text } = await parser.getText({ pageJoiner: '' }).finally(() => parser.destroy());
  return text;
};

const turndown = new TurndownService({});

const libraries: Record<string, Record<string, Extract>> = {
  '.pdf': { 'pdf-parse': pdfText },
  '.docx': { mammoth: async (bytes) => (await mammoth.extractRawText({ buffer: bytes })).value },
  '.xlsx': { SheetJS: sheetText },
  '.csv': { SheetJS: sheetText },
  '.html': {
    Readability: async (bytes) => new Readability((await parseHtml(await decodeText(bytes))).document as never).parse()?.textContent ?? '',
    turndown: async (bytes) => turndown.turndown((await parseHtml(await decodeText(bytes))).body),
  },
};

if (options.officeparser) {
  const { parseOfficeAsync } = createRequire(resolve(options.officeparser, 'package.json'))('officeparser');
  for (const kind of ['.docx', '.pptx', '.xlsx', '.pdf', '.odt', '.odp', '.ods'])
    (libraries[kind] ??= {}).officeparser = (bytes) => parseOfficeAsync(bytes);
}

const withKb: Extract = async (bytes, file) => {
  const row = parsers.find(({ extensions }) => extensions.includes(extname(file).toLowerCase()))!;
  return (await parseDocument({ bytes, source: file, file_type: row.file_type })).text;
};

/** Microseconds for which a file is read again and again. */
const MIN_MEASURED = 20_000;

/** Rounds in which a large table is read by one after the other. */
const ROUNDS = 5;

/** Seconds of the processor that a call takes, which other programs on the machine do not change. */
async function processorTime(call: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  for (let calls = 1; ; calls++) {
    await call();
    const { user, system } = process.cpuUsage(began);
    if (user + system >= MIN_MEASURED) return (user + system) / calls / 1e6;
  }
}

/** What Markdown and HTML show. */
const shown = (text: string): string =>
  decodeHTML(
    text
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/<!--.*?-->/gs, ' ')
      .replace(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1'),
  );

const flat = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, item]) => (Array.isArray(value) ? flat(item) : `${key} ${flat(item)}`))
        .join(' ')
    : String(value);

function expectedOf(folder: string, { kind, expected_file, expected_text, expected_sheets = [] }: Pair): string {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  if (!expected_file) return expected_text ?? expected_sheets.map(read).join('\n');
  return kind === 'rows' ? flat(JSON.parse(read(expected_file))) : kind === 'text' ? read(expected_file) : shown(read(expected_file));
}

async function largeTableRows(count: number): Promise<Record<string, string | number>[]> {
  const measured: Record<string, string | number>[] = [];
  for (const [kind, bytes] of Object.entries(largeTables(count))) {
    const readers = Object.entries<Extract>({ kb: withKb, ...libraries[kind] });
    const seconds = new Map<string, number[]>(readers.map(([reader]) => [reader, []]));
    for (let round = 0; round <= ROUNDS; round++)
      for (const [reader, extract] of readers) {
        process.stderr.write(`documents: ${count} rows of ${kind}, ${reader}\n`);
        const taken = await processorTime(() => extract(Buffer.from(bytes), `table${kind}`));
        if (round > 0) seconds.get(reader)!.push(taken);
      }
    for (const [reader, times] of seconds)
      measured.push({ kind: kind.slice(1), reader, rows: count, 'rows/s': Math.round(count / percentile(times, 50)) });
  }
  return measured;
}

// what the libraries say about files that they cannot read is not about them
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

const rows: Record<string, string | number>[] = [];
for (const folder of folders) {
  const pairs = jsonLines<Pair>(join(folder, 'pairs.jsonl')).filter(
    (pair) => existsSync(join(folder, pair.file)) && /\p{L}|\d/u.test(expectedOf(folder, pair)),
  );
  for (const [kind, files] of Map.groupBy(pairs, ({ file }) => extname(file).toLowerCase())) {
    for (const [reader, extract] of Object.entries<Extract>({ kb: withKb, ...libraries[kind] })) {
      process.stderr.write(`documents: ${basename(folder)} ${kind}, ${reader}\n`);
      const scores: Score[] = [];
      let [failed, seconds] = [0, 0];
      for (const pair of files) {
        const bytes = readFileSync(join(folder, pair.file));
        const read = () => extract(Buffer.from(bytes), join(folder, pair.file)).catch(() => undefined);
        const text = await read();
        seconds += await processorTime(read);
        if (text === undefined) failed += 1;
        scores.push(scored(shown(text ?? ''), { text: expectedOf(folder, pair) }));
      }
      const average = (name: 'recall' | 'precision' | 'f1') => mean(scores.map((score) => score[name]));
      rows.push({
        set: basename(folder),
        kind: kind.slice(1),
        reader,
        files: files.length,
        recall: average('recall'),
        precision: average('precision'),
        F1: average('f1'),
        failed,
        'files/s': files.length / seconds,
      });
    }
  }
}
if (rows.length > 0) process.stdout.write(`${markdownTable(rows)}\n`);
if (options.rows) process.stdout.write(`${markdownTable(await largeTableRows(Number(options.rows)))}\n`);
