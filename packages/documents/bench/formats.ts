// Time and words per format over a folder: node packages/documents/bench/formats.ts FOLDER [--largest 20000000]
// Each file is read three times in this process, one after another; the fastest counts. For PDFs, pdf-parse reads the same bytes: it gives the text of the
// pages without headings, tables and places.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileTypes, readDocument } from '@citekb/documents';
import { PDFParse } from 'pdf-parse';

const ROUNDS = 3;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { largest: { type: 'string', default: '20000000' } } });
const folder = positionals[0];
if (folder === undefined) throw new Error('Name the folder of the files.');

interface Reading {
  milliseconds: number;
  words: number;
}

async function measure(read: () => Promise<string>): Promise<Reading | undefined> {
  const readings: Reading[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const text = await read().catch(() => undefined);
    if (text === undefined) return undefined;
    readings.push({ milliseconds: performance.now() - began, words: text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0 });
  }
  return readings.toSorted((a, b) => a.milliseconds - b.milliseconds)[0];
}

async function byPdfParse(bytes: Uint8Array): Promise<string> {
  const parser = new PDFParse({ data: new Uint8Array(bytes) });
  try {
    return (await parser.getText({ pageJoiner: '' })).text;
  } finally {
    await parser.destroy();
  }
}

function row(name: string, readings: readonly (Reading | undefined)[]): string {
  const done = readings.filter((reading) => reading !== undefined);
  const sum = (key: keyof Reading): number => done.reduce((total, reading) => total + reading[key], 0);
  const cells = [name, done.length, readings.length - done.length, (sum('milliseconds') / done.length || 0).toFixed(1), sum('words')];
  return `| ${cells.join(' | ')} |\n`;
}

const { fileType } = fileTypes();
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
  const stats = statSync(join(folder, name));
  return fileType(name) !== undefined && stats.isFile() && stats.size <= Number(values.largest);
});
for (const name of ['log', 'warn'] as const) console[name] = () => {}; // libraries print warnings about a file
process.stdout.write('| format | files | refused | ms a file | words |\n| --- | ---: | ---: | ---: | ---: |\n');
for (const [type, files] of Map.groupBy(names, (name) => fileType(name)!)) {
  const readings: (Reading | undefined)[] = [];
  const others: (Reading | undefined)[] = [];
  for (const name of files) {
    const bytes = readFileSync(join(folder, name));
    readings.push(await measure(async () => (await readDocument(bytes, { name })).text));
    if (type === 'pdf') others.push(await measure(() => byPdfParse(bytes)));
  }
  process.stdout.write(row(type, readings));
  if (type === 'pdf') process.stdout.write(row('pdf by pdf-parse', others));
}
