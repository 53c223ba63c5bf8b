// How much memory kb ingest takes in all of its processes while it reads many real files of all kinds:
//   node bench/mixed-files.ts FOLDER... [--files 1000] [--embedding-provider none]
// Copies of the folders' files, each with a name and content of its own, the kinds mixed; resident memory (VmRSS of /proc), tenth by tenth of the run.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parsers } from '../packages/documents/src/formats.ts';
import { markdownTable, mean } from './beir.ts';
import { inWorkplace, kb } from './process.ts';

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'string', default: '1000' }, 'embedding-provider': { type: 'string', default: 'none' } },
});
const TENTHS = 10;

const isRead = (file: string): boolean =>
  parsers.some(({ extensions, is_picture }) => !is_picture && extensions.includes(extname(file).toLowerCase()));

/** The files of the folders that kb reads, each kind spread over the whole. */
function originals(): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isRead(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const kinds = [...Map.groupBy(files.toSorted(), (file) => extname(file).toLowerCase()).values()];
  const places = kinds.flatMap((kind) => kind.map((file, i) => ({ file, place: (i + 0.5) / kind.length })));
  return places.toSorted((a, b) => a.place - b.place).map(({ file }) => file);
}

/** The bytes with something that no other copy has: the comment of a ZIP archive or of a PDF file, a line of a text. */
function varied(bytes: Buffer, file: string, copy: number): Buffer {
  const mark = `copy ${copy}`;
  if (bytes.toString('latin1', 0, 2) === 'PK') {
    const hasNoComment = bytes.readUInt16LE(bytes.length - 2) === 0;
    return hasNoComment ? Buffer.concat([bytes.subarray(0, -2), Buffer.from([mark.length, 0]), Buffer.from(mark)]) : bytes;
  }
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return Buffer.concat([bytes, Buffer.from(`\n%${mark}\n`)]);
  return /\.(?:md|txt|html)$/i.test(file) ? Buffer.concat([bytes, Buffer.from(`\n\nThis is ${mark}.\n`)]) : bytes;
}

function writeCopies(folder: string, files: number): void {
  const sources = originals();
  mkdirSync(folder);
  for (let i = 0; i < files; i++) {
    const file = sources[i % sources.length]!;
    const name = `${String(i).padStart(6, '0')}-${basename(file)}`;
    writeFileSync(join(folder, name), varied(readFileSync(file), file, Math.floor(i / sources.length)));
  }
}

interface Look {
  at: number;
  /** Resident bytes: of the process itself, and of those that it started. */
  own: number;
  parsers: number;
}

function lookAt(pid: number): Look | undefined {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = all.flatMap((name) => statusOf(name) ?? []);
  const own = processes.find((one) => one.pid === pid)?.resident;
  const children = processes.filter(({ parent }) => parent === pid);
  return own === undefined ? undefined : { at: performance.now(), own, parsers: children.reduce((sum, { resident }) => sum + resident, 0) };
}

function statusOf(pid: string): Record<'pid' | 'parent' | 'resident', number> | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const valueOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return { pid: Number(pid), parent: valueOf('PPid'), resident: valueOf('VmRSS') * 1024 };
  } catch {
    return undefined; // it has ended
  }
}

const looks: Look[] = [];
const { stdout, milliseconds } = await inWorkplace((cwd) => {
  writeCopies(join(cwd, 'files'), Number(values.files));
  const args = ['ingest', '--docs', 'files', '--embedding-provider', values['embedding-provider'], '--allow-failures'];
  return kb(args, cwd, (pid) => looks.push(...[lookAt(pid)].filter((look) => look !== undefined)));
});
console.log(`${values.files} files in ${(milliseconds / 1000).toFixed(0)} s. ${/^Stored.*/m.exec(stdout)?.[0]}\n`);

const began = looks[0]!.at;
const length = looks.at(-1)!.at - began + 1;
const rows = Array.from({ length: TENTHS }, (_, tenth) => {
  const seen = looks.filter(({ at }) => Math.floor(((at - began) / length) * TENTHS) === tenth);
  const megabytes = (value: (look: Look) => number) => seen.map((look) => value(look) / 1e6);
  const all = megabytes(({ own, parsers: other }) => own + other);
  return {
    tenth: tenth + 1,
    'kb, mean MB': mean(megabytes(({ own }) => own)),
    'kb, most MB': Math.max(...megabytes(({ own }) => own)),
    'its parsers, mean MB': mean(megabytes((look) => look.parsers)),
    'all, mean MB': mean(all),
    'all, most MB': Math.max(...all),
  };
});
console.log(markdownTable(rows));
